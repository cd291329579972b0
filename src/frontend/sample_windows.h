// A stream's samples at the model's rate, in windows that each begin with the end of the one before. Owned by one slot,
// touched by the Front-End thread alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cosyvoice {

class SampleWindows {
 public:
  /// `context` samples of the window before, `window` new ones. Whoever appends takes what is complete before
  /// `most_appended` more samples come.
  SampleWindows(std::size_t context, std::size_t window, std::size_t most_appended)
      : context_(context), window_(window), samples_(context + 2 * window + most_appended) {
    restart();
  }

  /// The stream begins anew: before its first sample was silence.
  void restart() noexcept {
    begin_ = 0;
    end_ = context_;
    taken_ = 0;
    std::fill_n(samples_.begin(), context_, 0.0F);
  }
  void append(const float* samples, std::size_t count) noexcept {
    if (samples_.size() - end_ < count) {
      std::copy(samples_.begin() + static_cast<std::ptrdiff_t>(begin_),
                samples_.begin() + static_cast<std::ptrdiff_t>(end_), samples_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    count = std::min(count, samples_.size() - end_);
    std::copy_n(samples, count, samples_.begin() + static_cast<std::ptrdiff_t>(end_));
    end_ += count;
  }

  bool complete() const noexcept { return end_ - begin_ >= context_ + window_; }
  const float* front() const noexcept { return samples_.data() + begin_; }  ///< [context + window], where complete()
  void pop() noexcept {
    begin_ += window_;
    ++taken_;
  }
  std::uint64_t taken() const noexcept { return taken_; }  ///< windows, since restart()

 private:
  std::size_t context_, window_;
  std::vector<float> samples_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace cosyvoice
