#include "frontend/loudness.h"

#include <algorithm>
#include <cmath>

#include "frontend/log_mel.h"

namespace cosyvoice {
namespace {

constexpr float kQuietest = 5.0e-4F;  // -66 dB of full scale

}  // namespace

Loudness::Loudness(const FeatureOptions& features)
    : bins_(features.mel.bins), stack_(features.stack_frames), gain_(features.mel.bins) {
  for (std::size_t band = 0; band <= kLoudnessBands; ++band) edges_[band] = band * bins_ / kLoudnessBands;
  const double unit =
      (features.spectrum == SpectrumKind::kPower ? 10.0 : 20.0) / (features.log == LogKind::kLn ? std::log(10.0) : 1.0);
  for (std::size_t band = 0; band < kLoudnessBands; ++band) {
    const double values = static_cast<double>(std::max<std::size_t>(1, edges_[band + 1] - edges_[band]));
    double offset = -features.offset * unit * (edges_[band + 1] > edges_[band] ? 1.0 : 0.0);
    for (std::size_t bin = edges_[band]; bin < edges_[band + 1]; ++bin) {
      const bool normalised = !features.cmvn_mean.empty();
      const double deviation = normalised ? 1.0 / static_cast<double>(features.cmvn_inverse_deviation[bin]) : 1.0;
      const double mean = normalised ? static_cast<double>(features.cmvn_mean[bin]) : 0.0;
      gain_[bin] = static_cast<float>(unit * deviation / features.scale / values / static_cast<double>(stack_));
      offset += unit * mean / features.scale / values;
    }
    offset_[band] = static_cast<float>(offset);
  }

  least_.fill(-1.0e30F);
  least_ = quietest(features);
}

BandLevels Loudness::quietest(const FeatureOptions& features) const {
  constexpr std::size_t kFrames = LogMel::kLanes;
  const std::size_t window = features.window_samples();
  std::vector<float> samples(kFrames * window), rows(kFrames * bins_), row(bins_ * stack_);
  std::uint32_t state = 1;
  for (float& sample : samples) {
    state = state * 1664525U + 1013904223U;
    sample = (state >> 31U) != 0 ? kQuietest : -kQuietest;
  }
  const float* frames[kFrames];
  float* computed[kFrames];
  for (std::size_t i = 0; i < kFrames; ++i) {
    frames[i] = samples.data() + i * window;
    computed[i] = rows.data() + i * bins_;
  }
  LogMel(features).compute(frames, kFrames, computed);
  BandLevels mean{};
  for (const float* each : computed) {
    for (std::size_t k = 0; k < stack_; ++k) std::copy_n(each, bins_, row.data() + k * bins_);
    const BandLevels quiet = levels(row.data());
    for (std::size_t band = 0; band < kLoudnessBands; ++band) mean[band] += quiet[band] / static_cast<float>(kFrames);
  }
  return mean;
}

BandLevels Loudness::levels(const float* row) const noexcept {
  BandLevels levels = offset_;
  for (std::size_t k = 0; k < stack_; ++k, row += bins_) {
    for (std::size_t band = 0; band < kLoudnessBands; ++band) {
      for (std::size_t bin = edges_[band]; bin < edges_[band + 1]; ++bin) levels[band] += row[bin] * gain_[bin];
    }
  }
  for (std::size_t band = 0; band < kLoudnessBands; ++band) levels[band] = std::max(levels[band], least_[band]);
  return levels;
}

}  // namespace cosyvoice
