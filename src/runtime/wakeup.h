// How one stage wakes another: an event count on a futex. A notify() costs one atomic add, and a system call only when
// somebody sleeps; no notify() between prepare() and wait() is lost.
//
//   waiter:   for (;;) { const auto ticket = wakeup.prepare(); if (work()) continue; wakeup.wait(ticket); }
//   notifier: publish the work; wakeup.notify_one();
#pragma once

#include <atomic>
#include <cstdint>

namespace cosyvoice {

class Wakeup {
 public:
  using Ticket = std::uint32_t;
  /// Before looking for work.
  Ticket prepare() const noexcept { return epoch_.load(std::memory_order_seq_cst); }
  /// Sleeps until a notify after prepare(), or `deadline_ns` (CLOCK_MONOTONIC; < 0: none). False: the deadline passed.
  bool wait(Ticket ticket, std::int64_t deadline_ns = -1) noexcept;
  void notify_one() noexcept { notify(1); }
  void notify_all() noexcept { notify(INT32_MAX); }

 private:
  void notify(std::int32_t threads) noexcept;
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace cosyvoice
