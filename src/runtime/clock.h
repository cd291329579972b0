// The one clock of all delays.
#pragma once

#include <chrono>
#include <cstdint>

namespace cosyvoice {

/// CLOCK_MONOTONIC in nanoseconds (libstdc++'s steady_clock reads it).
inline std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr double to_ms(std::int64_t ns) noexcept {
  return static_cast<double>(ns) / static_cast<double>(kNsPerMs);
}

}  // namespace cosyvoice
