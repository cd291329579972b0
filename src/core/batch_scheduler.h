// Chunks that are ready → batches for idle workers.
//
// One producer, the Front-End thread, pushes; each queue is a lock-free SPSC ring, so the Front-End never waits. Workers
// choose under a lock of their own, which the Front-End does not take: live before batch priority, among queues of one level the one
// whose head is oldest (ready_ns), and from it up to min(batch_size, the queue's cap) chunks, oldest first. An idle worker takes what
// is ready at once; workers sleep on a futex and are woken by push().
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

  /// A queue for one (model version, chunk length); `cap` bounds its batches. Returns its index. Any thread, any time.
  std::uint32_t add_queue(std::uint32_t cap);
  /// Front-End thread only. The chunk object stays the caller's and must live until the Back-End hands its slot back.
  void push(const FeatureChunk* chunk);
  /// A worker: blocks until chunks are ready, fills out[0 … n) with chunks of one queue, returns n; 0 after stop().
  std::size_t take(const FeatureChunk** out);
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cosyvoice
