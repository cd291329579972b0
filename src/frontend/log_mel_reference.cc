// Each step as its formula says, in double precision and without the tables that log_mel.cc uses.
#include <algorithm>
#include <cmath>
#include <vector>

#include "frontend/log_mel.h"

namespace cosyvoice {
namespace {

constexpr double kTurn = 6.283185307179586476925286766559;

double mel_of(double hz, MelScale scale) {
  if (scale == MelScale::kHtk) return 1127.0 * std::log(1.0 + hz / 700.0);
  return hz < 1000.0 ? 3.0 * hz / 200.0 : 15.0 + 27.0 * std::log(hz / 1000.0) / std::log(6.4);
}

double hz_of(double mel, MelScale scale) {
  if (scale == MelScale::kHtk) return 700.0 * (std::exp(mel / 1127.0) - 1.0);
  return mel < 15.0 ? 200.0 * mel / 3.0 : 1000.0 * std::pow(6.4, (mel - 15.0) / 27.0);
}

double window_at(WindowKind kind, double i, double length) {
  if (kind == WindowKind::kHann) return 0.5 - 0.5 * std::cos(kTurn * i / length);
  const double cosine = std::cos(kTurn * i / (length - 1.0));
  return kind == WindowKind::kHamming ? 0.54 - 0.46 * cosine : std::pow(0.5 - 0.5 * cosine, 0.85);
}

std::vector<double> windowed(const FeatureOptions& options, const float* frame) {
  const std::size_t length = options.window_samples();
  std::vector<double> x(length);
  double mean = 0.0;
  for (std::size_t i = 0; i < length; ++i) {
    x[i] = frame[i] * options.input_scale;
    mean += x[i] / static_cast<double>(length);
  }
  if (options.remove_dc) {
    for (double& sample : x) sample -= mean;
  }
  for (std::size_t i = length; i-- > 0;) x[i] -= options.pre_emphasis * x[i > 0 ? i - 1 : 0];
  for (std::size_t i = 0; i < length; ++i) {
    x[i] *= window_at(options.window, static_cast<double>(i), static_cast<double>(length));
  }
  return x;
}

std::vector<double> spectrum_of(const FeatureOptions& options, const std::vector<double>& x) {
  std::vector<double> spectrum(options.fft / 2 + 1);
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    double re = 0.0, im = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double angle = kTurn * static_cast<double>(k * i % options.fft) / options.fft;
      re += x[i] * std::cos(angle);
      im -= x[i] * std::sin(angle);
    }
    spectrum[k] = re * re + im * im;
    if (options.spectrum == SpectrumKind::kMagnitude) spectrum[k] = std::sqrt(spectrum[k]);
  }
  return spectrum;
}

}  // namespace

void log_mel_reference(const FeatureOptions& options, const float* frame, float* row) {
  const std::vector<double> spectrum = spectrum_of(options, windowed(options, frame));
  const MelOptions& mel = options.mel;
  const double low = mel_of(mel.low_hz, mel.scale), high = mel_of(mel.high_hz, mel.scale);
  for (std::uint32_t bin = 0; bin < mel.bins; ++bin) {
    double corner[3], hz[3];
    for (std::uint32_t i = 0; i < 3; ++i) {
      corner[i] = low + (high - low) * (bin + i) / (mel.bins + 1.0);
      hz[i] = hz_of(corner[i], mel.scale);
      if (mel.triangles == MelTriangles::kHz) corner[i] = hz[i];
    }
    double energy = 0.0;
    for (std::size_t k = 0; k < spectrum.size(); ++k) {
      const double bin_hz = static_cast<double>(k) * options.sample_rate / options.fft;
      const double at = mel.triangles == MelTriangles::kHz ? bin_hz : mel_of(bin_hz, mel.scale);
      if (at <= corner[0] || at >= corner[2]) continue;
      energy += spectrum[k] * (at <= corner[1] ? (at - corner[0]) / (corner[1] - corner[0])
                                               : (corner[2] - at) / (corner[2] - corner[1]));
    }
    if (mel.norm == MelNorm::kSlaney) energy *= 2.0 / (hz[2] - hz[0]);
    const double kept = std::max(energy, options.floor);
    const double log = options.log == LogKind::kLn ? std::log(kept) : std::log10(kept);
    double y = options.scale * (log + options.offset);
    if (!options.cmvn_mean.empty()) y = (y - options.cmvn_mean[bin]) * options.cmvn_inverse_deviation[bin];
    row[bin] = static_cast<float>(y);
  }
}

}  // namespace cosyvoice
