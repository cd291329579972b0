#pragma once

#include <cstdint>

namespace cosyvoice {

/// The bits of the float16 nearest to `value` (ties to even); beyond its range an infinity.
std::uint16_t half_bits(float value) noexcept;

}  // namespace cosyvoice
