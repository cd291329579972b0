#include "frontend/resampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "configurations.h"
#include "cosyvoice/engine.h"
#include "frontend/resampler_filter.h"

using namespace cosyvoice;
using cosyvoice::test::white_noise;

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Rates {
  std::uint32_t from, to;
};
const Rates kRates[] = {{8000, 16000},  {44100, 16000}, {48000, 16000}, {22050, 16000}, {11025, 16000},
                        {16000, 48000}, {48000, 8000},  {8000, 48000},  {32000, 16000}, {12345, 16000}};

std::vector<float> in_pieces(Resampler& resampler, const std::vector<float>& in, std::size_t piece) {
  std::vector<float> out;
  for (std::size_t i = 0; i < in.size();) {
    const std::size_t count = std::min(piece, in.size() - i);
    const std::size_t before = out.size();
    out.resize(before + resampler.max_output(count));
    out.resize(before + resampler.process(in.data() + i, count, out.data() + before));
    i += count;
  }
  return out;
}

std::vector<float> resample(Rates rates, const std::vector<float>& in) {
  Resampler resampler;
  resampler.open(resampler_filter(rates.from, rates.to));
  return in_pieces(resampler, in, Resampler::kMaxInput);
}

/// The windowed sinc at output `j`, in double precision, from its formula.
double reference(Rates rates, const std::vector<float>& in, std::uint64_t j, double reach) {
  const double ratio = std::max(1.0, static_cast<double>(rates.from) / rates.to);
  const double cutoff = 0.955 * 0.5 / ratio, beta = 0.1102 * (90.0 - 8.7);
  const double at = static_cast<double>(j) * rates.from / rates.to;
  double sum = 0.0;
  const auto first = static_cast<std::int64_t>(std::floor(at - reach));
  for (std::int64_t i = std::max<std::int64_t>(0, first); i < static_cast<std::int64_t>(in.size()); ++i) {
    const double t = at - static_cast<double>(i);
    if (t < -reach) break;
    if (t > reach) continue;
    const double sinc = t == 0.0 ? 1.0 : std::sin(2.0 * kPi * cutoff * t) / (2.0 * kPi * cutoff * t);
    const double window =
        std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - t * t / (reach * reach))) / std::cyl_bessel_i(0.0, beta);
    sum += in[static_cast<std::size_t>(i)] * 2.0 * cutoff * sinc * window;
  }
  return sum;
}

std::vector<float> sine(double hz, std::uint32_t rate, std::size_t count) {
  std::vector<float> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    samples[i] = static_cast<float>(std::sin(2.0 * kPi * hz * static_cast<double>(i) / rate));
  }
  return samples;
}

double db(double amplitude) {
  return 20.0 * std::log10(std::max(amplitude, 1e-12));
}

}  // namespace

TEST_CASE("resampled noise equals the windowed sinc's definition") {
  for (const Rates rates : kRates) {
    CAPTURE(rates.from);
    CAPTURE(rates.to);
    const std::vector<float> in = white_noise(3000, 0.2, rates.from);
    const std::vector<float> out = resample(rates, in);
    Resampler resampler;
    resampler.open(resampler_filter(rates.from, rates.to));
    const auto reach = static_cast<double>(resampler.inputs_needed(0) - 1);
    double worst = 0.0;
    for (std::size_t j = 0; j < out.size(); j += 7) {
      worst = std::max(worst, std::abs(out[j] - reference(rates, in, j, reach)));
    }
    CHECK(worst < 2e-6);
    CHECK(out.size() > 1000 * rates.to / rates.from);
  }
}

TEST_CASE("tones up to 0.91 of the lower Nyquist frequency pass in place, within -80 dB") {
  for (const Rates rates : kRates) {
    CAPTURE(rates.from);
    CAPTURE(rates.to);
    const double nyquist = 0.5 * std::min(rates.from, rates.to);
    for (const double part : {0.01, 0.1, 0.25, 0.5, 0.75, 0.85, 0.91}) {
      CAPTURE(part);
      const double hz = part * nyquist;
      const std::vector<float> out = resample(rates, sine(hz, rates.from, rates.from / 8));
      double worst = 0.0;  // images and aliases count as errors too
      for (std::size_t j = out.size() / 2; j < out.size(); ++j) {
        worst = std::max(worst, std::abs(out[j] - std::sin(2.0 * kPi * hz * static_cast<double>(j) / rates.to)));
      }
      CHECK(db(worst) < -80.0);
    }
  }
}

TEST_CASE("tones above the target's Nyquist frequency are 85 dB down") {
  for (const Rates rates : kRates) {
    if (rates.from <= rates.to) continue;
    CAPTURE(rates.from);
    CAPTURE(rates.to);
    for (double hz = 0.5 * rates.to; hz < 0.5 * rates.from; hz += 0.07 * rates.to) {
      CAPTURE(hz);
      const std::vector<float> out = resample(rates, sine(hz + 1.0, rates.from, rates.from / 8));
      double worst = 0.0;
      for (std::size_t j = out.size() / 2; j < out.size(); ++j) worst = std::max(worst, std::abs(double{out[j]}));
      CHECK(db(worst) < -85.0);
    }
  }
}

TEST_CASE("an impulse stays at its time") {
  for (const Rates rates : kRates) {
    CAPTURE(rates.from);
    CAPTURE(rates.to);
    const std::uint32_t common = std::gcd(rates.from, rates.to);
    const std::size_t place = 2 * (rates.from / common);  // an input that lies on an output
    std::vector<float> in(place + 2000, 0.0F);
    in[place] = 1.0F;
    const std::vector<float> out = resample(rates, in);
    const std::size_t expected = 2 * (rates.to / common);
    REQUIRE(out.size() > expected + 20);
    CHECK(std::max_element(out.begin(), out.end()) - out.begin() == static_cast<std::ptrdiff_t>(expected));
    for (std::size_t i = 1; i < 20 && i <= expected; ++i)
      CHECK(std::abs(out[expected - i] - out[expected + i]) < 1e-6F);
  }
}

TEST_CASE("output is the same bits however the input is cut into calls, and comes exactly when it is said to") {
  for (const Rates rates : kRates) {
    CAPTURE(rates.from);
    CAPTURE(rates.to);
    const std::vector<float> in = white_noise(5000, 0.3, 5);
    const std::vector<float> whole = resample(rates, in);
    Resampler resampler;
    resampler.open(resampler_filter(rates.from, rates.to));
    std::mt19937 random(rates.from + rates.to);
    for (int round = 0; round < 3; ++round) {
      resampler.reset();
      std::vector<float> out;
      for (std::size_t given = 0; given < in.size();) {
        const std::size_t most = round == 0 ? 3 : round == 1 ? 200 : Resampler::kMaxInput;
        const std::size_t count = std::min(in.size() - given, 1 + random() % most);
        const std::size_t before = out.size();
        out.resize(before + resampler.max_output(count) + 1, -99.0F);
        const std::size_t came = resampler.process(in.data() + given, count, out.data() + before);
        CHECK(came <= resampler.max_output(count));
        CHECK(out[before + resampler.max_output(count)] == -99.0F);  // nothing past what was promised
        out.resize(before + came);
        given += count;
        if (!out.empty()) CHECK(resampler.inputs_needed(out.size() - 1) <= given);
        CHECK(resampler.inputs_needed(out.size()) > given);
      }
      CHECK(out == whole);
    }
  }
}

TEST_CASE("feeding silence up to inputs_needed flushes outputs that cover the input") {
  for (const Rates rates : kRates) {
    CAPTURE(rates.from);
    CAPTURE(rates.to);
    Resampler resampler;
    resampler.open(resampler_filter(rates.from, rates.to));
    for (const std::size_t count : {1U, 17U, 441U, 1600U}) {
      resampler.reset();
      const auto covering = resampler.outputs_covering(count);
      CHECK(covering == static_cast<std::uint64_t>(std::ceil(static_cast<double>(count) * rates.to / rates.from)));
      std::vector<float> in = white_noise(count, 0.3, 9);
      in.resize(resampler.inputs_needed(covering - 1), 0.0F);
      CHECK(in_pieces(resampler, in, 100).size() >= covering);
      CHECK(in.size() - count < 1 + resampler.inputs_needed(0));
    }
  }
}

TEST_CASE("inputs_fitting is the largest packet whose outputs fit") {
  for (const Rates rates : kRates) {
    Resampler resampler;
    resampler.open(resampler_filter(rates.from, rates.to));
    for (std::size_t room = 0; room < 3000; room += 1 + room / 7) {
      const std::size_t count = resampler.inputs_fitting(room);
      CHECK(resampler.max_output(count) <= room);
      if (count < Resampler::kMaxInput) CHECK(resampler.max_output(count + 1) > room);
    }
  }
}

TEST_CASE("equal rates pass samples through") {
  CHECK(resampler_filter(16000, 16000).get() == nullptr);
  Resampler resampler;
  resampler.open(nullptr);
  const std::vector<float> in = white_noise(500, 0.1, 1);
  CHECK(in_pieces(resampler, in, 33) == in);
  CHECK(resampler.inputs_needed(41) == 42);
  CHECK(resampler.outputs_covering(42) == 42);
}

TEST_CASE("one filter serves all sessions of a pair of rates, and impossible rates are refused") {
  CHECK(resampler_filter(8000, 16000).get() == resampler_filter(8000, 16000).get());
  CHECK(resampler_filter(8000, 16000).get() != resampler_filter(11025, 16000).get());
  CHECK_THROWS_WITH_AS(resampler_filter(7999, 16000), doctest::Contains("7999"), Error);
  CHECK_THROWS_WITH_AS(resampler_filter(16000, 48001), doctest::Contains("48001"), Error);
}
