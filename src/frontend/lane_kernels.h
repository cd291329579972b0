// The arithmetic of the Front-End, compiled once for each width of vector and chosen at run time.
//
// Frames lie side by side: row r holds value r of 16 frames, so every operation is one on whole vectors and a frame's
// result depends neither on its lane nor on its neighbours. Inside one variant every sum has one order, however the
// data is aligned or cut into calls; variants may differ in the last bits (fused multiply-add).
//
// This header and lane_kernels.inc.h include no code that could be emitted twice with different instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cosyvoice {

constexpr std::size_t kLaneCount = 16;
constexpr std::size_t kFftSize = 512;
constexpr std::size_t kSpectrumBins = kFftSize / 2 + 1;
/// FIR taps come in whole blocks, so that no variant needs a remainder loop.
constexpr std::size_t kTapBlock = 32;

/// One triangle: weights[offset … offset + count) times spectrum bins first … first + count - 1.
struct MelFilter {
  std::uint32_t first = 0, count = 0, offset = 0;
};

/// The constants of one feature configuration; pointers are the owner's (LogMel).
struct LogMelPlan {
  std::uint32_t window = 0, bins = 0;
  bool remove_dc = false, magnitude = false;
  float pre_emphasis = 0.0F;
  const float* window_weights = nullptr;  ///< [window], times input_scale
  const float* fft_twiddles = nullptr;    ///< see lane_fft.h
  const float* split_twiddles = nullptr;
  const std::uint16_t* fft_order = nullptr;
  const MelFilter* filters = nullptr;  ///< [bins]
  const float* mel_weights = nullptr;
  float floor = 0.0F;
  float log_scale = 1.0F, log_offset = 0.0F;  ///< y = log_scale · ln(max(mel, floor)) + log_offset
  const float* cmvn_mean = nullptr;           ///< [bins] or null
  const float* cmvn_inverse_deviation = nullptr;
};

/// Working memory of one log_mel() call.
struct LogMelScratch {
  alignas(64) float samples[kFftSize * kLaneCount];
  alignas(64) float spectrum[kSpectrumBins * kLaneCount];
};

/// A polyphase filter: output at phase p is the dot product of row p with `taps` inputs, oldest first.
struct PolyphasePlan {
  const float* coefficients = nullptr;  ///< [phases][taps]
  std::size_t taps = 0;                 ///< a multiple of kTapBlock
  std::uint32_t phases = 0;             ///< L: phases between two inputs
  std::uint32_t step = 0;               ///< M: phases between two outputs
};

/// Where the next output begins.
struct PolyphasePosition {
  std::size_t start = 0;  ///< its oldest input, as an index into the history
  std::uint32_t phase = 0;
};

struct LaneKernels {
  const char* name;
  /// count ≤ kLaneCount frames of plan.window samples → rows of plan.bins values.
  void (*log_mel)(const LogMelPlan& plan, LogMelScratch& scratch, const float* const* frames, std::size_t count,
                  float* const* rows);
  /// Every output whose inputs lie in history[0 … filled); returns how many.
  std::size_t (*polyphase)(const PolyphasePlan& plan, const float* history, std::size_t filled,
                           PolyphasePosition& position, float* out);
};

/// The variants this build has and this processor can run, plainest first.
struct LaneKernelList {
  const LaneKernels* items[3];
  std::size_t count;
};
LaneKernelList available_lane_kernels() noexcept;
}  // namespace cosyvoice
