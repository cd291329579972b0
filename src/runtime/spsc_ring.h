// A bounded queue from one thread to one other, without locks.
//
//            head (consumer writes)          tail (producer writes)
//              ▼                               ▼
//   … free │ item │ item │ item │ item │ item │ free …        indices only grow; the place is index & mask
//
// Each side keeps a copy of the other's index and reads the shared one only when the copy says "full" or "empty", so in
// the steady state the two threads touch each other's cache line once a lap.
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "runtime/cache_line.h"

namespace cosyvoice {

template <class T>
class SpscRing {
 public:
  static_assert(std::is_nothrow_copy_assignable_v<T>);

  /// Holds at least `capacity` items; all memory is taken here.
  explicit SpscRing(std::size_t capacity) : items_(next_power_of_two(capacity)), mask_(items_.size() - 1) {}

  /// Producer. False: full.
  bool push(const T& item) noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ > mask_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ > mask_) return false;
    }
    items_[tail & mask_] = item;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// Consumer. The oldest item, or nullptr when empty; it stays until pop().
  const T* front() noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_seen_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head == tail_seen_) return nullptr;
    }
    return &items_[head & mask_];
  }

  /// Consumer, after front() gave an item.
  void pop() noexcept { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  std::size_t capacity() const noexcept { return items_.size(); }

 private:
  std::vector<T> items_;
  std::size_t mask_;
  alignas(kCacheLine) std::atomic<std::size_t> head_{0};
  std::size_t tail_seen_ = 0;
  alignas(kCacheLine) std::atomic<std::size_t> tail_{0};
  std::size_t head_seen_ = 0;
};

}  // namespace cosyvoice
