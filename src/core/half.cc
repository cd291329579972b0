#include "core/half.h"

#include <cstring>

namespace cosyvoice {

std::uint16_t half_bits(float value) noexcept {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);   // NaN
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // rounds past 65504
  std::uint32_t half = 0, rest = 0, middle = 0;
  if (magnitude >=
      0x38800000U) {  // normal: the exponent's bias goes from 127 to 15, 13 bits of fraction are rounded off
    half = (magnitude - 0x38000000U) >> 13U;
    rest = magnitude & 0x1FFFU;
    middle = 0x1000U;
  } else {  // subnormal, in steps of 2^-24
    const std::uint32_t shift = 126U - (magnitude >> 23U);
    if (shift > 24U) return sign;
    const std::uint32_t fraction = (magnitude & 0x7FFFFFU) | 0x800000U;
    half = fraction >> shift;
    rest = fraction & ((1U << shift) - 1U);
    middle = 1U << (shift - 1U);
  }
  if (rest > middle || (rest == middle && (half & 1U) != 0)) ++half;
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace cosyvoice
