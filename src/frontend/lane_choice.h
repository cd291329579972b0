// Which of the Front-End's variants this process uses.
#pragma once

#include "cosyvoice/engine.h"
#include "frontend/lane_kernels.h"

namespace cosyvoice {

/// From the next frame on, in every engine of the process. Throws Error(kInvalidArgument) when the processor or the
/// build lacks the variant; the message lists what there is.
void choose_lane_kernels(Simd simd);

/// The chosen one; the widest there is unless another was chosen.
const LaneKernels& lane_kernels() noexcept;

}  // namespace cosyvoice
