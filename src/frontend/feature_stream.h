// One session's way from samples to feature frames; every buffer has its size from the start. The Front-End thread alone.
//
//   AudioRing ─ read_from ─► decode ─► resample ─► window buffer ─ (LogMel, lanes) ─► rows ─ stack ─► feature rows
//
// Counting restarts with restart(): native sample 0 is the first one read after it, frame 0 the first feature frame.
// Feature rows stay until release_before(), so that a step reads chunk and look-ahead in place, as one contiguous block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bundle/manifest.h"
#include "cosyvoice/engine.h"
#include "frontend/audio_ring.h"
#include "frontend/resampler.h"

namespace cosyvoice {

class FeatureStream {
 public:
  /// Bytes of memory for streams whose feature rows take `feature_bytes` (capacity × dim × 4).
  static std::size_t bytes_needed(std::size_t feature_bytes);
  FeatureStream(std::byte* memory, std::size_t feature_bytes);

  /// A new session. `features` must outlive it. `capacity` feature rows must fit in feature_bytes.
  void open(const FeatureOptions& features, std::uint32_t sample_rate, Encoding encoding, std::size_t capacity);
  void restart() noexcept;

  /// Reads from the ring what there is room for, but no sample whose session index is ≥ `limit`. Returns samples consumed.
  std::size_t read_from(AudioRing& ring, std::uint64_t limit) noexcept;
  /// Zero samples after the last one read (flushing the resampler), until feature frame `frames` - 1 is complete or the buffers are full.
  void pad_to(std::uint64_t frames) noexcept;

  /// Mel frames whose window is complete and whose row has room. For each: window(i), row(i), then frames_computed(n).
  std::size_t pending() const noexcept;
  const float* window(std::size_t index) const noexcept;
  float* row(std::size_t index) noexcept;
  void frames_computed(std::size_t count) noexcept;

  std::uint64_t begin() const noexcept;                       ///< oldest feature frame kept
  std::uint64_t end() const noexcept;                         ///< one past the newest complete feature frame
  const float* features(std::uint64_t frame) const noexcept;  ///< rows from `frame` to end(), contiguous
  void release_before(std::uint64_t frame) noexcept;
  /// Moves rows to the front of the buffer. Only while no worker reads them (no chunk in flight).
  void compact() noexcept;

  /// Native samples since restart() that must have come for feature frame `frame` to be complete.
  std::uint64_t samples_needed(std::uint64_t frame) const noexcept;
  /// Feature frames that cover `samples` native samples: after padding, so many hold all of the audio.
  std::uint64_t frames_covering(std::uint64_t samples) const noexcept;
  std::uint64_t samples_read() const noexcept;                ///< native, since restart(), padding not counted
  // ... private members are the implementer's
};

}  // namespace cosyvoice
