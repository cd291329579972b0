// Records of a fixed number of bits, side by side, without padding: the lowest bits of a record come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cosyvoice::lm {

inline constexpr unsigned kWidestField =
    57;  ///< bits that one load of 8 bytes holds whatever the field's offset in a byte
inline constexpr std::uint64_t kLoadBytes = 8;  ///< must follow the last record, so that a load stays inside

/// How many bits hold every number from 0 to `largest`.
constexpr unsigned bits_for(std::uint64_t largest) noexcept {
  unsigned bits = 0;
  for (; largest != 0; largest >>= 1U) ++bits;
  return bits;
}

constexpr std::uint64_t mask_of(unsigned bits) noexcept {
  return (std::uint64_t{1} << bits) - 1;
}

/// The field of `bits` (kWidestField at most) that begins at bit `at` of `data`; at/8 + kLoadBytes must lie inside.
inline std::uint64_t load_bits(const std::byte* data, std::uint64_t at, unsigned bits) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, data + at / 8, sizeof word);
  return (word >> (at % 8)) & mask_of(bits);
}

inline float float_of(std::uint64_t bits) noexcept {
  const auto low = static_cast<std::uint32_t>(bits);
  float value = 0.0F;
  std::memcpy(&value, &low, sizeof value);
  return value;
}

inline std::uint32_t bits_of(float value) noexcept {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace cosyvoice::lm
