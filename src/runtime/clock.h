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

/// The moment `timeout_ms` from now; -1, no deadline, where that is below 0 or cannot be counted in nanoseconds.
inline std::int64_t deadline_of(std::int64_t timeout_ms) noexcept {
  constexpr std::int64_t kLongestMs = std::int64_t{1} << 40;  // 34 years
  return timeout_ms < 0 || timeout_ms > kLongestMs ? -1 : now_ns() + timeout_ms * kNsPerMs;
}

constexpr double to_ms(std::int64_t ns) noexcept {
  return static_cast<double>(ns) / static_cast<double>(kNsPerMs);
}

}  // namespace cosyvoice
