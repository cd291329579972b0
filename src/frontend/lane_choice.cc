#include "frontend/lane_choice.h"

#include <atomic>
#include <string>

namespace cosyvoice {
namespace {

const LaneKernels* widest() noexcept {
  const LaneKernelList list = available_lane_kernels();
  return list.items[list.count - 1];
}

std::atomic<const LaneKernels*>& chosen() noexcept {
  static std::atomic<const LaneKernels*> kernels{widest()};
  return kernels;
}

}  // namespace

void choose_lane_kernels(Simd simd) {
  if (simd == Simd::kAuto) {
    chosen().store(widest(), std::memory_order_relaxed);
    return;
  }
  const std::string wanted = to_string(simd);
  const LaneKernelList list = available_lane_kernels();
  std::string names;
  for (std::size_t i = 0; i < list.count; ++i) {
    if (wanted == list.items[i]->name) {
      chosen().store(list.items[i], std::memory_order_relaxed);
      return;
    }
    names.append(", ").append(list.items[i]->name);
  }
  throw Error(ErrorCode::kInvalidArgument,
              "simd = " + wanted + ", but this processor has: auto" + names + "; choose one of these");
}

const LaneKernels& lane_kernels() noexcept {
  return *chosen().load(std::memory_order_relaxed);
}

}  // namespace cosyvoice
