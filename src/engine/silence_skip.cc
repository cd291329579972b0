#include "engine/silence_skip.h"

#include <algorithm>
#include <cmath>

#include "engine/slot_time.h"

namespace cosyvoice {
namespace {

/// So much speech is no click.
constexpr double kSureMs = 60.0;
constexpr float kSileroThreshold = 0.5F;
/// Within speech a lower probability is enough.
constexpr float kHysteresis = 0.15F;

std::uint32_t frames_of(const Manifest& manifest, double ms) noexcept {
  return static_cast<std::uint32_t>(std::ceil(ms / manifest.features.frame_ms()));
}

}  // namespace

std::uint32_t pre_roll_frames(const Manifest& manifest, const EngineOptions& options) noexcept {
  return options.vad == VadKind::kOff ? 0 : frames_of(manifest, options.vad_pre_roll_ms);
}

SilenceSkip::SilenceSkip(const EngineOptions& options)
    : kind_(options.vad),
      threshold_(options.vad_threshold > 0.0 ? static_cast<float>(options.vad_threshold)
                 : kind_ == VadKind::kSilero ? kSileroThreshold
                                             : EnergyVad::kThresholdDb),
      hangover_ms_(options.vad_hangover_ms),
      pre_roll_ms_(options.vad_pre_roll_ms) {
  if (kind_ == VadKind::kSilero) silero_ = std::make_unique<SileroEars>(options.vad_model, options.max_stream);
}

void SilenceSkip::open(Slot& slot, std::size_t rows) {
  if (silero_) silero_->open(slot, rows);
  const Manifest& manifest = manifest_of(slot);
  slot.energy.open(manifest.features.frame_ms(), threshold_);
  slot.speech.open(frames_of(manifest, hangover_ms_), frames_of(manifest, kSureMs));
}

void SilenceSkip::restart(Slot& slot) noexcept {
  slot.speech.restart();
  if (silero_) silero_->restart(slot);
}

void SilenceSkip::listen(Slot& slot, std::uint64_t until, bool ahead) noexcept {
  while (slot.speech.known() < until && slot.speech.onset() == nullptr) {
    const std::uint64_t known = slot.speech.known();
    if (!listen_on(slot, until, ahead)) return;
    if (ahead && !slot.speech.silent_from(known)) return;
  }
}

bool SilenceSkip::listen_on(Slot& slot, std::uint64_t until, bool ahead) noexcept {
  const std::uint64_t known = slot.speech.known();
  // What fills the last chunk before a mark is no audio, and would be taken for the line's noise.
  const auto is_audio = [&slot](std::uint64_t frames) {
    return slot.stream.samples_needed(frames - 1) <= slot.stream.samples_read();
  };
  if (kind_ == VadKind::kEnergy) {
    if (slot.stream.end() <= known || !is_audio(known + 1)) return false;
    slot.speech.add(slot.energy.speech(slot.model->loudness.levels(slot.stream.features(known))));
    return true;
  }
  const float probability = silero_->probability(slot);
  const std::uint64_t frames = silero_->frames_to_its_end(slot);
  // A window that reaches past the chunk is judged with the next, whether it was heard early or late.
  if (probability < 0.0F || (!ahead && frames > until) || (frames > known && !is_audio(frames))) return false;
  const float least = slot.speech.speaking() ? threshold_ - kHysteresis : threshold_;
  slot.speech.add(probability >= least, frames - known);
  silero_->judged(slot);
  return true;
}

SilenceSkip::Judgement SilenceSkip::judge(Slot& slot, bool no_more) noexcept {
  const Manifest& manifest = manifest_of(slot);
  const std::uint64_t begin = slot.front.next_frame, end = begin + slot.chunk_frames;
  const std::uint64_t chunk_end = end + manifest.network.look_ahead;
  const Judgement hear{Fate::kHear, chunk_end};
  if (!slot.speech.silent_from(begin)) return hear;
  // What the network has not answered yet would be lost; and it has a say in where the utterance ends.
  if (slot.result.quiet_ms < manifest.network.tail_padding_ms) return hear;
  if (slot.result.silence_left_ms <= std::int64_t{manifest.chunk_ms(slot.chunk_frames)}) return hear;

  const std::uint64_t needed = std::max(chunk_end, end + frames_of(manifest, pre_roll_ms_));
  listen(slot, needed, true);
  if (!slot.speech.silent_from(begin)) return {Fate::kHear, std::max(chunk_end, slot.speech.known())};
  if (slot.speech.known() >= needed) return {Fate::kSkip, slot.speech.known()};
  return {no_more ? Fate::kHear : Fate::kWait, chunk_end};
}

}  // namespace cosyvoice
