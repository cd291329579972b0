// Durations counted in logarithmic buckets: many threads add, anyone reads; nothing is allocated, nothing is locked.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cosyvoice/engine.h"

namespace cosyvoice {

/// Buckets of 1/16 octave (about 4 % wide) from 1 µs to over an hour; the mean and the maximum are exact, percentiles
/// (the sample of rank ⌈share · count⌉) are right to their bucket.
class DelayHistogram {
 public:
  /// A negative duration counts as 0.
  void add(std::int64_t ns) noexcept;
  /// While others add, a sample may be in the count and not yet in the mean.
  DelaySummary summary() const noexcept;
  /// Forgets everything, so that a measured run leaves its warm-up out. What others add meanwhile may be half
  /// forgotten.
  void clear() noexcept;

 private:
  static constexpr int kStepsPerOctave = 16;
  static constexpr int kOctaves = 32;
  static constexpr std::size_t kBuckets = std::size_t{kStepsPerOctave} * kOctaves;

  static std::size_t bucket_of(std::int64_t ns) noexcept;
  static double lower_ns(std::size_t bucket) noexcept;

  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> sum_ns_{0}, max_ns_{0};
};

}  // namespace cosyvoice
