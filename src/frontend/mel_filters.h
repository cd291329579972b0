// The bank of mel triangles, as the sparse rows that the kernels read.
#pragma once

#include <vector>

#include "bundle/manifest.h"
#include "frontend/lane_kernels.h"

namespace cosyvoice {

double hz_to_mel(double hz, MelScale scale);
double mel_to_hz(double mel, MelScale scale);

struct MelFilters {
  /// A filter narrower than the spacing of spectrum bins may hold none: its energy is 0, its feature the floor's.
  explicit MelFilters(const FeatureOptions& options);
  std::vector<MelFilter> filters;  ///< [bins]
  std::vector<float> weights;
};

}  // namespace cosyvoice
