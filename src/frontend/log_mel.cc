#include "frontend/log_mel.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cosyvoice/engine.h"
#include "frontend/lane_choice.h"
#include "frontend/lane_fft.h"
#include "frontend/mel_filters.h"

namespace cosyvoice {
namespace {

constexpr double kTurn = 6.283185307179586476925286766559;

std::vector<float> window_weights(const FeatureOptions& options) {
  const std::uint32_t length = options.window_samples();
  std::vector<float> weights(length);
  for (std::uint32_t i = 0; i < length; ++i) {
    const double periodic = std::cos(kTurn * i / length), symmetric = std::cos(kTurn * i / (length - 1));
    double weight = 0.0;
    switch (options.window) {
      case WindowKind::kHann:
        weight = 0.5 - 0.5 * periodic;
        break;
      case WindowKind::kHamming:
        weight = 0.54 - 0.46 * symmetric;
        break;
      case WindowKind::kPovey:
        weight = std::pow(0.5 - 0.5 * symmetric, 0.85);
        break;
    }
    weights[i] = static_cast<float>(weight * options.input_scale);
  }
  return weights;
}

[[noreturn]] void refuse(const std::string& key, const std::string& found, const std::string& wanted) {
  throw Error(ErrorCode::kInvalidModel, "features." + key + " is " + found + ", the Front-End takes " + wanted);
}

void check(const FeatureOptions& options) {
  if (options.fft != kFftSize) refuse("fft", std::to_string(options.fft), std::to_string(kFftSize));
  const std::uint32_t window = options.window_samples();
  if (window < 2 || window > kFftSize) {
    refuse("window_ms", std::to_string(window) + " samples", "2 to " + std::to_string(kFftSize) + " samples");
  }
  if (options.hop_samples() == 0) refuse("hop_ms", "0 samples", "1 sample or more");
  const std::uint32_t bins = options.mel.bins;
  if (bins == 0 || bins >= kSpectrumBins) {
    refuse("mel.bins", std::to_string(bins), "1 to " + std::to_string(kSpectrumBins - 1));
  }
  // The logarithm is of normal numbers.
  if (!(options.floor >= std::numeric_limits<float>::min())) {
    refuse("floor", std::to_string(options.floor), "1.2e-38 or more");
  }
  const std::size_t means = options.cmvn_mean.size(), deviations = options.cmvn_inverse_deviation.size();
  if (means != deviations || (means != 0 && means != bins)) {
    refuse("cmvn", std::to_string(means) + " means and " + std::to_string(deviations) + " inverse deviations",
           "one of each for every of the " + std::to_string(bins) + " bins, or none");
  }
}

}  // namespace

struct LogMel::Impl {
  explicit Impl(const FeatureOptions& options)
      : window(window_weights(options)),
        mel(options),
        mean(options.cmvn_mean),
        inverse_deviation(options.cmvn_inverse_deviation),
        hop(options.hop_samples()) {
    plan.window = options.window_samples();
    plan.bins = options.mel.bins;
    plan.remove_dc = options.remove_dc;
    plan.magnitude = options.spectrum == SpectrumKind::kMagnitude;
    plan.pre_emphasis = static_cast<float>(options.pre_emphasis);
    plan.window_weights = window.data();
    plan.fft_twiddles = fft.twiddles.data();
    plan.split_twiddles = fft.split_twiddles.data();
    plan.fft_order = fft.order.data();
    plan.filters = mel.filters.data();
    plan.mel_weights = mel.weights.data();
    plan.floor = static_cast<float>(options.floor);
    const double unit = options.log == LogKind::kLog10 ? 1.0 / std::log(10.0) : 1.0;
    plan.log_scale = static_cast<float>(options.scale * unit);
    plan.log_offset = static_cast<float>(options.scale * options.offset);
    plan.cmvn_mean = mean.empty() ? nullptr : mean.data();
    plan.cmvn_inverse_deviation = mean.empty() ? nullptr : inverse_deviation.data();
  }

  LaneFft fft;
  std::vector<float> window;
  MelFilters mel;
  std::vector<float> mean, inverse_deviation;
  std::uint32_t hop;
  LogMelPlan plan;
  LogMelScratch scratch;
};

LogMel::LogMel(const FeatureOptions& options) {
  check(options);
  impl_ = std::make_unique<Impl>(options);
}
LogMel::~LogMel() = default;

std::uint32_t LogMel::window_samples() const noexcept {
  return impl_->plan.window;
}
std::uint32_t LogMel::hop_samples() const noexcept {
  return impl_->hop;
}
std::uint32_t LogMel::bins() const noexcept {
  return impl_->plan.bins;
}

void LogMel::compute(const float* const* frames, std::size_t count, float* const* rows) noexcept {
  compute_with(lane_kernels(), frames, count, rows);
}

void LogMel::compute_with(const LaneKernels& kernels, const float* const* frames, std::size_t count,
                          float* const* rows) noexcept {
  kernels.log_mel(impl_->plan, impl_->scratch, frames, count, rows);
}

}  // namespace cosyvoice
