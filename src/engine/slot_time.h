// Frames, samples and milliseconds of a slot's session. The Front-End thread alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/model_registry.h"
#include "engine/slot.h"
#include "runtime/clock.h"

namespace cosyvoice {

inline const Manifest& manifest_of(const Slot& slot) noexcept {
  return slot.model->model->manifest();
}

inline std::int64_t sample_ms(const Slot& slot, std::uint64_t sample) noexcept {
  return static_cast<std::int64_t>(sample * 1000 / slot.options.sample_rate);
}

/// The shortest audio of whole milliseconds that has `samples`.
inline std::int64_t whole_ms(const Slot& slot, std::uint64_t samples) noexcept {
  return static_cast<std::int64_t>((samples * 1000 + slot.options.sample_rate - 1) / slot.options.sample_rate);
}

inline double frame_ms(const Slot& slot) noexcept {
  const FeatureOptions& features = manifest_of(slot).features;
  return features.hop_ms * features.stack_stride;
}

/// The feature frames that the audio before a mark needs: all of it, and the padding that lets the last word out.
inline std::uint64_t frames_to_cover(const Slot& slot) noexcept {
  const std::uint64_t samples = slot.stream.samples_read();
  if (samples == 0) return 0;
  const double padding = std::ceil(manifest_of(slot).network.tail_padding_ms / frame_ms(slot));
  return slot.stream.frames_covering(samples) + static_cast<std::uint64_t>(padding);
}

/// Feature frames that the next chunk reads to.
inline std::uint64_t chunk_end(const Slot& slot) noexcept {
  return slot.front.next_frame + slot.chunk_frames + manifest_of(slot).network.look_ahead;
}

/// The session sample before which feature frame `frames` - 1 was complete; of a padded frame, the end of the audio.
inline std::uint64_t session_sample(const Slot& slot, std::uint64_t frames) noexcept {
  return std::min(slot.front.stream_start + slot.stream.samples_needed(frames - 1), slot.ring.read());
}

/// When the last of the session's first `samples` came.
inline std::int64_t arrival_ns(Slot& slot, std::uint64_t samples) noexcept {
  if (slot.options.priority == Priority::kBatch || samples == 0) return now_ns();
  return slot.ring.arrival_ns(samples - 1);
}

}  // namespace cosyvoice
