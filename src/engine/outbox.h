// Events on their way from the Back-End into the mailboxes. Without a second pass they go at once. With one, a final
// waits here for its answer, and whatever its session makes meanwhile waits behind it, so that the order stays.
//
// The Back-End thread alone, but for give_up(). A final that waits is let go by the first of: its answer, a refusal,
// its deadline, too many behind it, give_up().
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/counters.h"
#include "engine/mailbox_record.h"
#include "engine/second_pass.h"
#include "engine/slot_table.h"
#include "runtime/news_queue.h"

namespace cosyvoice {

/// What the Back-End made, and from when on its delay counts.
struct Draft {
  EventHeader header;
  EventContent content;
  std::int64_t since_ns = 0;
};

class Outbox {
 public:
  /// Events of one session that may be held. Where one more comes, the oldest final gives up its second pass.
  static constexpr std::size_t kMostHeld = 8;
  /// Of a batch session, which decodes no further meanwhile.
  static constexpr std::size_t kMostHeldOfBatch = 1;

  /// `second_pass` null: there is none. `posted`: an event is in the slot's mailbox. `let_go`: the slot's events moved
  /// on (the Front-End, and whoever waits for the session's end, may look again).
  Outbox(SlotTable& slots, Counters& counters, SecondPass* second_pass, std::int32_t timeout_ms,
         std::function<void(Slot&)> posted, std::function<void(Slot&)> let_go);

  void post_partial(Slot& slot, const Draft& draft) noexcept;
  void post(Slot& slot, const Draft& draft) noexcept;
  /// Overtakes what waits: who speaks into a prompt is not kept waiting for the utterance before.
  void post_at_once(Slot& slot, const Draft& draft) noexcept;
  /// A final that waits for a second pass over the session's audio of these times.
  HearAgain hold(Slot& slot, const Draft& draft, std::int64_t begin_ms, std::int64_t end_ms) noexcept;

  /// Takes messages and time into account. True: something moved.
  bool work() noexcept;
  /// When work() is due at the latest; -1: when a message comes.
  std::int64_t deadline_ns() const noexcept { return next_deadline_ns_; }

  /// Any thread: every final that waits goes without its second pass, as do those to come.
  void give_up() noexcept { given_up_.store(true, std::memory_order_release); }
  /// Any thread: events that were held for want of room may have some.
  void room_made(Slot& slot) noexcept { room_.tell(slot.index); }
  bool hears_again() const noexcept { return second_pass_ != nullptr && !given_up_.load(std::memory_order_acquire); }

 private:
  struct Held {
    TakenEvent event;
    std::int64_t since_ns = 0, held_ns = 0;
    std::uint64_t id = 0;  // of the request; 0: none, it waits for its turn alone
    std::int64_t deadline_ns = -1;
    std::int64_t begin_ms = 0, end_ms = 0;  // of the audio that is heard again
    bool ready = false;
  };
  struct Queue {
    std::array<Held, kMostHeld> ring;
    std::size_t first = 0, count = 0;
    TakenEvent partial;  // the latest, of the utterance after those held
    std::int64_t partial_since_ns = 0;
    bool has_partial = false;
    Held& operator[](std::size_t i) noexcept { return ring[(first + i) % kMostHeld]; }
  };

  Held& append(Slot& slot, const Draft& draft) noexcept;
  void put_partial(Slot& slot, const Draft& draft) noexcept;
  void put(Slot& slot, Draft draft) noexcept;
  void handle(const SecondPassMessage& message) noexcept;
  Held* find(std::uint64_t id) noexcept;
  void answer(Held& held, SecondPassAnswer& answer) noexcept;
  void go_without(Held& held, std::atomic<std::uint64_t>& counter) noexcept;
  void release(Slot& slot) noexcept;
  bool has_room(Slot& slot) noexcept;
  /// At this time at the latest.
  void look_at(std::int64_t deadline_ns) noexcept;
  void check_deadlines() noexcept;

  SlotTable& slots_;
  Counters& counters_;
  SecondPass* const second_pass_;
  const std::int64_t timeout_ns_;
  const std::function<void(Slot&)> posted_, let_go_;
  std::vector<Queue> queues_;           // one a slot, none without a second pass
  std::vector<std::uint32_t> holding_;  // slots whose queue is not empty
  NewsQueue room_;
  std::uint64_t serial_ = 0;
  std::int64_t next_deadline_ns_ = -1;
  std::atomic<bool> given_up_{false};
};

}  // namespace cosyvoice
