#include "frontend/energy_vad.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cosyvoice {
namespace {

constexpr double kSmoothingMs = 40.0;
constexpr double kBlockMs = 250.0;

constexpr BandLevels filled(float value) noexcept {
  BandLevels levels{};
  for (float& level : levels) level = value;
  return levels;
}
constexpr BandLevels kUnknown = filled(std::numeric_limits<float>::max());

}  // namespace

void EnergyVad::open(double frame_ms, float threshold_db) noexcept {
  threshold_db_ = threshold_db;
  weight_ = static_cast<float>(1.0 - std::exp(-frame_ms / kSmoothingMs));
  block_frames_ = static_cast<std::uint32_t>(std::max(1.0, std::round(kBlockMs / frame_ms)));
  frames_ = 0;
  fresh_ = true;
  block_ = 0;
  floor_ = lowest_ = kUnknown;
  blocks_.fill(kUnknown);
}

bool EnergyVad::speech(const BandLevels& levels) noexcept {
  if (fresh_) smoothed_ = levels;
  fresh_ = false;
  float above = 0.0F;
  for (std::size_t band = 0; band < kLoudnessBands; ++band) {
    smoothed_[band] += weight_ * (levels[band] - smoothed_[band]);
    lowest_[band] = std::min(lowest_[band], smoothed_[band]);
    const float excess = std::max(0.0F, levels[band] - std::min(lowest_[band], floor_[band]));
    above += excess * excess;
  }
  if (++frames_ == block_frames_) next_block();
  return above > threshold_db_ * threshold_db_ * static_cast<float>(kLoudnessBands);
}

void EnergyVad::next_block() noexcept {
  frames_ = 0;
  blocks_[block_] = lowest_;
  block_ = (block_ + 1) % kBlocks;
  floor_ = blocks_[0];
  for (std::size_t i = 1; i < kBlocks; ++i) {
    for (std::size_t band = 0; band < kLoudnessBands; ++band) floor_[band] = std::min(floor_[band], blocks_[i][band]);
  }
  lowest_ = kUnknown;
}

}  // namespace cosyvoice
