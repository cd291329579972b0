#include "frontend/lane_kernels.h"

namespace cosyvoice {

extern const LaneKernels kLaneKernelsBaseline;
#if defined(COSYVOICE_X86_KERNELS)
extern const LaneKernels kLaneKernelsAvx2;
extern const LaneKernels kLaneKernelsAvx512;
#endif

LaneKernelList available_lane_kernels() noexcept {
  LaneKernelList list{{&kLaneKernelsBaseline, nullptr, nullptr}, 1};
#if defined(COSYVOICE_X86_KERNELS)
  if (__builtin_cpu_supports("x86-64-v3")) list.items[list.count++] = &kLaneKernelsAvx2;
  if (__builtin_cpu_supports("x86-64-v4")) list.items[list.count++] = &kLaneKernelsAvx512;
#endif
  return list;
}

}  // namespace cosyvoice
