#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/allocation_counter.h"

namespace testing = cosyvoice::testing;

namespace {

thread_local bool elsewhere = false;
bool is_elsewhere() noexcept {
  return elsewhere;
}

/// Through a volatile pointer, so that the compiler cannot leave the allocation out.
void allocate_once() {
  int* volatile memory = new int(1);
  delete memory;
}

}  // namespace

TEST_CASE("every form of new is counted on the thread that calls it") {
  const std::uint64_t before = testing::allocations_of_this_thread();
  allocate_once();
  CHECK(testing::allocations_of_this_thread() - before == 1);
  struct alignas(64) Wide {
    char bytes[64];
  };
  Wide* volatile wide = new Wide;
  delete wide;
  char* volatile array = new char[100];
  delete[] array;
  CHECK(testing::allocations_of_this_thread() - before == 3);
}

TEST_CASE("what does not allocate counts nothing") {
  std::vector<int> numbers;
  numbers.reserve(100);
  std::string text(200, 'x');
  const std::uint64_t before = testing::allocations_of_this_thread();
  for (int i = 0; i < 100; ++i) numbers.push_back(i);
  text.assign(150, 'y');
  CHECK(testing::allocations_of_this_thread() == before);
}

TEST_CASE("another thread's allocations are its own, and in the sum") {
  std::uint64_t theirs = 0;
  const std::uint64_t all_before = testing::allocations_of_all_threads();
  std::thread thread([&] {
    const std::uint64_t before = testing::allocations_of_this_thread();
    for (int i = 0; i < 10; ++i) allocate_once();
    theirs = testing::allocations_of_this_thread() - before;
  });
  thread.join();
  CHECK(theirs == 10);
  CHECK(testing::allocations_of_all_threads() - all_before >= 10);
}

TEST_CASE("allocations are skipped while the condition holds or a guard lives") {
  testing::skip_allocations_while(is_elsewhere);
  const std::uint64_t before = testing::allocations_of_this_thread();
  elsewhere = true;
  allocate_once();
  elsewhere = false;
  CHECK(testing::allocations_of_this_thread() == before);
  allocate_once();
  CHECK(testing::allocations_of_this_thread() == before + 1);
  {
    const testing::AllocationsSkipped skipped;
    allocate_once();
  }
  CHECK(testing::allocations_of_this_thread() == before + 1);
  testing::skip_allocations_while(nullptr);
}
