#include "frontend/mel_filters.h"

#include <algorithm>
#include <cmath>

namespace cosyvoice {
namespace {

// Slaney's scale: linear below 1 kHz (15 mel there), above it 27 mel for a factor of 6.4.
constexpr double kSlaneyKneeHz = 1000.0, kSlaneyKneeMel = 15.0, kSlaneyHzPerMel = 200.0 / 3.0;
const double kSlaneyLogStep = std::log(6.4) / 27.0;

}  // namespace

double hz_to_mel(double hz, MelScale scale) {
  if (scale == MelScale::kHtk) return 1127.0 * std::log1p(hz / 700.0);
  if (hz < kSlaneyKneeHz) return hz / kSlaneyHzPerMel;
  return kSlaneyKneeMel + std::log(hz / kSlaneyKneeHz) / kSlaneyLogStep;
}

double mel_to_hz(double mel, MelScale scale) {
  if (scale == MelScale::kHtk) return 700.0 * std::expm1(mel / 1127.0);
  if (mel < kSlaneyKneeMel) return mel * kSlaneyHzPerMel;
  return kSlaneyKneeHz * std::exp((mel - kSlaneyKneeMel) * kSlaneyLogStep);
}

MelFilters::MelFilters(const FeatureOptions& options) {
  const MelOptions& mel = options.mel;
  const double low = hz_to_mel(mel.low_hz, mel.scale), high = hz_to_mel(mel.high_hz, mel.scale);
  const auto corner_mel = [&](std::uint32_t i) { return low + (high - low) * i / (mel.bins + 1); };
  const bool linear_in_hz = mel.triangles == MelTriangles::kHz;
  const auto axis = [&](double hz) { return linear_in_hz ? hz : hz_to_mel(hz, mel.scale); };

  for (std::uint32_t bin = 0; bin < mel.bins; ++bin) {
    double corner[3], corner_hz[3];
    for (std::uint32_t i = 0; i < 3; ++i) {
      corner_hz[i] = mel_to_hz(corner_mel(bin + i), mel.scale);
      corner[i] = linear_in_hz ? corner_hz[i] : corner_mel(bin + i);
    }
    const double area = mel.norm == MelNorm::kSlaney ? 2.0 / (corner_hz[2] - corner_hz[0]) : 1.0;
    MelFilter filter;
    filter.offset = static_cast<std::uint32_t>(weights.size());
    for (std::uint32_t k = 0; k < kSpectrumBins; ++k) {
      const double at = axis(static_cast<double>(k) * options.sample_rate / kFftSize);
      const double rise = (at - corner[0]) / (corner[1] - corner[0]);
      const double fall = (corner[2] - at) / (corner[2] - corner[1]);
      const double weight = std::min(rise, fall);
      if (weight <= 0.0) continue;
      if (filter.count == 0) filter.first = k;
      ++filter.count;
      weights.push_back(static_cast<float>(weight * area));
    }
    filters.push_back(filter);
  }
}

}  // namespace cosyvoice
