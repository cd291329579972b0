// Which slots have news: many threads tell, one looks.
//
// A slot stands in the queue once at most, however often it is told of, so the queue is never full. Its flag is cleared
// before the slot is looked at: news that come from then on put it into the queue again, and none is lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/mpsc_queue.h"
#include "runtime/wakeup.h"

namespace cosyvoice {

class NewsQueue {
 public:
  explicit NewsQueue(std::size_t slots) : told_(slots), queue_(slots) {}

  /// Any thread.
  void tell(std::uint32_t slot) noexcept {
    if (told_[slot].exchange(true, std::memory_order_acq_rel)) return;
    queue_.push(slot);
    wakeup_.notify_one();
  }
  /// The slot stands in the queue. Any thread.
  bool told(std::uint32_t slot) const noexcept { return told_[slot].load(std::memory_order_acquire); }

  // The one who looks.

  /// The next slot; false: none.
  bool take(std::uint32_t& slot) noexcept {
    if (!queue_.pop(slot)) return false;
    clear(slot);
    return true;
  }
  /// Replaces `slots` by all that stand in the queue, each once: flags are cleared only when the last was taken out.
  void take_all(std::vector<std::uint32_t>& slots) noexcept {
    slots.clear();
    std::uint32_t slot = 0;
    while (queue_.pop(slot)) slots.push_back(slot);  // as many as there are slots: within what the caller reserved
    for (const std::uint32_t taken : slots) clear(taken);
  }
  /// To sleep on while there is nothing; tell() wakes it.
  Wakeup& wakeup() noexcept { return wakeup_; }

 private:
  /// An exchange, not a store: it sees what the teller wrote before its tell() found the flag set.
  void clear(std::uint32_t slot) noexcept { told_[slot].exchange(false, std::memory_order_acq_rel); }

  std::vector<std::atomic<bool>> told_;
  MpscQueue<std::uint32_t> queue_;
  Wakeup wakeup_;
};

}  // namespace cosyvoice
