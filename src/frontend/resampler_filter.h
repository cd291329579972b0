// The constant part of a Resampler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/lane_kernels.h"

namespace cosyvoice {

constexpr std::uint32_t kMinRate = 8000, kMaxRate = 48000;

struct ResamplerFilter {
  ResamplerFilter(std::uint32_t from_hz, std::uint32_t to_hz);

  std::uint32_t up, down;           ///< L and M: to / from in lowest terms
  std::size_t half_width;           ///< inputs on either side of an output
  std::vector<float> coefficients;  ///< [L][2 · half_width]; row p is the output p / L after an input
  PolyphasePlan plan() const noexcept { return {coefficients.data(), 2 * half_width, up, down}; }

  /// Shape of h; the cutoff (-6 dB) lies between pass-band and stop-band.
  static constexpr double kPassBand = 0.91;  ///< of the lower Nyquist frequency
  static constexpr double kStopBand = 1.0;
  static constexpr double kAttenuationDb = 90.0;  ///< designed; 85 are promised
  /// Rounded up to whole blocks of taps; `ratio` = from / to where that is above 1, else 1.
  static std::size_t half_width_for(double ratio);
};

}  // namespace cosyvoice
