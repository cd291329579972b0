// Log-mel features over SIMD lanes: a lane is any (session, frame) under one feature configuration.
//
// The Front-End thread gathers frames of any sessions, up to kLanes at a time, and one pass of window → 512-point FFT →
// mel → log serves them all; whole vectors of lanes left over are skipped. A lone stream fills the lanes with its own
// frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bundle/manifest.h"
#include "frontend/lane_kernels.h"

namespace cosyvoice {

class LogMel {
 public:
  static constexpr std::size_t kLanes = kLaneCount;
  /// Throws Error(kInvalidModel) for what no kernel serves: another FFT length, a window longer than it, no floor.
  explicit LogMel(const FeatureOptions& options);
  ~LogMel();
  std::uint32_t window_samples() const noexcept;
  std::uint32_t hop_samples() const noexcept;
  std::uint32_t bins() const noexcept;
  /// frames[i] points to window_samples() floats in [-1, 1); rows[i] receives bins() floats. count ≤ kLanes.
  /// A frame's result does not depend on the lane it had or on its neighbours, bit for bit.
  void compute(const float* const* frames, std::size_t count, float* const* rows) noexcept;
  /// The same through one variant of the kernels (tests and benchmarks compare them).
  void compute_with(const LaneKernels& kernels, const float* const* frames, std::size_t count,
                    float* const* rows) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The plain definition in double precision, one frame; what compute() is tested against.
void log_mel_reference(const FeatureOptions& options, const float* frame, float* row);

}  // namespace cosyvoice
