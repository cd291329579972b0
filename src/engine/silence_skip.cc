#include "engine/silence_skip.h"

#include <algorithm>
#include <cmath>

#include "engine/slot_time.h"

namespace cosyvoice {
namespace {

/// So much speech is no click.
constexpr double kSureMs = 60.0;

std::uint32_t frames_of(const Manifest& manifest, double ms) noexcept {
  return static_cast<std::uint32_t>(std::ceil(ms / manifest.features.frame_ms()));
}

}  // namespace

std::uint32_t pre_roll_frames(const Manifest& manifest, const EngineOptions& options) noexcept {
  return options.vad == VadKind::kOff ? 0 : frames_of(manifest, options.vad_pre_roll_ms);
}

SilenceSkip::SilenceSkip(const EngineOptions& options)
    : kind_(options.vad),
      threshold_(options.vad_threshold > 0.0 ? static_cast<float>(options.vad_threshold) : EnergyVad::kThresholdDb),
      hangover_ms_(options.vad_hangover_ms),
      pre_roll_ms_(options.vad_pre_roll_ms) {}

void SilenceSkip::open(Slot& slot) const noexcept {
  const Manifest& manifest = manifest_of(slot);
  slot.energy.open(manifest.features.frame_ms(), threshold_);
  slot.speech.open(frames_of(manifest, hangover_ms_), frames_of(manifest, kSureMs));
}

void SilenceSkip::listen(Slot& slot, std::uint64_t until) const noexcept {
  listen(slot, until, false);
}

void SilenceSkip::listen(Slot& slot, std::uint64_t until, bool speech_is_enough) const noexcept {
  SpeechTrack& track = slot.speech;
  const std::uint64_t end = std::min(until, slot.stream.end());
  while (track.known() < end && track.onset() == nullptr) {
    const std::uint64_t frame = track.known();
    // What fills the last chunk before a mark is no audio, and would be taken for the line's noise.
    if (slot.stream.samples_needed(frame) > slot.stream.samples_read()) return;
    const bool speech = slot.energy.speech(slot.model->loudness.levels(slot.stream.features(frame)));
    track.add(speech);
    if (speech && speech_is_enough) return;
  }
}

SilenceSkip::Judgement SilenceSkip::judge(Slot& slot, bool no_more) const noexcept {
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
  if (slot.speech.known() >= needed) return {Fate::kSkip, needed};
  return {no_more ? Fate::kHear : Fate::kWait, chunk_end};
}

}  // namespace cosyvoice
