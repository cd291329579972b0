// One session's way from samples to feature frames; every buffer has its size from the start. The Front-End thread
// alone.
//
//   AudioRing ─ read_from ─► decode ─► resample ─► window buffer ─ (LogMel, lanes) ─► rows ─ stack ─► feature rows
//
// Counting restarts with restart(): native sample 0 is the first one read after it, frame 0 the first feature frame.
// Feature rows stay until release_before(), so that a step reads chunk and look-ahead in place, as one contiguous
// block.
//
// At the model's rate, with w and h samples in window and hop, mel frame m covers samples [m·h, m·h + w) where edges
// are `snip` and [m·h - w/2, m·h - w/2 + w), zeros before sample 0, where they are `centred`. Feature frame k joins mel
// frames k·stride … k·stride + frames - 1 of the stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bundle/manifest.h"
#include "cosyvoice/engine.h"
#include "frontend/audio_ring.h"
#include "frontend/resampler.h"
#include "frontend/sample_windows.h"
#include "frontend/utterance_audio.h"

namespace cosyvoice {

class FeatureStream {
 public:
  /// Bytes of memory for streams whose feature rows take `feature_bytes` (capacity × dim × 4).
  static std::size_t bytes_needed(std::size_t feature_bytes);
  /// `memory` of bytes_needed(feature_bytes), aligned to a cache line, is the caller's.
  FeatureStream(std::byte* memory, std::size_t feature_bytes);

  /// A new session. `features` must outlive it. `capacity` feature rows must fit in feature_bytes.
  /// Throws Error(kInvalidArgument).
  void open(const FeatureOptions& features, std::uint32_t sample_rate, Encoding encoding, std::size_t capacity);
  /// A new utterance: forgets samples, rows and counts. Only while no worker reads rows.
  void restart() noexcept;

  /// Copies of the session's samples, at the model's rate, go here as well; null: nowhere. Lasts until open().
  void tap(SampleWindows* windows) noexcept { tap_ = windows; }

  /// Reads from the ring what there is room for, but no sample whose session index is ≥ `limit`; `kept` gets them too.
  /// Returns samples consumed.
  std::size_t read_from(AudioRing& ring, std::uint64_t limit, UtteranceAudio* kept = nullptr) noexcept;
  /// Zero samples after the last one read (flushing the resampler), until feature frame `frames` - 1 is complete or the
  /// buffers are full.
  void pad_to(std::uint64_t frames) noexcept;

  /// Mel frames whose window is complete and whose row has room. For each: window(i), row(i), then frames_computed(n).
  std::size_t pending() const noexcept;
  const float* window(std::size_t index) const noexcept;
  float* row(std::size_t index) noexcept;
  void frames_computed(std::size_t count) noexcept;

  std::uint64_t begin() const noexcept { return begin_; }     ///< oldest feature frame kept
  std::uint64_t end() const noexcept;                         ///< one past the newest complete feature frame
  const float* features(std::uint64_t frame) const noexcept;  ///< rows from `frame` to end(), contiguous
  void release_before(std::uint64_t frame) noexcept;
  /// Moves rows to the front of the buffer. Only while no worker reads them (no chunk in flight).
  void compact() noexcept;

  /// Native samples since restart() that must have come for feature frame `frame` to be complete.
  std::uint64_t samples_needed(std::uint64_t frame) const noexcept;
  /// Feature frames that cover `samples` native samples: after padding, so many hold all of the audio. The smallest n
  /// such that, of the mel frames that n feature frames join, the last one's window reaches the end of the audio
  /// (`snip`) or the last one's centre lies in or after its last hop, counted from sample 0 (`centred`). 0 for no
  /// samples.
  std::uint64_t frames_covering(std::uint64_t samples) const noexcept;
  std::uint64_t samples_read() const noexcept { return samples_read_; }  ///< native, since restart(), without padding

  /// Room for a lone stream to fill 16 lanes with windows and hops of up to 512 and 256 samples.
  static constexpr std::size_t kWindowSamples = 512 + 16 * 256;

 private:
  /// Where stacks overlap, completing the last of `capacity` rows begins up to so many values of later ones.
  static constexpr std::size_t kSpareFloats = 4096;

  std::uint64_t mel_frame(std::uint64_t used) const noexcept;
  std::uint64_t rows_end() const noexcept { return base_ + capacity_; }
  std::size_t make_room() noexcept;
  void append(const float* samples, std::size_t count) noexcept;

  float* samples_;  // [kWindowSamples], at the model's rate
  float* rows_;     // [capacity_][dim_], spare rows included
  std::size_t feature_bytes_;

  // Of the session.
  std::uint64_t window_ = 1, hop_ = 1, lead_ = 0;  // lead: zeros before sample 0
  std::uint64_t bins_ = 0, dim_ = 0, stack_ = 1, stride_ = 1, capacity_ = 0;
  Encoding encoding_ = Encoding::kS16le;
  Resampler resampler_;
  SampleWindows* tap_ = nullptr;

  // Since restart(). Positions at the model's rate count from the first sample of mel frame 0's window.
  std::uint64_t samples_read_ = 0, samples_padded_ = 0;  // native
  std::uint64_t position_ = 0;                           // of samples_[0]
  std::size_t filled_ = 0;
  std::uint64_t computed_ = 0;  // mel frames, of those that a feature frame uses
  std::uint64_t begin_ = 0;     // oldest feature frame kept
  std::uint64_t base_ = 0;      // feature frame of rows_[0]
};

}  // namespace cosyvoice
