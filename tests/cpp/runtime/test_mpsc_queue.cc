#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/mpsc_queue.h"
#include "runtime/wakeup.h"

using cosyvoice::MpscQueue;
using cosyvoice::Wakeup;

TEST_CASE("a queue gives items back in order and says when it is full or empty") {
  MpscQueue<int> queue(4);
  int item = 0;
  CHECK_FALSE(queue.pop(item));
  for (int lap = 0; lap < 3; ++lap) {
    for (int i = 0; i < 4; ++i) CHECK(queue.push(10 * lap + i));
    CHECK_FALSE(queue.push(99));
    for (int i = 0; i < 4; ++i) {
      REQUIRE(queue.pop(item));
      CHECK(item == 10 * lap + i);
    }
    CHECK_FALSE(queue.pop(item));
  }
}

TEST_CASE("a queue asked to hold one item never overwrites what was not taken") {
  MpscQueue<int> queue(1);
  int pushed = 0;
  while (queue.push(pushed)) ++pushed;
  REQUIRE(pushed == static_cast<int>(queue.capacity()));
  for (int i = 0; i < pushed; ++i) {
    int item = -1;
    REQUIRE(queue.pop(item));
    CHECK(item == i);
  }
  int item = -1;
  CHECK_FALSE(queue.pop(item));
}

TEST_CASE("many producers: nothing is lost or doubled, and each producer's order is kept") {
  struct Item {
    std::uint32_t producer = 0;
    std::uint32_t number = 0;
  };
  constexpr std::uint32_t kProducers = 4, kItems = 20'000;
  for (const std::size_t capacity : {2, 64}) {
    CAPTURE(capacity);
    MpscQueue<Item> queue(capacity);
    Wakeup filled, emptied;
    std::vector<std::thread> producers;
    for (std::uint32_t p = 0; p < kProducers; ++p) {
      producers.emplace_back([&, p] {
        for (std::uint32_t i = 0; i < kItems; ++i) {
          for (;;) {
            const Wakeup::Ticket ticket = emptied.prepare();
            if (queue.push({p, i})) break;
            emptied.wait(ticket);
          }
          filled.notify_one();
        }
      });
    }
    std::vector<std::uint32_t> next(kProducers, 0);
    std::uint32_t wrong = 0;
    for (std::uint32_t taken = 0; taken < kProducers * kItems;) {
      const Wakeup::Ticket ticket = filled.prepare();
      Item item;
      if (!queue.pop(item)) {
        filled.wait(ticket);
        continue;
      }
      emptied.notify_all();
      if (item.producer >= kProducers || item.number != next[item.producer]) {
        ++wrong;
      } else {
        ++next[item.producer];
      }
      ++taken;
    }
    for (std::thread& producer : producers) producer.join();
    CHECK(wrong == 0);
    Item item;
    CHECK_FALSE(queue.pop(item));
  }
}
