#include "frontend/feature_stream.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "frontend/pcm_decoder.h"
#include "runtime/cache_line.h"

namespace cosyvoice {
namespace {

constexpr std::uint64_t ceil_div(std::uint64_t value, std::uint64_t by) {
  return (value + by - 1) / by;
}

}  // namespace

std::size_t FeatureStream::bytes_needed(std::size_t feature_bytes) {
  return (kWindowSamples + kSpareFloats) * sizeof(float) + round_up(feature_bytes, kCacheLine);
}

FeatureStream::FeatureStream(std::byte* memory, std::size_t feature_bytes)
    : samples_(reinterpret_cast<float*>(memory)), rows_(samples_ + kWindowSamples), feature_bytes_(feature_bytes) {}

void FeatureStream::open(const FeatureOptions& features, std::uint32_t sample_rate, Encoding encoding,
                         std::size_t capacity) {
  const std::size_t wanted = capacity * features.dim() * sizeof(float);
  if (capacity == 0 || wanted > feature_bytes_) {
    throw Error(ErrorCode::kInvalidArgument, "a feature buffer of " + std::to_string(capacity) + " rows takes " +
                                                 std::to_string(wanted) + " bytes, the stream has " +
                                                 std::to_string(feature_bytes_) + ": 1 row or more, within them");
  }
  const std::size_t spare = ceil_div(features.stack_frames, features.stack_stride) - 1;
  if (spare * features.dim() > kSpareFloats) {
    throw Error(ErrorCode::kInvalidArgument, "a stack of " + std::to_string(features.stack_frames) + " frames every " +
                                                 std::to_string(features.stack_stride) + " overlaps in " +
                                                 std::to_string(spare * features.dim()) + " values, the stream takes " +
                                                 std::to_string(kSpareFloats) + ": raise the stride");
  }
  if (features.window_samples() > kWindowSamples / 2 || features.hop_samples() == 0) {
    throw Error(ErrorCode::kInvalidArgument, "a window of " + std::to_string(features.window_samples()) +
                                                 " samples every " + std::to_string(features.hop_samples()) +
                                                 ": the Front-End takes windows of up to " +
                                                 std::to_string(kWindowSamples / 2) + " every 1 or more");
  }
  resampler_.open(resampler_filter(sample_rate, features.sample_rate));
  encoding_ = encoding;
  tap_ = nullptr;
  window_ = features.window_samples();
  hop_ = features.hop_samples();
  lead_ = features.edges == Edges::kCentred ? window_ / 2 : 0;
  bins_ = features.mel.bins;
  dim_ = features.dim();
  stack_ = features.stack_frames;
  stride_ = features.stack_stride;
  capacity_ = capacity + spare;
  restart();
}

void FeatureStream::restart() noexcept {
  resampler_.reset();
  samples_read_ = samples_padded_ = 0;
  position_ = 0;
  filled_ = static_cast<std::size_t>(lead_);
  std::fill_n(samples_, filled_, 0.0F);
  computed_ = begin_ = base_ = 0;
}

// Mel frames that fall between stacks (stride > frames) are never computed; the others are numbered without gaps.
std::uint64_t FeatureStream::mel_frame(std::uint64_t used) const noexcept {
  return stride_ <= stack_ ? used : used / stack_ * stride_ + used % stack_;
}

/// Drops samples before the next window when little room is left; returns the room.
std::size_t FeatureStream::make_room() noexcept {
  const std::uint64_t next = mel_frame(computed_) * hop_;
  const std::size_t room = kWindowSamples - filled_;
  if (next <= position_ || room > kWindowSamples / 4) return room;
  const std::size_t done = std::min(filled_, static_cast<std::size_t>(next - position_));
  std::memmove(samples_, samples_ + done, (filled_ - done) * sizeof(float));
  filled_ -= done;
  position_ += done;
  return kWindowSamples - filled_;
}

void FeatureStream::append(const float* samples, std::size_t count) noexcept {
  const std::size_t written = resampler_.process(samples, count, samples_ + filled_);
  if (tap_ != nullptr) tap_->append(samples_ + filled_, written);
  filled_ += written;
}

std::size_t FeatureStream::read_from(AudioRing& ring, std::uint64_t limit, UtteranceAudio* kept) noexcept {
  float decoded[Resampler::kMaxInput];
  std::size_t total = 0;
  for (;;) {
    const std::uint64_t index = ring.read();
    const AudioRing::Span span = ring.readable();
    const std::uint64_t allowed = limit > index ? limit - index : 0;
    std::size_t count = std::min(span.samples, resampler_.inputs_fitting(make_room()));
    if (count > allowed) count = static_cast<std::size_t>(allowed);
    if (count == 0) return total;
    decode_pcm(encoding_, span.data, count, decoded);
    append(decoded, count);
    if (kept != nullptr) kept->append(decoded, count);
    ring.consume(count);
    samples_read_ += count;
    total += count;
  }
}

void FeatureStream::pad_to(std::uint64_t frames) noexcept {
  static constexpr float kSilence[Resampler::kMaxInput] = {};
  if (frames == 0) return;
  const std::uint64_t target = samples_needed(frames - 1);
  for (;;) {
    const std::uint64_t given = samples_read_ + samples_padded_;
    if (given >= target) return;
    std::size_t count = resampler_.inputs_fitting(make_room());
    if (count > target - given) count = static_cast<std::size_t>(target - given);
    if (count == 0) return;
    append(kSilence, count);
    samples_padded_ += count;
  }
}

std::size_t FeatureStream::pending() const noexcept {
  const std::uint64_t samples = position_ + filled_;
  std::size_t count = 0;
  for (;; ++count) {
    const std::uint64_t mel = mel_frame(computed_ + count);
    // The row of the newest feature frame that joins this mel frame must have room, and its oldest one must be there.
    if (mel * hop_ + window_ > samples || mel / stride_ >= rows_end()) return count;
  }
}

const float* FeatureStream::window(std::size_t index) const noexcept {
  return samples_ + (mel_frame(computed_ + index) * hop_ - position_);
}

// Written first into the oldest feature frame that joins it; frames_computed() copies it to the others.
float* FeatureStream::row(std::size_t index) noexcept {
  const std::uint64_t mel = mel_frame(computed_ + index);
  const std::uint64_t oldest = mel < stack_ ? 0 : (mel - stack_) / stride_ + 1;
  return rows_ + (oldest - base_) * dim_ + (mel - oldest * stride_) * bins_;
}

void FeatureStream::frames_computed(std::size_t count) noexcept {
  if (stack_ > stride_) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t mel = mel_frame(computed_ + i);
      const float* source = row(i);
      const std::uint64_t oldest = mel < stack_ ? 0 : (mel - stack_) / stride_ + 1;
      for (std::uint64_t frame = oldest + 1; frame * stride_ <= mel; ++frame) {
        std::memcpy(rows_ + (frame - base_) * dim_ + (mel - frame * stride_) * bins_, source, bins_ * sizeof(float));
      }
    }
  }
  computed_ += count;
}

std::uint64_t FeatureStream::end() const noexcept {
  if (stride_ > stack_) return computed_ / stack_;
  return computed_ < stack_ ? 0 : (computed_ - stack_) / stride_ + 1;
}

const float* FeatureStream::features(std::uint64_t frame) const noexcept {
  return rows_ + (frame - base_) * dim_;
}

void FeatureStream::release_before(std::uint64_t frame) noexcept {
  begin_ = std::clamp(frame, begin_, end());
}

void FeatureStream::compact() noexcept {
  if (begin_ == base_) return;
  // Rows past end() may hold the first mel frames of features to come: they move too.
  const std::uint64_t touched = computed_ == 0 ? 0 : mel_frame(computed_ - 1) / stride_ + 1;
  const std::uint64_t kept = touched > begin_ ? touched - begin_ : 0;
  std::memmove(rows_, rows_ + (begin_ - base_) * dim_, static_cast<std::size_t>(kept * dim_) * sizeof(float));
  base_ = begin_;
}

std::uint64_t FeatureStream::samples_needed(std::uint64_t frame) const noexcept {
  // The last mel frame's window, in samples from position 0, and w > lead.
  const std::uint64_t samples = (frame * stride_ + stack_ - 1) * hop_ + window_;
  return resampler_.inputs_needed(samples - lead_ - 1);
}

std::uint64_t FeatureStream::frames_covering(std::uint64_t samples) const noexcept {
  const std::uint64_t audio = resampler_.outputs_covering(samples);
  if (audio == 0) return 0;
  std::uint64_t mel_frames = ceil_div(audio, hop_);
  if (lead_ == 0) mel_frames = audio <= window_ ? 1 : ceil_div(audio - window_, hop_) + 1;
  return mel_frames <= stack_ ? 1 : ceil_div(mel_frames - stack_, stride_) + 1;
}

}  // namespace cosyvoice
