#include "runtime/thread.h"

#include <pthread.h>
#include <xmmintrin.h>

#include <atomic>
#include <csignal>
#include <utility>

namespace cosyvoice {
namespace {

std::atomic<std::uint32_t> forks{0};

constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kDenormalsAreZero = 0x0040;

/// Signals stay blocked for the new thread, which inherits the mask; the caller gets its own back.
class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::thread start_thread(const char* name, std::function<void()> body) {
  const BlockedSignals blocked;
  return std::thread([name, body = std::move(body)] {
    pthread_setname_np(pthread_self(), name);
    _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
    body();
  });
}

std::uint32_t fork_generation() noexcept {
  static const bool registered = [] {
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
    return true;
  }();
  return registered ? forks.load(std::memory_order_relaxed) : 0;
}

}  // namespace cosyvoice
