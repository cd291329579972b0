#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "runtime/news_queue.h"

using cosyvoice::NewsQueue;

TEST_CASE("a slot stands in the queue once, however often it is told of") {
  NewsQueue queue(4);
  std::vector<std::uint32_t> slots;
  slots.reserve(4);
  queue.tell(2);
  queue.tell(2);
  queue.tell(0);
  CHECK(queue.told(2));
  CHECK_FALSE(queue.told(1));
  queue.take_all(slots);
  CHECK(slots == std::vector<std::uint32_t>{2, 0});
  CHECK_FALSE(queue.told(2));
  queue.tell(2);
  std::uint32_t slot = 0;
  CHECK(queue.take(slot));
  CHECK(slot == 2);
  CHECK_FALSE(queue.take(slot));
}

TEST_CASE("told of while all are taken, a slot comes in the next round, not twice in one; no news is lost") {
  constexpr std::uint32_t kSlots = 3;
  constexpr std::uint64_t kNews = 100'000;
  NewsQueue queue(kSlots);
  std::atomic<std::uint64_t> written[kSlots] = {};
  std::vector<std::thread> tellers;
  for (std::uint32_t teller = 0; teller < kSlots; ++teller) {
    tellers.emplace_back([&, teller] {
      for (std::uint64_t i = 1; i <= kNews; ++i) {
        written[teller].store(i, std::memory_order_relaxed);
        queue.tell(teller);
      }
    });
  }
  std::uint64_t seen[kSlots] = {};
  std::vector<std::uint32_t> slots;
  slots.reserve(kSlots);
  std::uint64_t twice = 0;
  while (*std::min_element(seen, seen + kSlots) < kNews) {
    const auto ticket = queue.wakeup().prepare();
    queue.take_all(slots);
    if (slots.empty()) {
      queue.wakeup().wait(ticket);
      continue;
    }
    std::sort(slots.begin(), slots.end());
    twice += std::adjacent_find(slots.begin(), slots.end()) != slots.end() ? 1 : 0;
    for (const std::uint32_t slot : slots) seen[slot] = written[slot].load(std::memory_order_relaxed);
  }
  for (std::thread& teller : tellers) teller.join();
  CHECK(twice == 0);
}
