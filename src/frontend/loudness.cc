#include "frontend/loudness.h"

#include <algorithm>
#include <cmath>

#include "frontend/log_mel.h"

namespace cosyvoice {
namespace {

constexpr float kQuietest = 5.0e-4F;  // -66 dB of full scale
constexpr int kNoiseFrames = 16;

/// Reproducible noise with values of ± kQuietest.
class Noise {
 public:
  float next() noexcept {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 31U) != 0 ? kQuietest : -kQuietest;
  }

 private:
  std::uint32_t state_ = 1;
};

}  // namespace

Loudness::Loudness(const FeatureOptions& features)
    : bins_(features.mel.bins), stack_(features.stack_frames), gain_(features.mel.bins) {
  for (std::size_t band = 0; band <= kLoudnessBands; ++band) edges_[band] = band * bins_ / kLoudnessBands;
  const double unit = (features.spectrum == SpectrumKind::kPower ? 10.0 : 20.0) /
                      (features.log == LogKind::kLn ? std::log(10.0) : 1.0);
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
  Noise noise;
  std::vector<float> frame(features.window_samples()), row(bins_ * stack_);
  BandLevels sum{};
  for (int i = 0; i < kNoiseFrames; ++i) {
    std::generate(frame.begin(), frame.end(), [&noise] { return noise.next(); });
    log_mel_reference(features, frame.data(), row.data());
    for (std::size_t k = 1; k < stack_; ++k) std::copy_n(row.begin(), bins_, row.begin() + static_cast<long>(k * bins_));
    const BandLevels quiet = levels(row.data());
    for (std::size_t band = 0; band < kLoudnessBands; ++band) sum[band] += quiet[band] / kNoiseFrames;
  }
  least_ = sum;
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
