#include "frontend/lane_choice.h"

#include <doctest/doctest.h>

#include <string>

namespace cosyvoice {

TEST_CASE("every variant of this processor can be chosen, others are refused") {
  const LaneKernelList list = available_lane_kernels();
  const std::string widest = list.items[list.count - 1]->name;
  for (const Simd simd : {Simd::kBaseline, Simd::kAvx2, Simd::kAvx512}) {
    const std::string name = to_string(simd);
    CAPTURE(name);
    bool available = false;
    for (std::size_t i = 0; i < list.count; ++i) available = available || name == list.items[i]->name;
    if (available) {
      choose_lane_kernels(simd);
      CHECK(lane_kernels().name == name);
    } else {
      CHECK_THROWS_WITH_AS(choose_lane_kernels(simd), doctest::Contains("baseline"), Error);
    }
  }
  choose_lane_kernels(Simd::kAuto);
  CHECK(lane_kernels().name == widest);
}

}  // namespace cosyvoice
