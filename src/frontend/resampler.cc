#include "frontend/resampler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "frontend/lane_choice.h"
#include "frontend/resampler_filter.h"

namespace cosyvoice {

Resampler::Resampler() {
  const std::size_t most_taps = 2 * ResamplerFilter::half_width_for(static_cast<double>(kMaxRate) / kMinRate);
  history_.resize(most_taps + kMaxInput);
}

void Resampler::open(std::shared_ptr<const ResamplerFilter> filter) {
  filter_ = std::move(filter);
  reset();
}

void Resampler::reset() noexcept {
  position_ = {};
  // Output 0 lies on input 0, which has half_width - 1 inputs before it.
  filled_ = filter_ == nullptr ? 0 : filter_->half_width - 1;
  std::fill_n(history_.begin(), filled_, 0.0F);
}

std::size_t Resampler::max_output(std::size_t count) const noexcept {
  // `count` inputs span count · L / M output periods, into which at most the next whole number of outputs falls.
  return filter_ == nullptr ? count : (count * filter_->up + filter_->down - 1) / filter_->down;
}

std::size_t Resampler::inputs_fitting(std::size_t room) const noexcept {
  return std::min(kMaxInput, filter_ == nullptr ? room : room * filter_->down / filter_->up);
}

std::size_t Resampler::process(const float* in, std::size_t count, float* out) noexcept {
  if (filter_ == nullptr) {
    if (count > 0) std::memcpy(out, in, count * sizeof(float));
    return count;
  }
  std::copy_n(in, count, history_.begin() + static_cast<std::ptrdiff_t>(filled_));
  filled_ += count;
  const std::size_t written = lane_kernels().polyphase(filter_->plan(), history_.data(), filled_, position_, out);
  const std::size_t done = std::min(position_.start, filled_);
  std::memmove(history_.data(), history_.data() + done, (filled_ - done) * sizeof(float));
  filled_ -= done;
  position_.start -= done;
  return written;
}

std::uint64_t Resampler::inputs_needed(std::uint64_t output) const noexcept {
  if (filter_ == nullptr) return output + 1;
  return output * filter_->down / filter_->up + filter_->half_width + 1;
}

std::uint64_t Resampler::outputs_covering(std::uint64_t inputs) const noexcept {
  if (filter_ == nullptr) return inputs;
  return (inputs * filter_->up + filter_->down - 1) / filter_->down;
}

}  // namespace cosyvoice
