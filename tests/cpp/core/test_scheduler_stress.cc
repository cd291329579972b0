#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "core/batch_scheduler.h"
#include "runtime/mpsc_queue.h"
#include "runtime/wakeup.h"

using namespace cosyvoice;

namespace {

constexpr std::uint32_t kSlots = 64;
constexpr std::uint32_t kWorkers = 4;
constexpr std::uint32_t kBatch = 8;
constexpr std::uint32_t kChunksEach = 150;
constexpr std::array<std::uint32_t, 3> kLengths = {16, 32, 64};

/// A stub encoder: what a worker saw of one batch.
struct Batch {
  std::uint32_t queue = 0;
  bool is_batch_priority = false;
  std::vector<std::int64_t> ready;
};

}  // namespace

TEST_CASE("under load every chunk is computed once, in order, in batches of one length") {
  BatchScheduler scheduler(kSlots, kBatch);
  std::vector<std::uint32_t> queues = {scheduler.add_queue(kBatch), scheduler.add_queue(3)};
  MpscQueue<std::uint32_t> returned(kSlots);
  Wakeup producer_wakeup;
  std::array<std::vector<Batch>, kWorkers> seen;
  std::array<std::uint32_t, kSlots> runs{};  // a slot is one worker's at a time, as its states are: no atomics here
  std::atomic<std::uint32_t> mixed{0};

  std::vector<std::thread> workers;
  for (std::uint32_t w = 0; w < kWorkers; ++w) {
    workers.emplace_back([&, w] {
      const FeatureChunk* out[kBatch];
      while (const std::size_t count = scheduler.take(out)) {
        Batch batch;
        batch.queue = out[0]->queue;
        batch.is_batch_priority = out[0]->batch_priority;
        for (std::size_t i = 0; i < count; ++i) {
          if (out[i]->queue != batch.queue || out[i]->batch_priority != batch.is_batch_priority ||
              out[i]->frames != kLengths[batch.queue]) {
            ++mixed;
          }
          batch.ready.push_back(out[i]->ready_ns);
          ++runs[out[i]->slot];
        }
        seen[w].push_back(std::move(batch));
        for (std::size_t i = 0; i < count; ++i) {
          while (!returned.push(out[i]->slot)) std::this_thread::yield();
        }
        producer_wakeup.notify_one();
      }
    });
  }

  std::thread adder([&] {
    const auto index = scheduler.add_queue(kBatch);  // while the others run
    CHECK(index == 2);
  });
  adder.join();
  queues.push_back(2);

  std::vector<FeatureChunk> chunks(kSlots);
  std::vector<std::uint32_t> left(kSlots, kChunksEach);
  std::mt19937 random(11);
  std::int64_t clock = 0;
  std::array<std::array<std::vector<std::int64_t>, 2>, 3> pushed;
  const auto submit = [&](std::uint32_t slot) {
    FeatureChunk& chunk = chunks[slot];
    chunk.slot = slot;
    chunk.queue = queues[std::uniform_int_distribution<std::size_t>(0, 2)(random)];
    chunk.frames = kLengths[chunk.queue];
    chunk.batch_priority = slot % 8 == 0;
    chunk.ready_ns = ++clock;
    pushed[chunk.queue][chunk.batch_priority ? 1 : 0].push_back(chunk.ready_ns);
    CHECK(scheduler.push(&chunk));
    --left[slot];
  };
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) submit(slot);
  std::uint32_t done = 0;
  while (done < kSlots * kChunksEach) {
    const Wakeup::Ticket ticket = producer_wakeup.prepare();
    std::uint32_t slot = 0;
    if (!returned.pop(slot)) {
      producer_wakeup.wait(ticket);
      continue;
    }
    ++done;
    if (left[slot] != 0) submit(slot);
  }
  scheduler.stop();
  for (std::thread& worker : workers) worker.join();

  CHECK(mixed == 0);
  for (const std::uint32_t count : runs) CHECK(count == kChunksEach);
  std::array<std::array<std::vector<std::int64_t>, 2>, 3> computed;
  for (const auto& batches : seen) {
    for (const Batch& batch : batches) {
      CHECK(batch.ready.size() <= (batch.queue == 1 ? 3 : kBatch));
      CHECK(std::is_sorted(batch.ready.begin(), batch.ready.end()));
      auto& all = computed[batch.queue][batch.is_batch_priority ? 1 : 0];
      // A batch is a piece of the queue with no gap: nothing younger was taken before something older.
      const auto& order = pushed[batch.queue][batch.is_batch_priority ? 1 : 0];
      const auto begin = std::lower_bound(order.begin(), order.end(), batch.ready.front());
      CHECK(std::equal(batch.ready.begin(), batch.ready.end(), begin));
      all.insert(all.end(), batch.ready.begin(), batch.ready.end());
    }
  }
  for (std::size_t queue = 0; queue < 3; ++queue) {
    for (std::size_t priority = 0; priority < 2; ++priority) {
      auto& all = computed[queue][priority];
      std::sort(all.begin(), all.end());
      CHECK(all == pushed[queue][priority]);
    }
  }
}
