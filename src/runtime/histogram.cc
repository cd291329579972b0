#include "runtime/histogram.h"

#include <algorithm>
#include <cmath>

#include "runtime/clock.h"

namespace cosyvoice {
namespace {

constexpr double kFirstNs = 1000.0;  // bucket 0 begins here; what is shorter is counted in it

}  // namespace

std::size_t DelayHistogram::bucket_of(std::int64_t ns) noexcept {
  if (static_cast<double>(ns) <= kFirstNs) return 0;
  const double steps = std::log2(static_cast<double>(ns) / kFirstNs) * kStepsPerOctave;
  return std::min(static_cast<std::size_t>(steps), kBuckets - 1);
}

double DelayHistogram::lower_ns(std::size_t bucket) noexcept {
  return bucket == 0 ? 0.0 : kFirstNs * std::exp2(static_cast<double>(bucket) / kStepsPerOctave);
}

void DelayHistogram::add(std::int64_t ns) noexcept {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
  buckets_[bucket_of(ns)].fetch_add(1, std::memory_order_relaxed);
  sum_ns_.fetch_add(value, std::memory_order_relaxed);
  std::uint64_t highest = max_ns_.load(std::memory_order_relaxed);
  while (value > highest && !max_ns_.compare_exchange_weak(highest, value, std::memory_order_relaxed)) {
  }
}

DelaySummary DelayHistogram::summary() const noexcept {
  // Read once, so that both percentiles are of one set of samples although others add meanwhile.
  std::array<std::uint64_t, kBuckets> counts;
  DelaySummary summary;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    counts[i] = buckets_[i].load(std::memory_order_relaxed);
    summary.count += counts[i];
  }
  if (summary.count == 0) return summary;
  const auto max_ns = static_cast<double>(max_ns_.load(std::memory_order_relaxed));
  const auto percentile_ms = [&](double share) {
    // The sample of rank ceil(share · count), taken to be in the middle of its place among those of its bucket.
    const double rank = std::max(1.0, std::ceil(share * static_cast<double>(summary.count)));
    if (rank >= static_cast<double>(summary.count)) return max_ns / static_cast<double>(kNsPerMs);
    double before = 0.0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const auto here = static_cast<double>(counts[i]);
      if (before + here >= rank) {
        const double low = lower_ns(i), high = lower_ns(i + 1);
        return std::min(low + (high - low) * (rank - before - 0.5) / here, max_ns) / static_cast<double>(kNsPerMs);
      }
      before += here;
    }
    return max_ns / static_cast<double>(kNsPerMs);
  };
  summary.mean = static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) / static_cast<double>(summary.count) /
                 static_cast<double>(kNsPerMs);
  summary.p50 = percentile_ms(0.50);
  summary.p99 = percentile_ms(0.99);
  summary.max = max_ns / static_cast<double>(kNsPerMs);
  return summary;
}

void DelayHistogram::clear() noexcept {
  for (auto& bucket : buckets_) bucket.store(0, std::memory_order_relaxed);
  sum_ns_.store(0, std::memory_order_relaxed);
  max_ns_.store(0, std::memory_order_relaxed);
}

}  // namespace cosyvoice
