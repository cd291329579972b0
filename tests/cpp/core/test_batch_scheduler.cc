#include <doctest/doctest.h>

#include <vector>

#include "core/batch_scheduler.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;

namespace {

FeatureChunk chunk_of(std::uint32_t slot, std::uint32_t queue, std::int64_t ready_ns, bool is_batch = false) {
  FeatureChunk chunk;
  chunk.slot = slot;
  chunk.queue = queue;
  chunk.ready_ns = ready_ns;
  chunk.batch_priority = is_batch;
  return chunk;
}

std::vector<std::uint32_t> taken_slots(BatchScheduler& scheduler) {
  const FeatureChunk* out[32] = {};
  const std::size_t count = scheduler.take(out);
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < count; ++i) slots.push_back(out[i]->slot);
  return slots;
}

using Slots = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("the queue with the oldest head is served, and a batch never mixes queues") {
  BatchScheduler scheduler(16, 16);
  const auto first = scheduler.add_queue(16), second = scheduler.add_queue(16);
  const FeatureChunk chunks[] = {chunk_of(0, first, 20), chunk_of(1, second, 10), chunk_of(2, first, 30),
                                 chunk_of(3, second, 40)};
  for (const auto& chunk : chunks) CHECK(scheduler.push(&chunk));
  CHECK(taken_slots(scheduler) == Slots{1, 3});
  CHECK(taken_slots(scheduler) == Slots{0, 2});
}

TEST_CASE("the smaller of the queue's cap and batch_size bounds a batch; the rest keeps its order") {
  BatchScheduler scheduler(16, 3);
  const auto wide = scheduler.add_queue(16), narrow = scheduler.add_queue(2);
  std::vector<FeatureChunk> chunks;
  for (std::uint32_t i = 0; i < 5; ++i) chunks.push_back(chunk_of(i, wide, 100 + i));
  for (std::uint32_t i = 5; i < 8; ++i) chunks.push_back(chunk_of(i, narrow, 200 + i));
  for (const auto& chunk : chunks) CHECK(scheduler.push(&chunk));
  CHECK(taken_slots(scheduler) == Slots{0, 1, 2});
  CHECK(taken_slots(scheduler) == Slots{3, 4});
  CHECK(taken_slots(scheduler) == Slots{5, 6});
  CHECK(taken_slots(scheduler) == Slots{7});
}

TEST_CASE("live chunks go first, however old a batch chunk is") {
  BatchScheduler scheduler(16, 16);
  const auto one = scheduler.add_queue(16), other = scheduler.add_queue(16);
  const FeatureChunk chunks[] = {chunk_of(0, one, 1, true), chunk_of(1, other, 50), chunk_of(2, one, 60),
                                 chunk_of(3, other, 2, true)};
  for (const auto& chunk : chunks) CHECK(scheduler.push(&chunk));
  CHECK(taken_slots(scheduler) == Slots{1});
  CHECK(taken_slots(scheduler) == Slots{2});
  CHECK(taken_slots(scheduler) == Slots{0});
  CHECK(taken_slots(scheduler) == Slots{3});
}

TEST_CASE("a full or unknown queue does not take the chunk") {
  BatchScheduler scheduler(2, 16);
  const auto queue = scheduler.add_queue(1);
  const FeatureChunk chunks[] = {chunk_of(0, queue, 1), chunk_of(1, queue, 2), chunk_of(2, queue, 3),
                                 chunk_of(3, 7, 4)};
  CHECK(scheduler.push(&chunks[0]));
  CHECK(scheduler.push(&chunks[1]));
  CHECK_FALSE(scheduler.push(&chunks[2]));
  CHECK_FALSE(scheduler.push(&chunks[3]));
  CHECK(taken_slots(scheduler) == Slots{0});
  CHECK(scheduler.push(&chunks[2]));
}

TEST_CASE("stop lets a worker go even when chunks wait") {
  BatchScheduler scheduler(2, 16);
  const FeatureChunk chunk = chunk_of(0, scheduler.add_queue(1), 1);
  CHECK(scheduler.push(&chunk));
  scheduler.stop();
  CHECK(taken_slots(scheduler).empty());
}

TEST_CASE("limits are refused at the edge") {
  CHECK_THROWS_AS(BatchScheduler(0, 1), Error);
  CHECK_THROWS_AS(BatchScheduler(1, 0), Error);
  BatchScheduler scheduler(1, 1);
  for (std::uint32_t i = 0; i < BatchScheduler::kMaxQueues; ++i) CHECK(scheduler.add_queue(1) == i);
  CHECK_THROWS_WITH_AS(scheduler.add_queue(1), doctest::Contains("at most 64"), Error);
}
