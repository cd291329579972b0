// The energy detector on signals whose speech is known: levels, noise, a change of noise, 8 kHz and µ-law.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "frontend/configurations.h"
#include "frontend/energy_vad.h"
#include "frontend/feature_extractor.h"
#include "frontend/log_mel.h"
#include "frontend/loudness.h"
#include "frontend/speech_track.h"

using namespace cosyvoice;

namespace {

constexpr int kRate = 16000;

std::vector<float> noise(int ms, double level_db, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, static_cast<float>(std::pow(10.0, level_db / 20.0)));
  std::vector<float> samples(static_cast<std::size_t>(ms * kRate / 1000));
  for (float& sample : samples) sample = normal(random);
  return samples;
}

/// Something like a voice: harmonics of 140 Hz up to `highest_hz`, falling, that swell four times a second.
std::vector<float> voice(int ms, double level_db, double highest_hz = 3400.0) {
  std::vector<float> samples(static_cast<std::size_t>(ms * kRate / 1000));
  const double level = std::pow(10.0, level_db / 20.0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = static_cast<double>(i) / kRate;
    double sum = 0.0;
    for (int k = 1; 140.0 * k < highest_hz; ++k) sum += std::sin(6.283185 * 140.0 * k * t + k) / k;
    samples[i] = static_cast<float>(level * sum * (0.55 - 0.45 * std::cos(6.283185 * 4.0 * t)));
  }
  return samples;
}

std::vector<float> operator+(std::vector<float> a, const std::vector<float>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<float> mixed(std::vector<float> a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) a[i] += b[i];
  return a;
}

/// Eight bits of µ-law and back.
float through_mulaw(float sample) {
  const double magnitude = std::min(1.0, std::abs(static_cast<double>(sample)));
  const double code = std::round(127.0 * std::log1p(255.0 * magnitude) / std::log(256.0));
  const double decoded = (std::exp(code / 127.0 * std::log(256.0)) - 1.0) / 255.0;
  return static_cast<float>(sample < 0.0F ? -decoded : decoded);
}

/// The detector's word on each frame, of 10 ms.
std::vector<bool> judged(const FeatureOptions& features, const std::vector<float>& samples) {
  const Loudness loudness(features);
  EnergyVad vad;
  vad.open(features.frame_ms(), EnergyVad::kThresholdDb);
  LogMel log_mel(features);
  std::vector<bool> speech;
  std::vector<float> row(features.dim());
  for (std::size_t at = 0; at + features.window_samples() <= samples.size(); at += features.hop_samples()) {
    const float* frame = samples.data() + at;
    float* out = row.data();
    log_mel.compute(&frame, 1, &out);
    speech.push_back(vad.speech(loudness.levels(row.data())));
  }
  return speech;
}

double share(const std::vector<bool>& speech, int from_ms, int to_ms) {
  std::size_t count = 0;
  for (int ms = from_ms; ms < to_ms; ms += 10) count += speech[static_cast<std::size_t>(ms / 10)] ? 1U : 0U;
  return static_cast<double>(count) * 10.0 / (to_ms - from_ms);
}

}  // namespace

TEST_CASE("speech is found at any level over any noise, within 60 ms of its beginning, and noise is not") {
  for (const double noise_db : {-120.0, -70.0, -50.0, -35.0}) {
    for (const double above_db : {20.0, 35.0}) {
      CAPTURE(noise_db);
      CAPTURE(above_db);
      const double level = std::max(noise_db, -66.0) + above_db;
      const auto speech =
          judged(test::en_features(), mixed(noise(5000, noise_db), noise(2500, -200.0) + voice(1000, level)));
      CHECK(share(speech, 500, 2400) < 0.02);
      CHECK(share(speech, 2500, 2560) > 0.0);
      CHECK(share(speech, 2500, 3500) > 0.6);
      CHECK(share(speech, 3700, 4900) < 0.02);
    }
  }
}

TEST_CASE("a telephone's band and eight bits hide no speech and make none") {
  std::vector<float> call = mixed(noise(5000, -58.0), noise(2500, -200.0) + voice(1000, -30.0));
  for (float& sample : call) sample = through_mulaw(sample);
  const auto speech = judged(test::en_features(), call);
  CHECK(share(speech, 500, 2400) < 0.03);
  CHECK(share(speech, 2500, 2560) > 0.0);
  CHECK(share(speech, 2500, 3500) > 0.6);
  CHECK(share(speech, 3700, 4900) < 0.03);
}

TEST_CASE("noise that begins is learnt in three seconds, noise that ends at once") {
  const auto speech = judged(test::en_features(), noise(3000, -60.0) + noise(6000, -40.0, 4) + noise(3000, -60.0, 5));
  CHECK(share(speech, 500, 2900) < 0.02);
  CHECK(share(speech, 3100, 4500) > 0.9);  // it might be a voice
  CHECK(share(speech, 6000, 8900) < 0.02);
  CHECK(share(speech, 9100, 11900) < 0.02);
}

TEST_CASE("features that are normalised, of magnitudes and of another scale make no difference") {
  FeatureOptions features = test::kaldi_features();
  features.spectrum = SpectrumKind::kMagnitude;
  const auto speech = judged(features, mixed(noise(5000, -50.0), noise(2500, -200.0) + voice(1000, -25.0)));
  CHECK(share(speech, 500, 2400) < 0.02);
  CHECK(share(speech, 2500, 3500) > 0.6);
  CHECK(share(speech, 3700, 4900) < 0.02);
}

TEST_CASE("the track: hang-over, a sure beginning, and what a restart forgets") {
  SpeechTrack track;
  track.open(3, 2);
  CHECK_FALSE(track.silent_from(2));  // what comes first is as good as speech
  CHECK(track.silent_from(3));
  track.add(false, 10);
  track.add(true);
  CHECK(track.onset() == nullptr);
  CHECK_FALSE(track.silent_from(13));  // frame 10, and three more
  CHECK(track.silent_from(14));
  track.add(false);
  track.add(true);
  CHECK(track.onset() == nullptr);  // a click and another: the gap took the first back
  track.add(true);
  REQUIRE(track.onset() != nullptr);
  CHECK(track.onset()->first == 12);
  CHECK(track.onset()->sure == 14);
  CHECK(track.speaking());
  track.told();
  track.add(true);
  CHECK(track.onset() == nullptr);
  track.add(false, 2);
  CHECK(track.speaking());
  track.add(false);
  CHECK_FALSE(track.speaking());
  track.add(true, 2);
  REQUIRE(track.onset() != nullptr);
  CHECK(track.onset()->first == 18);
  track.next_utterance();
  CHECK(track.onset() == nullptr);
  track.restart();
  CHECK(track.known() == 0);
}
