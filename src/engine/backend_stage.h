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

#include "backend/alternatives.h"
#include "backend/beam_scratch.h"
#include "backend/endpointer.h"
#include "engine/counters.h"
#include "engine/outbox.h"
#include "engine/slot_table.h"
#include "runtime/mpsc_queue.h"
#include "runtime/published.h"
#include "runtime/wakeup.h"
#include "types/encoder_output.h"

namespace cosyvoice {

class BackendStage {
 public:
  /// `second_pass` null: there is none, else finals wait `second_pass_timeout_ms` for it. `posted`: an event is in the
  /// slot's mailbox. `hand_back`: the flight is over (the Front-End's enqueue). `let_go`: events that were held moved
  /// on. `hold_back_ms`: partials leave out words that ended less than this ago.
  BackendStage(SlotTable& slots, Counters& counters, const Published<Dictionary>& dictionary,
               const EndpointOptions& endpoint, std::int32_t hold_back_ms, SecondPass* second_pass,
               std::int32_t second_pass_timeout_ms, std::function<void(Slot&)> posted,
               std::function<void(Slot&)> hand_back, std::function<void(Slot&)> let_go);
  void start();
  void stop();

  /// Any worker, or the Front-End for an order without a chunk (frames = 0).
  void push(const EncoderOutput& output) noexcept;
  /// Any thread: the second pass has a message.
  void wake() noexcept { wakeup_.notify_one(); }
  /// Any thread: there is room for events that are held.
  void room_made(Slot& slot) noexcept;
  /// Any thread: no final waits for a second pass any more.
  void give_up_second_pass() noexcept;

 private:
  void run();
  void handle(Slot& slot, const EncoderOutput& output) noexcept;
  void handle_chunk(Slot& slot, const EncoderOutput& output) noexcept;
  void handle_skip(Slot& slot) noexcept;
  void handle_mark(Slot& slot) noexcept;
  void handle_reset(Slot& slot) noexcept;
  void fail(Slot& slot, ErrorCode code) noexcept;

  /// The open utterance after a chunk, heard or skipped.
  UtteranceSoFar so_far(const Slot& slot) const noexcept;
  void end_or_go_on(Slot& slot) noexcept;

  /// speech_start, once an utterance.
  void announce(Slot& slot, std::int64_t start_ms) noexcept;
  void post_partial(Slot& slot) noexcept;
  /// `read_again_ms`: of the end of the audio, which belongs to the next utterance.
  void post_final(Slot& slot, Reason reason, bool ended, std::int64_t read_again_ms = 0) noexcept;
  /// Audio before is not heard again.
  static void keep_from(Slot& slot, std::int64_t ms) noexcept;
  Draft draft(const Slot& slot, const EventHeader& header, std::string_view text, const EventWord* words,
              std::size_t count) const noexcept;
  EventHeader header(const Slot& slot, EventType type) const noexcept;
  /// How many of the transcript's words a partial has.
  std::size_t settled_words(const Slot& slot) const noexcept;
  /// The transcript's first `count` words with session times, in words_; fills the header's times and confidence.
  void time_words(const Slot& slot, std::size_t count, EventHeader& header) noexcept;
  /// The event with the transcript's first `count` words as the utterance's dictionary shows them; valid until the next
  /// call.
  Draft show(const Slot& slot, std::size_t count, EventHeader& header) noexcept;
  /// The final's alternatives as the dictionary shows them.
  const Alternatives& shown_alternatives(const Slot& slot) noexcept;
  /// The newest: an utterance keeps the one that its first word had.
  void take_dictionary(Slot& slot) noexcept;
  void next_utterance(Slot& slot) noexcept;

  SlotTable& slots_;
  Counters& counters_;
  const Published<Dictionary>& dictionary_;
  std::uint64_t dictionary_version_ = 0;  ///< of …
  std::shared_ptr<const Dictionary> newest_dictionary_;
  const Endpointer endpoint_;
  const std::int32_t hold_back_ms_;
  const std::function<void(Slot&)> hand_back_;
  Outbox outbox_;
  MpscQueue<EncoderOutput> queue_;
  Wakeup wakeup_;
  std::atomic<bool> stop_{false};
  BeamScratch scratch_;
  Alternatives alternatives_, shown_alternatives_;  // of the final that is being made
  std::vector<EventWord> words_;
  ShownText shown_, shown_alternative_;
  std::thread thread_;
};

}  // namespace cosyvoice
