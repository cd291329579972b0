// Speech is what stands out of a session's own noise: the energy detector. One for each session, the Front-End's alone.
//
// The noise of a band is the lowest level, smoothed, of the last two seconds: speech has gaps within that time, noise
// has none. So nothing needs to be known of the line's level, and noise that begins or ends is learnt in two seconds.
// docs/decisions/018-silence-skip.md has what was measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frontend/loudness.h"

namespace cosyvoice {

class EnergyVad {
 public:
  static constexpr float kThresholdDb = 6.0F;

  /// A new session. `frame_ms`: of a feature frame.
  void open(double frame_ms, float threshold_db) noexcept;
  /// Whether the session's next frame is speech.
  bool speech(const BandLevels& levels) noexcept;

 private:
  static constexpr std::size_t kBlocks = 8;  // of a quarter of a second: the minimum is taken over so many

  void next_block() noexcept;

  float threshold_db_ = kThresholdDb;
  float weight_ = 1.0F;  // of a new frame in the smoothed level
  std::uint32_t block_frames_ = 1, frames_ = 0;
  bool fresh_ = true;
  std::size_t block_ = 0;
  BandLevels smoothed_{}, floor_{}, lowest_{};  // lowest: of this block; floor: of the blocks before it
  std::array<BandLevels, kBlocks> blocks_{};
};

}  // namespace cosyvoice
