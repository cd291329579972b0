// What the whole engine counts: written by its stages, read by stats().
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/histogram.h"

namespace cosyvoice {

struct Counters {
  std::atomic<std::uint64_t> sessions_opened{0}, sessions_ended{0};
  std::atomic<std::uint64_t> accepted_samples{0}, decoded_samples{0}, dropped_samples{0}, skipped_samples{0};
  std::atomic<std::uint64_t> chunks{0}, batches{0};
  std::atomic<std::uint64_t> partials{0}, finals{0}, errors{0}, callback_errors{0};
  std::atomic<std::uint64_t> second_passes{0}, second_pass_timeouts{0}, second_pass_overflows{0},
      second_pass_failures{0}, second_pass_restarts{0}, dictionary_swaps{0}, search_swaps{0}, config_failures{0};
  DelayHistogram partial_delay, final_delay, delivery_delay, second_pass_delay;
};

/// Counters stand alone: nothing is published through them.
inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) noexcept {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace cosyvoice
