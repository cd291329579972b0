#include <doctest/doctest.h>

#include <cstdint>
#include <thread>

#include "runtime/spsc_ring.h"

using cosyvoice::SpscRing;

TEST_CASE("a ring gives items back in order and says when it is full or empty") {
  SpscRing<int> ring(3);
  REQUIRE(ring.capacity() == 4);
  CHECK(ring.front() == nullptr);
  for (int item = 0; item < 4; ++item) CHECK(ring.push(item));
  CHECK_FALSE(ring.push(4));
  for (int item = 0; item < 4; ++item) {
    REQUIRE(ring.front() != nullptr);
    CHECK(*ring.front() == item);
    CHECK(*ring.front() == item);  // it stays until pop()
    ring.pop();
  }
  CHECK(ring.front() == nullptr);
}

TEST_CASE("a ring of one item works over many laps") {
  SpscRing<int> ring(1);
  for (int lap = 0; lap < 10; ++lap) {
    CHECK(ring.push(lap));
    CHECK_FALSE(ring.push(-1));
    REQUIRE(ring.front() != nullptr);
    CHECK(*ring.front() == lap);
    ring.pop();
    CHECK(ring.front() == nullptr);
  }
}

TEST_CASE("two threads hand over every item once, in order and whole") {
  struct Item {
    std::uint64_t number = 0, square = 0;
  };
  constexpr std::uint64_t kItems = 100'000;
  for (const std::size_t capacity : {1, 2, 8, 1024}) {
    CAPTURE(capacity);
    SpscRing<Item> ring(capacity);
    std::thread producer([&] {
      for (std::uint64_t i = 0; i < kItems;) {
        if (ring.push({i, i * i})) {
          ++i;
        } else {
          std::this_thread::yield();
        }
      }
    });
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < kItems;) {
      const Item* item = ring.front();
      if (item == nullptr) {
        std::this_thread::yield();
        continue;
      }
      if (item->number != i || item->square != i * i) ++wrong;
      ring.pop();
      ++i;
    }
    producer.join();
    CHECK(wrong == 0);
    CHECK(ring.front() == nullptr);
  }
}
