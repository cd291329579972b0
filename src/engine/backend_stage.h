// The Back-End's thread: network output → words → end-points → events.
//
// Items come from the workers (a chunk's output) and from the Front-End (an order without a chunk); the slot's order
// says what to do. Each ends with handing the slot back to the Front-End.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "backend/endpointer.h"
#include "engine/counters.h"
#include "engine/slot_table.h"
#include "runtime/mpsc_queue.h"
#include "runtime/wakeup.h"
#include "types/encoder_output.h"

namespace cosyvoice {

class BackendStage {
 public:
  /// `posted`: an event is in the slot's mailbox. `hand_back`: the flight is over (the Front-End's enqueue).
  BackendStage(SlotTable& slots, Counters& counters, const EndpointOptions& endpoint, std::function<void(Slot&)> posted,
               std::function<void(Slot&)> hand_back);
  void start();
  void stop();

  /// Any worker, or the Front-End for an order without a chunk (frames = 0).
  void push(const EncoderOutput& output) noexcept;

 private:
  void run();
  void handle(Slot& slot, const EncoderOutput& output) noexcept;
  void handle_chunk(Slot& slot, const EncoderOutput& output) noexcept;
  void handle_mark(Slot& slot) noexcept;
  void handle_reset(Slot& slot) noexcept;
  void fail(Slot& slot, ErrorCode code) noexcept;

  void post_partial(Slot& slot) noexcept;
  void post_final(Slot& slot, Reason reason, bool ended) noexcept;
  void post(Slot& slot, EventHeader header, std::string_view text, std::size_t words) noexcept;
  EventHeader header(const Slot& slot, EventType type) const noexcept;
  /// The transcript's words with session times, in words_; fills the header's times and confidence.
  std::size_t time_words(const Slot& slot, EventHeader& header) noexcept;
  void next_utterance(Slot& slot) noexcept;

  SlotTable& slots_;
  Counters& counters_;
  const EndpointOptions endpoint_;
  const std::function<void(Slot&)> posted_;
  const std::function<void(Slot&)> hand_back_;
  MpscQueue<EncoderOutput> queue_;
  Wakeup wakeup_;
  std::atomic<bool> stop_{false};
  std::vector<EventWord> words_;
  std::thread thread_;
};

}  // namespace cosyvoice
