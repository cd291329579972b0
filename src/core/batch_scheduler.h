// Chunks that are ready → batches for idle workers.
//
// One producer, the Front-End thread, pushes; each queue is a lock-free SPSC ring, so the Front-End never waits.
// Workers choose under a lock of their own, which the Front-End does not take: live before batch priority, among queues
// of one level the one whose head is oldest (ready_ns), and from it up to min(batch_size, the queue's cap) chunks,
// oldest first. An idle worker takes what is ready at once; workers sleep on a futex and are woken by push().
//
//   push ─► queue 0 │ live  ○○○○    │        ┌► worker: take() → up to cap chunks of the one ring chosen
//                   │ batch ○○      │ choose ┤
//           queue 1 │ live  ○       │ (lock) └► worker
//                   │ batch         │
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "types/feature_chunk.h"

namespace cosyvoice {

class BatchScheduler {
 public:
  /// `capacity`: chunks that one queue can hold; max_stream, since a session has one chunk in flight.
  BatchScheduler(std::size_t capacity, std::uint32_t batch_size);
  ~BatchScheduler();

  /// Queues that one scheduler can hold, so that adding one never moves the others.
  static constexpr std::uint32_t kMaxQueues = 64;

  /// A queue for one (model version, chunk length); `cap` bounds its batches. Returns its index. Any thread, any time.
  /// Throws Error(kInvalidArgument) when kMaxQueues exist.
  std::uint32_t add_queue(std::uint32_t cap);
  /// Front-End thread only. The chunk object stays the caller's and must live until the Back-End hands its slot back.
  /// False, and the chunk is not taken: its queue does not exist or is full, which a session with one chunk in flight
  /// cannot bring about.
  bool push(const FeatureChunk* chunk) noexcept;
  /// A worker: blocks until chunks are ready, fills out[0 … n) with chunks of one queue, returns n; 0 after stop().
  std::size_t take(const FeatureChunk** out) noexcept;
  /// Lets every worker go, at once; chunks that wait stay where they are.
  void stop() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cosyvoice
