// How loud a feature row is, in bands: what the energy detector hears.
//
// Log-mel rows are there anyway, and in bands a weak consonant stands out of noise that would hide it in the whole. A
// bundle's own scaling is undone, so that values are decibels whatever the model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bundle/manifest.h"

namespace cosyvoice {

constexpr std::size_t kLoudnessBands = 8;
using BandLevels = std::array<float, kLoudnessBands>;  ///< dB, of an arbitrary zero

class Loudness {
 public:
  /// Throws what LogMel does.
  explicit Loudness(const FeatureOptions& features);
  /// Of one feature row; no band is below what noise of -66 dB of full scale has (the step of 8-bit telephone codes).
  BandLevels levels(const float* row) const noexcept;

 private:
  BandLevels quietest(const FeatureOptions& features) const;

  std::size_t bins_, stack_;
  std::array<std::size_t, kLoudnessBands + 1> edges_{};  // of the bins
  std::vector<float> gain_;                              // of each bin: dB of a value of 1, over the band's values
  BandLevels offset_{}, least_{};
};

}  // namespace cosyvoice
