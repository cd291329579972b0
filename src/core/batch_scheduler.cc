#include "core/batch_scheduler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string>

#include "cosyvoice/engine.h"
#include "runtime/spsc_ring.h"
#include "runtime/wakeup.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kPriorities = 2;  // live, then batch

struct Queue {
  Queue(std::size_t capacity, std::uint32_t batch_cap) : live(capacity), batch(capacity), cap(batch_cap) {}

  SpscRing<const FeatureChunk*>& ring(std::size_t priority) noexcept { return priority == 0 ? live : batch; }

  SpscRing<const FeatureChunk*> live, batch;
  std::uint32_t cap;
};

}  // namespace

struct BatchScheduler::Impl {
  Impl(std::size_t queue_capacity, std::uint32_t most) : capacity(queue_capacity), batch_size(most) {}

  /// The ring of this priority whose head is oldest, or nullptr. Under `choosing`.
  SpscRing<const FeatureChunk*>* oldest(std::size_t priority, std::uint32_t& cap) noexcept {
    SpscRing<const FeatureChunk*>* best = nullptr;
    std::int64_t best_ns = 0;
    const std::uint32_t count = queue_count.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < count; ++i) {
      auto& ring = queues[i]->ring(priority);
      const FeatureChunk* const* head = ring.front();
      if (head == nullptr || (best != nullptr && (*head)->ready_ns >= best_ns)) continue;
      best = &ring;
      best_ns = (*head)->ready_ns;
      cap = queues[i]->cap;
    }
    return best;
  }

  std::size_t choose(const FeatureChunk** out) noexcept {
    const std::lock_guard lock(choosing);
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      std::uint32_t cap = 0;
      auto* ring = oldest(priority, cap);
      if (ring == nullptr) continue;
      std::size_t taken = 0;
      for (; taken < cap; ++taken) {
        const FeatureChunk* const* head = ring->front();
        if (head == nullptr) break;
        out[taken] = *head;
        ring->pop();
      }
      return taken;
    }
    return 0;
  }

  const std::size_t capacity;
  const std::uint32_t batch_size;
  std::mutex adding;    // add_queue() against add_queue()
  std::mutex choosing;  // workers among themselves: together they are the one consumer of every ring
  std::array<std::unique_ptr<Queue>, kMaxQueues> queues;
  std::atomic<std::uint32_t> queue_count{0};  // published after the queue, read by everybody
  std::atomic<bool> stopped{false};
  Wakeup wakeup;
};

BatchScheduler::BatchScheduler(std::size_t capacity, std::uint32_t batch_size) {
  if (capacity == 0 || batch_size == 0) {
    throw Error(ErrorCode::kInvalidArgument, "max_stream and batch_size: expected at least 1 each, found " +
                                                 std::to_string(capacity) + " and " + std::to_string(batch_size));
  }
  impl_ = std::make_unique<Impl>(capacity, batch_size);
}

BatchScheduler::~BatchScheduler() = default;

std::uint32_t BatchScheduler::add_queue(std::uint32_t cap) {
  const std::lock_guard lock(impl_->adding);
  const std::uint32_t index = impl_->queue_count.load(std::memory_order_relaxed);
  if (index == kMaxQueues) {
    throw Error(ErrorCode::kInvalidArgument, "expected at most " + std::to_string(kMaxQueues) +
                                                 " pairs of model and chunk length in one engine, found one more; "
                                                 "use fewer chunk lengths or start another engine");
  }
  impl_->queues[index] = std::make_unique<Queue>(impl_->capacity, std::clamp<std::uint32_t>(cap, 1, impl_->batch_size));
  impl_->queue_count.store(index + 1, std::memory_order_release);
  return index;
}

bool BatchScheduler::push(const FeatureChunk* chunk) noexcept {
  if (chunk->queue >= impl_->queue_count.load(std::memory_order_acquire)) return false;
  if (!impl_->queues[chunk->queue]->ring(chunk->batch_priority ? 1 : 0).push(chunk)) return false;
  impl_->wakeup.notify_one();
  return true;
}

std::size_t BatchScheduler::take(const FeatureChunk** out) noexcept {
  for (;;) {
    const Wakeup::Ticket ticket = impl_->wakeup.prepare();
    if (impl_->stopped.load(std::memory_order_acquire)) return 0;
    if (const std::size_t count = impl_->choose(out); count != 0) return count;
    impl_->wakeup.wait(ticket);
  }
}

void BatchScheduler::stop() noexcept {
  impl_->stopped.store(true, std::memory_order_release);
  impl_->wakeup.notify_all();
}

}  // namespace cosyvoice
