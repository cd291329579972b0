// Durations counted in logarithmic buckets: many threads add, anyone reads; nothing is allocated, nothing is locked.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "cosyvoice/engine.h"

namespace cosyvoice {

/// Buckets of 1/16 octave (about 4 % wide) from 1 µs to over an hour; the mean and the maximum are exact.
class DelayHistogram {
 public:
  void add(std::int64_t ns) noexcept;
  DelaySummary summary() const noexcept;
  /// Forgets everything, so that a measured run leaves its warm-up out.
  void clear() noexcept;

 private:
  static constexpr int kStepsPerOctave = 16;
  static constexpr int kOctaves = 32;
  std::array<std::atomic<std::uint64_t>, kStepsPerOctave * kOctaves> buckets_{};
  std::atomic<std::uint64_t> count_{0}, sum_ns_{0}, max_ns_{0};
};

}  // namespace cosyvoice
