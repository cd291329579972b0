#include "frontend/utterance_audio.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "frontend/pcm_decoder.h"
#include "runtime/cache_line.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kPage = 4096;
/// Beside max_utterance: the hard limit after it, silence that is kept before the first word, chunks that are read
/// ahead. Pages that are never touched cost nothing.
constexpr std::int64_t kSpareMs = 25000;
/// Moving less than this to the front is not worth it.
constexpr std::size_t kLeastMove = UtteranceAudio::kRate;
constexpr std::size_t kMostUpsampling = 2;  // sessions have 8000 Hz or more

}  // namespace

std::size_t UtteranceAudio::bytes_needed(std::int32_t max_utterance_ms) {
  const auto samples = static_cast<std::size_t>(max_utterance_ms + kSpareMs) * kPerMs;
  return round_up(samples * sizeof(std::int16_t), kPage);
}

UtteranceAudio::UtteranceAudio(std::byte* memory, std::size_t bytes)
    : samples_(reinterpret_cast<std::int16_t*>(memory)), capacity_(bytes / sizeof(std::int16_t)) {
  if (enabled()) resampler_.emplace();
}

void UtteranceAudio::open(std::uint32_t sample_rate) {
  if (!enabled()) return;
  rate_ = sample_rate;
  resampler_->open(resampler_filter(sample_rate, kRate));
  position_ = 0;
  begin_ = end_ = 0;
}

void UtteranceAudio::append(const float* samples, std::size_t count) noexcept {
  if (!enabled()) return;
  float resampled[kMostUpsampling * Resampler::kMaxInput];
  make_room(resampler_->max_output(count));
  const std::size_t written = resampler_->process(samples, count, resampled);
  float_to_s16(resampled, written, samples_ + end_);
  end_ += written;
}

void UtteranceAudio::skip_to(std::uint64_t sample) noexcept {
  if (!enabled()) return;
  resampler_->reset();
  position_ = sample * kRate / rate_;
  begin_ = end_ = 0;
}

void UtteranceAudio::forget_before(std::int64_t ms) noexcept {
  const std::uint64_t target = static_cast<std::uint64_t>(std::max<std::int64_t>(ms, 0)) * kPerMs;
  if (!enabled() || target <= position_) return;
  const std::size_t forgotten = static_cast<std::size_t>(std::min<std::uint64_t>(target - position_, end_ - begin_));
  begin_ += forgotten;
  position_ += forgotten;
  if (begin_ >= kLeastMove && begin_ >= end_ - begin_) move_to_front();
}

UtteranceAudio::Span UtteranceAudio::between(std::int64_t begin_ms, std::int64_t end_ms) const noexcept {
  const std::uint64_t begin = static_cast<std::uint64_t>(std::max<std::int64_t>(begin_ms, 0)) * kPerMs;
  const std::uint64_t end =
      std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(end_ms, 0)) * kPerMs, position_ + (end_ - begin_));
  if (!enabled() || begin < position_ || end < begin) return {};
  return {samples_ + begin_ + (begin - position_), static_cast<std::size_t>(end - begin)};
}

void UtteranceAudio::make_room(std::size_t count) noexcept {
  if (capacity_ - end_ >= count) return;
  const std::size_t lost = std::min(end_ - begin_, capacity_ / 4);
  if (begin_ < count) {
    begin_ += lost;
    position_ += lost;
  }
  move_to_front();
}

void UtteranceAudio::move_to_front() noexcept {
  const std::size_t kept = end_ - begin_;
  std::memmove(samples_, samples_ + begin_, kept * sizeof(std::int16_t));
  const std::size_t used = round_up(kept * sizeof(std::int16_t), kPage);
  const std::size_t touched = round_up(end_ * sizeof(std::int16_t), kPage);
  madvise(reinterpret_cast<std::byte*>(samples_) + used, touched - used, MADV_DONTNEED);
  begin_ = 0;
  end_ = kept;
}

}  // namespace cosyvoice
