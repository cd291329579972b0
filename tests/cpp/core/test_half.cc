#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <openvino/core/type/float16.hpp>
#include <random>

#include "core/half.h"

using cosyvoice::half_bits;

TEST_CASE("float16 bits of known numbers") {
  CHECK(half_bits(0.0F) == 0x0000);
  CHECK(half_bits(-0.0F) == 0x8000);
  CHECK(half_bits(1.0F) == 0x3C00);
  CHECK(half_bits(-2.0F) == 0xC000);
  CHECK(half_bits(65504.0F) == 0x7BFF);
  CHECK(half_bits(65519.0F) == 0x7BFF);
  CHECK(half_bits(65520.0F) == 0x7C00);
  CHECK(half_bits(std::ldexp(1.0F, -24)) == 0x0001);  // the smallest subnormal
  CHECK(half_bits(std::ldexp(1.0F, -25)) == 0x0000);  // half of it: a tie, to even
  CHECK(half_bits(std::ldexp(1.5F, -25)) == 0x0001);
  CHECK(half_bits(std::ldexp(1.0F, -26)) == 0x0000);
  CHECK(half_bits(1.0F + std::ldexp(1.0F, -11)) == 0x3C00);  // a tie, to even
  CHECK(half_bits(1.0F + std::ldexp(3.0F, -11)) == 0x3C02);
  CHECK(half_bits(-std::numeric_limits<float>::infinity()) == 0xFC00);
  CHECK((half_bits(std::nanf("")) & 0x7FFF) > 0x7C00);
}

TEST_CASE("float16 bits of normal numbers agree with OpenVINO's") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> fraction(1.0F, 2.0F);
  std::uniform_int_distribution<int> exponent(-14, 14);
  for (int i = 0; i < 100'000; ++i) {
    const float value = std::ldexp(i % 2 == 0 ? fraction(random) : -fraction(random), exponent(random));
    CHECK(half_bits(value) == ov::float16(value).to_bits());
  }
}

TEST_CASE("subnormal float16 bits count steps of 2^-24, rounded to even") {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> fraction(0.0F, 1.0F);
  std::uniform_int_distribution<int> exponent(-27, -15);
  for (int i = 0; i < 100'000; ++i) {
    const float value = std::ldexp(fraction(random), exponent(random));
    CHECK(half_bits(value) == static_cast<std::uint16_t>(std::nearbyint(std::ldexp(value, 24))));
  }
}
