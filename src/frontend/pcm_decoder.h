// Samples in a session's encoding → float in [-1, 1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cosyvoice/engine.h"

namespace cosyvoice {

std::uint32_t bytes_per_sample(Encoding encoding) noexcept;
/// out[i] for i < count; s16le / 32768, f32le as it is, G.711 by table / 32768.
void decode_pcm(Encoding encoding, const std::byte* pcm, std::size_t count, float* out) noexcept;
/// True when every value is finite.
bool all_finite(const float* samples, std::size_t count) noexcept;
void float_to_s16(const float* in, std::size_t count, std::int16_t* out) noexcept;  ///< × 32768, rounded, saturated
void s16_to_float(const std::int16_t* in, std::size_t count, float* out) noexcept;

}  // namespace cosyvoice
