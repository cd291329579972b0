// Logarithms of probabilities that may be 0.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

namespace cosyvoice {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// ln(e^a + e^b)
inline float log_sum(float a, float b) noexcept {
  if (a < b) std::swap(a, b);
  const float apart = a - b;
  // Beyond this the smaller one is less than half the last bit of the larger.
  if (b == kNever || apart > 17.0F) return a;
  return a + std::log1p(std::exp(-apart));
}

/// A network's output where it is to be a log-probability: never above 0, and no NaN.
inline float log_probability_of(float value) noexcept {
  if (value <= 0.0F) return value;
  return value > 0.0F ? 0.0F : kNever;
}

}  // namespace cosyvoice
