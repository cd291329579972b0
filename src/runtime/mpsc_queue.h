// A bounded queue from many threads to one, without locks (D. Vyukov's array queue with one consumer).
//
// Every cell carries a ticket. A producer claims the next index with one compare-and-swap, writes its item and raises
// the ticket; the consumer reads cells in order and waits for none: a cell that is claimed but not yet written counts
// as "empty for now".
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "runtime/cache_line.h"

namespace cosyvoice {

template <class T>
class MpscQueue {
 public:
  static_assert(std::is_nothrow_copy_assignable_v<T>);

  /// Holds at least `capacity` items; all memory is taken here. Two cells are the least that tickets can tell apart:
  /// with one, "written" and "free in the next lap" would be the same number.
  explicit MpscQueue(std::size_t capacity)
      : cells_(next_power_of_two(capacity < 2 ? 2 : capacity)), mask_(cells_.size() - 1) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].ticket.store(i, std::memory_order_relaxed);
  }

  /// Any thread. False: full.
  bool push(const T& item) noexcept {
    std::size_t tail = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[tail & mask_];
      const std::size_t ticket = cell.ticket.load(std::memory_order_acquire);
      if (ticket == tail) {
        if (tail_.compare_exchange_weak(tail, tail + 1, std::memory_order_relaxed)) {
          cell.item = item;
          cell.ticket.store(tail + 1, std::memory_order_release);
          return true;
        }
      } else if (static_cast<std::ptrdiff_t>(ticket - tail) < 0) {
        return false;
      } else {
        tail = tail_.load(std::memory_order_relaxed);
      }
    }
  }

  /// The consumer. False: nothing is ready.
  bool pop(T& item) noexcept {
    Cell& cell = cells_[head_ & mask_];
    if (cell.ticket.load(std::memory_order_acquire) != head_ + 1) return false;
    item = cell.item;
    cell.ticket.store(head_ + mask_ + 1, std::memory_order_release);
    ++head_;
    return true;
  }

  std::size_t capacity() const noexcept { return cells_.size(); }

 private:
  struct Cell {
    std::atomic<std::size_t> ticket{0};
    T item{};
  };
  std::vector<Cell> cells_;
  std::size_t mask_;
  alignas(kCacheLine) std::size_t head_ = 0;
  alignas(kCacheLine) std::atomic<std::size_t> tail_{0};
};

}  // namespace cosyvoice
