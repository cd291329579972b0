#pragma once

#include <cstddef>

namespace cosyvoice {

/// Indices that different threads write lie this far apart, so that they do not slow each other.
constexpr std::size_t kCacheLine = 64;

constexpr bool is_power_of_two(std::size_t value) noexcept {
  return value != 0 && (value & (value - 1)) == 0;
}
constexpr std::size_t round_up(std::size_t value, std::size_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}
constexpr std::size_t next_power_of_two(std::size_t value) noexcept {
  std::size_t power = 1;
  while (power < value) power *= 2;
  return power;
}

}  // namespace cosyvoice
