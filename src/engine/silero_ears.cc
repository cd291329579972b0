#include "engine/silero_ears.h"

#include <string>

#include "engine/slot_time.h"
#include "runtime/log.h"

namespace cosyvoice {

SileroEars::SileroEars(const std::string& file, std::uint32_t slots)
    : network_(file), ears_(slots), rows_(Silero::kMostRows), heard_(Silero::kMostRows) {}

void SileroEars::open(Slot& slot, std::size_t rows) {
  const FeatureOptions& features = manifest_of(slot).features;
  if (features.sample_rate != Silero::kRate) {
    throw Error(ErrorCode::kInvalidArgument, "vad = silero hears " + std::to_string(Silero::kRate) + " Hz, model '" +
                                                 manifest_of(slot).name + "' has features of " +
                                                 std::to_string(features.sample_rate) + " Hz; use vad = energy");
  }
  Ear& ear = ears_[slot.index];
  ear.frame_samples = std::uint64_t{features.hop_samples()} * features.stack_stride;
  // Windows are heard as they come, and judged no later than the rows of their frames are needed.
  ear.said.assign((rows * ear.frame_samples + FeatureStream::kWindowSamples) / Silero::kWindow + 4, -1.0F);
  slot.stream.tap(&ear.windows);
  restart(slot);
}

void SileroEars::restart(Slot& slot) noexcept {
  Ear& ear = ears_[slot.index];
  ear.windows.restart();
  ear.state.fill(0.0F);
  ear.judged = 0;
}

void SileroEars::hear(Slot* const* slots, std::size_t count) noexcept {
  for (bool more = true; more;) {
    more = false;
    std::size_t rows = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (slots[i] == nullptr) continue;
      Ear& ear = ears_[slots[i]->index];
      if (!ear.windows.complete()) continue;
      rows_[rows] = Silero::Row{ear.windows.front(), &ear.state, 0.0F};
      heard_[rows] = &ear;
      if (++rows == Silero::kMostRows) {
        compute(rows);
        rows = 0;
      }
      more = true;
    }
    if (rows != 0) compute(rows);
  }
}

void SileroEars::compute(std::size_t count) noexcept {
  if (!network_.run(rows_.data(), count) && !failed_) {
    failed_ = true;
    log_message(LogLevel::kError, "Silero's network failed; until it computes again nothing counts as silence");
  }
  for (std::size_t i = 0; i < count; ++i) {
    Ear& ear = *heard_[i];
    ear.said[ear.windows.taken() % ear.said.size()] = rows_[i].probability;
    ear.windows.pop();
  }
}

float SileroEars::probability(const Slot& slot) const noexcept {
  const Ear& ear = ears_[slot.index];
  return ear.judged < ear.windows.taken() ? ear.said[ear.judged % ear.said.size()] : -1.0F;
}

std::uint64_t SileroEars::frames_to_its_end(const Slot& slot) const noexcept {
  const Ear& ear = ears_[slot.index];
  return (ear.judged + 1) * Silero::kWindow / ear.frame_samples;
}

}  // namespace cosyvoice
