#include "frontend/lane_fft.h"

#include <cmath>
#include <cstddef>

#include "frontend/lane_kernels.h"

namespace cosyvoice {
namespace {

constexpr double kTurn = 6.283185307179586476925286766559;
constexpr std::size_t kPoints = kFftSize / 2;

void add_root(std::vector<float>& table, std::size_t power, std::size_t points) {
  const double angle = kTurn * static_cast<double>(power) / static_cast<double>(points);
  table.push_back(static_cast<float>(std::cos(angle)));
  table.push_back(static_cast<float>(-std::sin(angle)));
}

}  // namespace

LaneFft::LaneFft() {
  for (std::size_t points = kPoints; points > 4; points /= 4) {
    for (std::size_t n = 0; n < points / 4; ++n) {
      for (std::size_t power = 1; power <= 3; ++power) add_root(twiddles, power * n, points);
    }
  }
  for (std::size_t k = 0; k <= kPoints / 2; ++k) add_root(split_twiddles, k, kFftSize);
  for (std::size_t k = 0; k < kPoints; ++k) {
    std::size_t place = 0;
    for (std::size_t rest = k, digit = 0; digit < 4; ++digit, rest /= 4) place = place * 4 + rest % 4;
    order.push_back(static_cast<std::uint16_t>(place));
  }
}

}  // namespace cosyvoice
