#include "runtime/wakeup.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace cosyvoice {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value, const timespec* deadline) noexcept {
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation, value, deadline, nullptr,
                 FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

bool Wakeup::wait(Ticket ticket, std::int64_t deadline_ns) noexcept {
  timespec deadline{};
  if (deadline_ns >= 0) {
    deadline.tv_sec = deadline_ns / kNsPerSecond;
    deadline.tv_nsec = deadline_ns % kNsPerSecond;
  }
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  bool notified = true;
  while (epoch_.load(std::memory_order_seq_cst) == ticket) {
    // FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time.
    if (futex(&epoch_, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, ticket, deadline_ns >= 0 ? &deadline : nullptr) != 0 &&
        errno == ETIMEDOUT) {
      notified = epoch_.load(std::memory_order_seq_cst) != ticket;
      break;
    }
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  return notified;
}

void Wakeup::notify(std::int32_t threads) noexcept {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) {
    futex(&epoch_, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, static_cast<std::uint32_t>(threads), nullptr);
  }
}

}  // namespace cosyvoice
