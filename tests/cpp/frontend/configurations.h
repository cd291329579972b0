// The features of the two default networks, and signals to try them on.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "bundle/manifest.h"

namespace cosyvoice::test {

/// Whisper's picture through a 512-point transform: its factor 512 / 400 of power is in floor and offset.
inline FeatureOptions en_features() {
  FeatureOptions options;
  options.sample_rate = 16000;
  options.window_ms = 25;
  options.hop_ms = 10;
  options.fft = 512;
  options.mel = {80, MelScale::kSlaney, MelTriangles::kHz, MelNorm::kSlaney, 0.0, 8000.0};
  options.log = LogKind::kLog10;
  options.floor = 1.28e-6;
  options.offset = 3.8927900303521317;
  options.scale = 0.25;
  options.edges = Edges::kCentred;
  return options;
}

inline FeatureOptions en_lite_features() {
  FeatureOptions options;
  options.sample_rate = 16000;
  options.window_ms = 32;
  options.hop_ms = 16;
  options.fft = 512;
  options.mel = {80, MelScale::kHtk, MelTriangles::kMel, MelNorm::kNone, 0.0, 8000.0};
  options.log = LogKind::kLn;
  options.floor = 1e-10;
  options.offset = 4.0;
  options.scale = 0.25;
  options.edges = Edges::kSnip;
  return options;
}

/// Kaldi's defaults for speech, with every step of the definition in use.
inline FeatureOptions kaldi_features() {
  FeatureOptions options = en_lite_features();
  options.window_ms = 25;
  options.hop_ms = 10;
  options.window = WindowKind::kPovey;
  options.pre_emphasis = 0.97;
  options.remove_dc = true;
  options.input_scale = 32768.0;
  options.mel.low_hz = 20.0;
  options.floor = 1.19e-7;
  options.offset = 0.0;
  options.scale = 1.0;
  for (std::uint32_t bin = 0; bin < options.mel.bins; ++bin) {
    options.cmvn_mean.push_back(10.0F + 0.05F * static_cast<float>(bin));
    options.cmvn_inverse_deviation.push_back(0.25F + 0.002F * static_cast<float>(bin));
  }
  return options;
}

/// Harmonics of a gliding pitch under a syllable-like envelope, and noise 50 dB below full scale.
inline std::vector<float> speech_like(std::size_t count, std::uint32_t rate, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 0.003);
  std::vector<float> samples(count);
  double phase = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / rate;
    phase += 6.283185307179586 * (120.0 + 30.0 * std::sin(3.0 * t + seed)) / rate;
    const double envelope = 0.5 - 0.5 * std::cos(6.283185307179586 * 4.0 * t);
    double voice = 0.0;
    for (int harmonic = 1; harmonic <= 20; ++harmonic) voice += std::sin(harmonic * phase) / harmonic;
    samples[i] = static_cast<float>(0.25 * envelope * voice + noise(random));
  }
  return samples;
}

inline std::vector<float> white_noise(std::size_t count, double deviation, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, deviation);
  std::vector<float> samples(count);
  for (float& sample : samples) sample = static_cast<float>(noise(random));
  return samples;
}

inline std::vector<std::int16_t> to_s16(const std::vector<float>& samples) {
  std::vector<std::int16_t> words;
  for (const float sample : samples) {
    words.push_back(static_cast<std::int16_t>(std::lround(std::fmin(std::fmax(sample * 32768.0, -32768.0), 32767.0))));
  }
  return words;
}

}  // namespace cosyvoice::test
