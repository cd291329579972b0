// The callers' side of a session: audio into its ring, marks and verbs for the Front-End. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/counters.h"
#include "engine/slot_table.h"

namespace cosyvoice {

class Producer {
 public:
  /// `wake`: the Front-End's enqueue.
  Producer(SlotTable& slots, Counters& counters, const EngineOptions& options, std::function<void(Slot&)> wake);

  void feed_bytes(SessionId sid, const void* bytes, std::size_t size);
  void feed_samples(SessionId sid, const std::int16_t* samples, std::size_t count);
  void feed_samples(SessionId sid, const float* samples, std::size_t count);

  void end_utterance(SessionId sid);
  void finish(SessionId sid);
  void reset(SessionId sid);
  void close_session(SessionId sid);

  /// feed_pcm on the calling thread never blocks from now on.
  static void mark_dispatcher_thread() noexcept;
  static bool on_dispatcher_thread() noexcept;

 private:
  template <class Write>
  void feed(Slot& slot, SessionId sid, std::size_t count, Write&& write);
  void wait_for_room(Slot& slot, SessionId sid, std::size_t count);

  SlotTable& slots_;
  Counters& counters_;
  const BackPressure back_pressure_;
  const std::int64_t block_timeout_ns_;
  const std::function<void(Slot&)> wake_;
};

}  // namespace cosyvoice
