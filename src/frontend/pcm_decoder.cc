#include "frontend/pcm_decoder.h"

#include <array>
#include <cmath>
#include <cstring>

namespace cosyvoice {
namespace {

constexpr float kFullScale = 32768.0F;
using Table = std::array<float, 256>;

// ITU-T G.711. A code is sign, 3 bits of segment and 4 bits of step, some of them inverted on the line. Both laws are
// 13- or 14-bit; shifted to 16 bits as the recommendation's software library does.
constexpr int mulaw_sample(unsigned code) {
  const unsigned bits = ~code & 0xFFU;  // every bit is inverted
  const unsigned segment = bits >> 4U & 7U, step = bits & 15U;
  // Segment s spans 16 steps of 2^(s+3) from 132·2^s - 132, and a step decodes to its middle.
  const int magnitude = static_cast<int>(((step << 3U) + 132U) << segment) - 132;
  return (bits & 0x80U) != 0 ? -magnitude : magnitude;
}

constexpr int alaw_sample(unsigned code) {
  const unsigned bits = code ^ 0x55U;  // even bits are inverted
  const unsigned segment = bits >> 4U & 7U, step = bits & 15U;
  // Segments 0 and 1 have steps of 16, each later one twice that; a step decodes to its middle.
  const unsigned middle = (step << 4U) + 8U;
  const auto magnitude = static_cast<int>(segment == 0 ? middle : (middle + 256U) << (segment - 1U));
  return (bits & 0x80U) != 0 ? magnitude : -magnitude;
}

constexpr Table make_table(int (*sample)(unsigned)) {
  Table table{};
  for (unsigned code = 0; code < 256; ++code) table[code] = static_cast<float>(sample(code)) / kFullScale;
  return table;
}

constexpr Table kMulawTable = make_table(mulaw_sample);
constexpr Table kAlawTable = make_table(alaw_sample);

void look_up(const Table& table, const std::byte* pcm, std::size_t count, float* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) out[i] = table[std::to_integer<std::size_t>(pcm[i])];
}

}  // namespace

std::uint32_t bytes_per_sample(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::kS16le:
      return 2;
    case Encoding::kF32le:
      return 4;
    case Encoding::kMulaw:
    case Encoding::kAlaw:
      break;
  }
  return 1;
}

void decode_pcm(Encoding encoding, const std::byte* pcm, std::size_t count, float* out) noexcept {
  switch (encoding) {
    case Encoding::kS16le:
      for (std::size_t i = 0; i < count; ++i) {
        std::int16_t sample;  // `pcm` need not be aligned
        std::memcpy(&sample, pcm + 2 * i, sizeof(sample));
        out[i] = static_cast<float>(sample) / kFullScale;
      }
      break;
    case Encoding::kF32le:
      if (count > 0) std::memcpy(out, pcm, count * sizeof(float));
      break;
    case Encoding::kMulaw:
      look_up(kMulawTable, pcm, count, out);
      break;
    case Encoding::kAlaw:
      look_up(kAlawTable, pcm, count, out);
      break;
  }
}

bool all_finite(const float* samples, std::size_t count) noexcept {
  constexpr std::uint32_t kExponent = 0x7F800000U;  // all ones in infinities and NaNs alone
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, samples + i, sizeof(bits));
    bad |= static_cast<std::uint32_t>((bits & kExponent) == kExponent);
  }
  return bad == 0;
}

void float_to_s16(const float* in, std::size_t count, std::int16_t* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = in[i] * kFullScale;
    const float low = scaled > -32768.0F ? scaled : -32768.0F;  // NaN too ends here
    out[i] = static_cast<std::int16_t>(std::lrintf(low < 32767.0F ? low : 32767.0F));
  }
}

void s16_to_float(const std::int16_t* in, std::size_t count, float* out) noexcept {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]) / kFullScale;
}

}  // namespace cosyvoice
