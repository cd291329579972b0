#include "frontend/resampler_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "cosyvoice/engine.h"
#include "frontend/resampler.h"

namespace cosyvoice {
namespace {

constexpr double kPi = 3.141592653589793238462643383279;

/// Modified Bessel function of the first kind, order 0, by its power series (all terms positive).
double bessel_i0(double x) {
  const double quarter_square = x * x / 4.0;
  double sum = 1.0, term = 1.0;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= quarter_square / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

void check_rate(std::uint32_t hz, const char* which) {
  if (hz < kMinRate || hz > kMaxRate) {
    throw Error(ErrorCode::kInvalidArgument, std::string(which) + " sample rate is " + std::to_string(hz) +
                                                 " Hz, the resampler takes " + std::to_string(kMinRate) + " to " +
                                                 std::to_string(kMaxRate) + " Hz: convert the audio first");
  }
}

/// Filters in use, and the last few that were; odd rates make filters of megabytes, so not all are kept.
class FilterCache {
 public:
  std::shared_ptr<const ResamplerFilter> get(std::uint32_t from_hz, std::uint32_t to_hz) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<const ResamplerFilter>& known = filters_[{from_hz, to_hz}];
    std::shared_ptr<const ResamplerFilter> filter = known.lock();
    if (filter == nullptr) {
      filter = std::make_shared<const ResamplerFilter>(from_hz, to_hz);
      known = filter;
      recent_[next_++ % recent_.size()] = filter;
    }
    return filter;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::weak_ptr<const ResamplerFilter>> filters_;
  std::array<std::shared_ptr<const ResamplerFilter>, 8> recent_;
  std::size_t next_ = 0;
};

}  // namespace

std::size_t ResamplerFilter::half_width_for(double ratio) {
  // Kaiser's estimate of the length; the transition is in cycles per input sample.
  const double transition = (kStopBand - kPassBand) * 0.5 / ratio;
  const double taps = (kAttenuationDb - 7.95) / (14.36 * transition);
  return (static_cast<std::size_t>(std::ceil(taps)) + kTapBlock - 1) / kTapBlock * kTapBlock / 2;
}

ResamplerFilter::ResamplerFilter(std::uint32_t from_hz, std::uint32_t to_hz) {
  const std::uint32_t common = std::gcd(from_hz, to_hz);
  up = to_hz / common;
  down = from_hz / common;
  const double ratio = std::max(1.0, static_cast<double>(from_hz) / to_hz);
  half_width = half_width_for(ratio);
  const double cutoff = 0.5 * (kPassBand + kStopBand) * 0.5 / ratio;  // cycles per input sample
  const double beta = 0.1102 * (kAttenuationDb - 8.7);
  const double scale = 1.0 / bessel_i0(beta);
  const auto reach = static_cast<double>(half_width);
  coefficients.reserve(up * 2 * half_width);
  for (std::uint32_t phase = 0; phase < up; ++phase) {
    for (std::size_t tap = 0; tap < 2 * half_width; ++tap) {
      // From the input of this tap (the oldest lies half_width - 1 before the output's whole part) to the output.
      const double t = static_cast<double>(phase) / up + reach - 1.0 - static_cast<double>(tap);
      const double place = t / reach;
      const double window = bessel_i0(beta * std::sqrt(std::max(0.0, 1.0 - place * place))) * scale;
      const double angle = 2.0 * kPi * cutoff * t;
      const double sinc = std::abs(angle) < 1e-9 ? 1.0 : std::sin(angle) / angle;
      coefficients.push_back(static_cast<float>(2.0 * cutoff * sinc * window));
    }
  }
}

std::shared_ptr<const ResamplerFilter> resampler_filter(std::uint32_t from_hz, std::uint32_t to_hz) {
  check_rate(from_hz, "source");
  check_rate(to_hz, "target");
  if (from_hz == to_hz) return nullptr;
  static FilterCache cache;
  return cache.get(from_hz, to_hz);
}

}  // namespace cosyvoice
