#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "runtime/histogram.h"

using cosyvoice::DelayHistogram;
using cosyvoice::DelaySummary;

namespace {

/// One bucket's ratio, with a little for rounding.
const double kBucket = std::exp2(1.0 / 16.0) * 1.0001;

double sorted_percentile_ms(std::vector<std::int64_t> ns, double share) {
  std::sort(ns.begin(), ns.end());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * static_cast<double>(ns.size()))));
  return static_cast<double>(ns[rank - 1]) / 1e6;
}

void check_against_sorted(const std::vector<std::int64_t>& ns) {
  DelayHistogram histogram;
  double sum = 0.0;
  for (const std::int64_t each : ns) {
    histogram.add(each);
    sum += static_cast<double>(each);
  }
  const DelaySummary summary = histogram.summary();
  const double p50 = sorted_percentile_ms(ns, 0.50), p99 = sorted_percentile_ms(ns, 0.99);
  CHECK(summary.count == ns.size());
  CHECK(summary.mean == doctest::Approx(sum / static_cast<double>(ns.size()) / 1e6));
  CHECK(summary.max == doctest::Approx(static_cast<double>(*std::max_element(ns.begin(), ns.end())) / 1e6));
  CHECK(summary.p50 <= p50 * kBucket);
  CHECK(summary.p50 >= p50 / kBucket);
  CHECK(summary.p99 <= p99 * kBucket);
  CHECK(summary.p99 >= p99 / kBucket);
  CHECK(summary.p50 <= summary.p99);
  CHECK(summary.p99 <= summary.max);
}

}  // namespace

TEST_CASE("nothing added: everything is zero") {
  const DelaySummary summary = DelayHistogram().summary();
  CHECK(summary.count == 0);
  CHECK(summary.mean == 0.0);
  CHECK(summary.p50 == 0.0);
  CHECK(summary.p99 == 0.0);
  CHECK(summary.max == 0.0);
}

TEST_CASE("one sample is within a bucket of itself and never above the maximum") {
  for (const std::int64_t ns : {1'500LL, 1'000'000LL, 12'345'678LL, 3'600'000'000'000LL}) check_against_sorted({ns});
}

TEST_CASE("percentiles agree with sorted samples to a bucket's width") {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> skewed(std::log(8e6), 1.2);
  std::uniform_real_distribution<double> flat(2e3, 4e7);
  for (const std::size_t count : {2U, 10U, 99U, 100U, 101U, 5'000U}) {
    CAPTURE(count);
    std::vector<std::int64_t> a(count), b(count);
    for (auto& each : a) each = std::max<std::int64_t>(1'000, std::llround(skewed(random)));
    for (auto& each : b) each = std::llround(flat(random));
    check_against_sorted(a);
    check_against_sorted(b);
  }
}

TEST_CASE("what lies outside the buckets counts in the first or the last") {
  DelayHistogram histogram;
  histogram.add(-5);
  histogram.add(0);
  histogram.add(999);
  const DelaySummary low = histogram.summary();
  CHECK(low.count == 3);
  CHECK(low.p99 <= 999e-6);
  CHECK(low.mean == doctest::Approx(333e-6));
  histogram.clear();
  histogram.add(INT64_MAX / 4);
  const DelaySummary high = histogram.summary();
  CHECK(high.count == 1);
  CHECK(high.max == doctest::Approx(static_cast<double>(INT64_MAX / 4) / 1e6));
  CHECK(high.p50 > 3'600'000.0);
}

TEST_CASE("clear forgets everything") {
  DelayHistogram histogram;
  histogram.add(5'000'000);
  histogram.clear();
  CHECK(histogram.summary().count == 0);
  CHECK(histogram.summary().max == 0.0);
  histogram.add(1'000'000);
  CHECK(histogram.summary().max == doctest::Approx(1.0));
}

TEST_CASE("many threads add and one reads: no sample is lost") {
  constexpr int kThreads = 4, kSamples = 20'000;
  DelayHistogram histogram;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kSamples; ++i) histogram.add((t * kSamples + i) * 1'000LL);
    });
  }
  std::uint64_t before = 0;
  bool shrank = false;
  while (before < 1'000) {
    const std::uint64_t now = histogram.summary().count;
    shrank |= now < before;
    before = now;
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(shrank);
  const DelaySummary summary = histogram.summary();
  CHECK(summary.count == kThreads * kSamples);
  CHECK(summary.max == doctest::Approx(79.999));
  CHECK(summary.mean == doctest::Approx(39.9995));
}

TEST_CASE("of few samples the highest percentile is the largest, exactly") {
  cosyvoice::DelayHistogram histogram;
  histogram.add(28'700'000);
  CHECK(histogram.summary().p50 == doctest::Approx(28.7));
  CHECK(histogram.summary().p99 == doctest::Approx(28.7));
  histogram.add(3'000'000);
  CHECK(histogram.summary().p50 < 3.2);
  CHECK(histogram.summary().p99 == doctest::Approx(28.7));
}
