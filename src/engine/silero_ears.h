// Silero's network over the sessions of an engine: every window of 32 ms as it completes, those of all sessions that
// have one in one batch. What it said is kept until the Front-End's judgement has come so far. The Front-End thread
// alone, but for open().
#pragma once

#include <cstdint>
#include <vector>

#include "core/silero.h"
#include "engine/slot.h"
#include "frontend/sample_windows.h"

namespace cosyvoice {

class SileroEars {
 public:
  /// Throws what Silero does.
  SileroEars(const std::string& file, std::uint32_t slots);

  /// A new session in a slot whose model is set and whose stream keeps `rows`. Throws kInvalidArgument for a model of
  /// another rate than 16 kHz.
  void open(Slot& slot, std::size_t rows);
  /// The slot's stream was restarted.
  void restart(Slot& slot) noexcept;
  /// All windows of these slots that are complete; null is no slot.
  void hear(Slot* const* slots, std::size_t count) noexcept;

  /// Of the slot's next window that was not judged; below 0: it was not heard yet.
  float probability(const Slot& slot) const noexcept;
  /// Feature frames of the stream that begin before the end of that window.
  std::uint64_t frames_to_its_end(const Slot& slot) const noexcept;
  void judged(Slot& slot) noexcept { ++ears_[slot.index].judged; }

 private:
  struct Ear {
    SampleWindows windows{Silero::kContext, Silero::kWindow, FeatureStream::kWindowSamples};
    Silero::State state{};
    std::vector<float> said;   // probability of window w at w modulo size
    std::uint64_t judged = 0;  // windows
    std::uint64_t frame_samples = 1;
  };

  void compute(std::size_t count) noexcept;

  Silero network_;
  std::vector<Ear> ears_;
  std::vector<Silero::Row> rows_;
  std::vector<Ear*> heard_;  // of rows_
  bool failed_ = false;
};

}  // namespace cosyvoice
