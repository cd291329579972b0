#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/clock.h"
#include "runtime/wakeup.h"

using cosyvoice::now_ns;
using cosyvoice::Wakeup;

TEST_CASE("a notify between prepare and wait is not lost") {
  Wakeup wakeup;
  const Wakeup::Ticket ticket = wakeup.prepare();
  wakeup.notify_one();
  CHECK(wakeup.wait(ticket));
}

TEST_CASE("a deadline that has passed ends the wait and says so") {
  Wakeup wakeup;
  CHECK_FALSE(wakeup.wait(wakeup.prepare(), 0));
  CHECK_FALSE(wakeup.wait(wakeup.prepare(), now_ns() + cosyvoice::kNsPerMs));
  const Wakeup::Ticket ticket = wakeup.prepare();
  wakeup.notify_all();
  CHECK(wakeup.wait(ticket, 0));
}

TEST_CASE("ping-pong: neither side sleeps through the other's notify") {
  constexpr int kRounds = 20'000;
  Wakeup to_left, to_right;
  std::atomic<int> turn{0};  // even: left's
  std::thread right([&] {
    for (int round = 1; round < kRounds; round += 2) {
      for (;;) {
        const Wakeup::Ticket ticket = to_right.prepare();
        if (turn.load(std::memory_order_acquire) == round) break;
        to_right.wait(ticket);
      }
      turn.store(round + 1, std::memory_order_release);
      to_left.notify_one();
    }
  });
  for (int round = 0; round < kRounds; round += 2) {
    for (;;) {
      const Wakeup::Ticket ticket = to_left.prepare();
      if (turn.load(std::memory_order_acquire) == round) break;
      to_left.wait(ticket);
    }
    turn.store(round + 1, std::memory_order_release);
    to_right.notify_one();
  }
  right.join();
  CHECK(turn.load() == kRounds);
}

TEST_CASE("notify_all wakes every sleeper") {
  constexpr int kThreads = 4, kRounds = 500;
  Wakeup go, done;
  std::atomic<int> round{0}, arrived{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int expected = 1; expected <= kRounds; ++expected) {
        for (;;) {
          const Wakeup::Ticket ticket = go.prepare();
          if (round.load(std::memory_order_acquire) >= expected) break;
          go.wait(ticket);
        }
        arrived.fetch_add(1, std::memory_order_acq_rel);
        done.notify_one();
      }
    });
  }
  for (int r = 1; r <= kRounds; ++r) {
    round.store(r, std::memory_order_release);
    go.notify_all();
    for (;;) {
      const Wakeup::Ticket ticket = done.prepare();
      if (arrived.load(std::memory_order_acquire) == r * kThreads) break;
      done.wait(ticket);
    }
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(arrived.load() == kThreads * kRounds);
}
