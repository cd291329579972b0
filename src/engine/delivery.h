// Events on their way out: from the sessions' mailboxes to one dispatcher, and to whoever pulls a session.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "engine/counters.h"
#include "engine/slot_table.h"
#include "runtime/news_queue.h"
#include "runtime/wakeup.h"

namespace cosyvoice {

class Delivery {
 public:
  /// `room_made`: a session waited for room in its mailbox (the Front-End's enqueue); `held_room_made`: the events that
  /// the Back-End holds for it did.
  Delivery(SlotTable& slots, Counters& counters, std::function<void(Slot&)> room_made,
           std::function<void(Slot&)> held_room_made);

  /// For a new session, before it is published.
  void open(Slot& slot, SessionId sid);
  /// Back-End: an event is in the mailbox.
  void posted(Slot& slot) noexcept;
  /// Front-End: the session took its last step. Back-End: an event was posted after it.
  void session_over(Slot& slot) noexcept;

  /// Events go to a dispatcher from now on.
  void attach_drain();
  std::size_t drain(const EventCallback& take, std::int64_t timeout_ms);
  /// After close(): no more events will come; drain() gives out what is left, then drain_open() is false.
  void finish() noexcept;
  bool drain_open() const noexcept { return !finished_.load(std::memory_order_acquire); }

  bool next_event(Slot& slot, SessionId sid, const EventCallback& take, std::int64_t timeout_ms);
  bool next_partial(Slot& slot, SessionId sid, const EventCallback& take);
  void release(Slot& slot, SessionId sid);

  /// Waits until no session is open and, where there is a dispatcher, all events were given out. False: the deadline
  /// passed.
  bool wait_until_quiet(std::int64_t deadline_ns);

 private:
  enum class Kind : std::uint8_t { kAny, kPartial };
  /// An event on its way out, apart from the slot it came from: storage that is reused.
  struct Outgoing {
    TakenEvent taken;
    std::string session;
    Event event;  ///< views into the two above
  };
  /// Gives out one event. The slot is left before `take` is called, which may do anything.
  bool give(Slot& slot, SessionId sid, Reader reader, Kind kind, Outgoing& out, const EventCallback& take);
  void start_pulling(Slot& slot, SessionId sid);
  void tell_of_room(Slot& slot) noexcept;

  SlotTable& slots_;
  Counters& counters_;
  const std::function<void(Slot&)> room_made_, held_room_made_;
  NewsQueue news_;  ///< for the dispatcher
  Wakeup quiet_;    ///< wait_until_quiet
  std::atomic<bool> attached_{false};
  std::atomic<bool> finishing_{false}, finished_{false};
  std::mutex attach_mutex_;  ///< open() against attach_drain()
  std::mutex drain_mutex_;   ///< one dispatcher at a time
  Outgoing outgoing_;        ///< the dispatcher's
};

}  // namespace cosyvoice
