#include "frontend/log_mel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "configurations.h"
#include "cosyvoice/engine.h"
#include "frontend/mel_filters.h"

using namespace cosyvoice;
using namespace cosyvoice::test;

namespace {

struct Named {
  const char* name;
  FeatureOptions options;
};

std::vector<Named> all_configurations() {
  std::vector<Named> all = {{"en", en_features()}, {"en-lite", en_lite_features()}, {"kaldi", kaldi_features()}};
  FeatureOptions hamming = en_features();
  hamming.window = WindowKind::kHamming;
  hamming.spectrum = SpectrumKind::kMagnitude;
  hamming.mel.bins = 40;
  hamming.mel.scale = MelScale::kSlaney;
  hamming.mel.triangles = MelTriangles::kMel;
  hamming.log = LogKind::kLn;
  hamming.floor = 1e-5;
  all.push_back({"hamming, magnitude", hamming});
  return all;
}

using Rows = std::vector<std::vector<float>>;

/// `frames` of `signal`, `count` at a time.
Rows features_of(const FeatureOptions& options, const LaneKernels& kernels, const std::vector<float>& signal,
                 std::size_t frames, std::size_t count) {
  LogMel log_mel(options);
  Rows rows(frames, std::vector<float>(log_mel.bins()));
  for (std::size_t first = 0; first < frames; first += count) {
    const float* pointers[LogMel::kLanes];
    float* outputs[LogMel::kLanes];
    const std::size_t taken = std::min(count, frames - first);
    for (std::size_t i = 0; i < taken; ++i) {
      pointers[i] = signal.data() + (first + i) * log_mel.hop_samples();
      outputs[i] = rows[first + i].data();
    }
    log_mel.compute_with(kernels, pointers, taken, outputs);
  }
  return rows;
}

template <class Check>
void for_each_variant(const Check& check) {
  const LaneKernelList list = available_lane_kernels();
  for (std::size_t i = 0; i < list.count; ++i) check(*list.items[i]);
}

}  // namespace

TEST_CASE("every variant of the kernels agrees with the plain definition within 1e-4") {
  constexpr std::size_t kFrames = 40;
  const std::vector<float> signals[] = {speech_like(kFrames * 256 + 512, 16000, 3),
                                        white_noise(kFrames * 256 + 512, 0.1, 4),
                                        std::vector<float>(kFrames * 256 + 512, 0.0F)};
  for (const Named& configuration : all_configurations()) {
    CAPTURE(std::string(configuration.name));
    const FeatureOptions& options = configuration.options;
    for (const std::vector<float>& signal : signals) {
      Rows expected(kFrames, std::vector<float>(options.mel.bins));
      for (std::size_t t = 0; t < kFrames; ++t) {
        log_mel_reference(options, signal.data() + t * options.hop_samples(), expected[t].data());
      }
      for_each_variant([&](const LaneKernels& kernels) {
        CAPTURE(std::string(kernels.name));
        const Rows rows = features_of(options, kernels, signal, kFrames, LogMel::kLanes);
        double worst = 0.0;
        for (std::size_t t = 0; t < kFrames; ++t) {
          for (std::size_t bin = 0; bin < options.mel.bins; ++bin) {
            worst = std::max(worst, std::abs(double{rows[t][bin]} - expected[t][bin]));
          }
        }
        CHECK(worst <= 1e-4);
      });
    }
  }
}

TEST_CASE("a frame's bits depend neither on its lane, nor on its neighbours, nor on how many there are") {
  for (const Named& configuration : all_configurations()) {
    CAPTURE(std::string(configuration.name));
    const std::vector<float> signal = speech_like(60 * 256 + 512, 16000, 8);
    for_each_variant([&](const LaneKernels& kernels) {
      CAPTURE(std::string(kernels.name));
      const Rows alone = features_of(configuration.options, kernels, signal, 50, 1);
      for (const std::size_t count : {2U, 3U, 5U, 9U, 15U, 16U}) {
        CHECK(features_of(configuration.options, kernels, signal, 50, count) == alone);
      }
    });
  }
}

TEST_CASE("a frame beside others that are not numbers is untouched") {
  const FeatureOptions options = en_features();
  LogMel log_mel(options);
  const std::vector<float> good = white_noise(400, 0.1, 1), bad(400, std::nanf(""));
  std::vector<float> alone(80), among(80), waste(80);
  const float* frame = good.data();
  float* row = alone.data();
  log_mel.compute(&frame, 1, &row);
  const float* frames[] = {bad.data(), good.data(), bad.data()};
  float* rows[] = {waste.data(), among.data(), waste.data()};
  log_mel.compute(frames, 3, rows);
  CHECK(alone == among);
}

TEST_CASE("silence gives exactly the floor's value in every bin") {
  const FeatureOptions options = en_features();
  LogMel log_mel(options);
  const std::vector<float> silence(400, 0.0F);
  std::vector<float> values(80);
  const float* frame = silence.data();
  float* row = values.data();
  log_mel.compute(&frame, 1, &row);
  const double expected = 0.25 * (std::log10(1.28e-6) + 3.8927900303521317);
  for (const float value : values) {
    CHECK(value == values[0]);
    CHECK(std::abs(value - expected) < 1e-6);
  }
}

TEST_CASE("the logarithm is good to 1e-5 over 60 decades of energy") {
  // A constant frame c has the spectrum bin 0 power (c · Σ window)²; one wide filter weighs it by a known factor, so
  // y(c) - y(1) is 2 ln c.
  FeatureOptions options = en_lite_features();
  options.mel.bins = 1;
  options.mel.low_hz = 0.0;
  options.floor = 1.2e-38;
  options.offset = 0.0;
  options.scale = 1.0;
  for_each_variant([&](const LaneKernels& kernels) {
    LogMel log_mel(options);
    const auto value = [&](float constant) {
      std::vector<float> frame(512);
      for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = i % 3 == 0 ? constant : 0.0F;
      const float* pointer = frame.data();
      float result = 0.0F;
      float* row = &result;
      log_mel.compute_with(kernels, &pointer, 1, &row);
      return double{result};
    };
    const double unit = value(1.0F);
    for (float constant = 1e-15F; constant < 1e15F; constant *= 1.37F) {
      const double expected = unit + 2.0 * std::log(double{constant});
      CHECK(std::abs(value(constant) - expected) < 1e-5 * std::max(1.0, std::abs(expected) / 4.0));
    }
  });
}

TEST_CASE("a tone lights the filter whose triangle it lies in") {
  const FeatureOptions options = en_lite_features();
  LogMel log_mel(options);
  for (const double hz : {300.0, 1000.0, 2500.0, 6000.0}) {
    std::vector<float> frame(512), values(80);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      frame[i] = static_cast<float>(0.5 * std::sin(6.283185307179586 * hz * static_cast<double>(i) / 16000.0));
    }
    const float* pointer = frame.data();
    float* row = values.data();
    log_mel.compute(&pointer, 1, &row);
    const auto loudest = static_cast<double>(std::max_element(values.begin(), values.end()) - values.begin());
    const double place = 81.0 * hz_to_mel(hz, MelScale::kHtk) / hz_to_mel(8000.0, MelScale::kHtk) - 1.0;
    CHECK(std::abs(loudest - place) <= 1.0);
  }
}

TEST_CASE("mel scales at known points") {
  CHECK(hz_to_mel(0.0, MelScale::kHtk) == 0.0);
  CHECK(hz_to_mel(1000.0, MelScale::kHtk) == doctest::Approx(999.9907));
  CHECK(hz_to_mel(8000.0, MelScale::kHtk) == doctest::Approx(2840.0376));
  CHECK(hz_to_mel(200.0, MelScale::kSlaney) == doctest::Approx(3.0));
  CHECK(hz_to_mel(1000.0, MelScale::kSlaney) == doctest::Approx(15.0));
  CHECK(hz_to_mel(6400.0, MelScale::kSlaney) == doctest::Approx(42.0));
  for (double hz = 0.0; hz < 20000.0; hz += 123.0) {
    for (const MelScale scale : {MelScale::kHtk, MelScale::kSlaney}) {
      CHECK(mel_to_hz(hz_to_mel(hz, scale), scale) == doctest::Approx(hz));
    }
  }
}

TEST_CASE("triangles share the weight between neighbours, and Slaney's have unit area") {
  FeatureOptions options = en_lite_features();
  const MelFilters plain(options);
  std::array<double, kSpectrumBins> total{};
  for (const MelFilter& filter : plain.filters) {
    for (std::uint32_t k = 0; k < filter.count; ++k) total[filter.first + k] += plain.weights[filter.offset + k];
  }
  // Between the first and the last centre the rising and the falling side add up to 1.
  for (std::size_t k = 3; k < 247; ++k) CHECK(total[k] == doctest::Approx(1.0));

  options = en_features();
  const MelFilters area(options);
  for (std::size_t bin = 60; bin < 80; ++bin) {  // wide enough for the sum to be near the integral
    const MelFilter& filter = area.filters[bin];
    const auto first = area.weights.begin() + filter.offset;
    CHECK(31.25 * std::accumulate(first, first + filter.count, 0.0) == doctest::Approx(1.0).epsilon(0.05));
  }
}

TEST_CASE("what the kernels do not serve is refused with both values") {
  FeatureOptions options = en_features();
  options.fft = 1024;
  CHECK_THROWS_WITH_AS(LogMel{options}, doctest::Contains("1024"), Error);
  options = en_features();
  options.window_ms = 40;
  CHECK_THROWS_WITH_AS(LogMel{options}, doctest::Contains("640 samples"), Error);
  options = en_features();
  options.mel.bins = 300;
  CHECK_THROWS_WITH_AS(LogMel{options}, doctest::Contains("300"), Error);
  options = en_features();
  options.floor = 0.0;
  CHECK_THROWS_WITH_AS(LogMel{options}, doctest::Contains("floor"), Error);
  options = en_features();
  options.cmvn_mean = {1.0F};
  CHECK_THROWS_WITH_AS(LogMel{options}, doctest::Contains("cmvn"), Error);
}
