#include "runtime/affinity.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

std::vector<std::uint32_t> own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  std::vector<std::uint32_t> list;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cores)) list.push_back(cpu);
  }
  return list;
}

}  // namespace

TEST_CASE("lists of cores") {
  using List = std::vector<std::uint32_t>;
  CHECK(parse_cpu_list("").empty());
  CHECK(parse_cpu_list("0") == List{0});
  CHECK(parse_cpu_list("8,0-3,2-4") == List{0, 1, 2, 3, 4, 8});
  CHECK(parse_cpu_list("5-5") == List{5});
  for (const char* text : {"x", "1,", ",1", "1-", "-1", "3-1", "1;2", " 1", "1 ", "1024", "0-4294967296", "1--2"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_cpu_list(text), doctest::Contains("cpus = "), Error);
  }
}

TEST_CASE("threads started inside a scope stay on its cores, the caller gets its own back") {
  const std::vector<std::uint32_t> before = own_cores();
  std::vector<std::uint32_t> inside, in_thread;
  std::thread later;
  {
    const AffinityScope scope({before.back()});
    inside = own_cores();
    CHECK(usable_cores() == 1);
    later = std::thread([&] { in_thread = own_cores(); });
  }
  later.join();
  CHECK(inside == std::vector<std::uint32_t>{before.back()});
  CHECK(in_thread == inside);
  CHECK(own_cores() == before);
}

TEST_CASE("cores that the process may not use are refused") {
  const std::vector<std::uint32_t> before = own_cores();
  CHECK_THROWS_WITH_AS(AffinityScope({before.front(), 1023}), doctest::Contains("but this process may use"), Error);
  CHECK(own_cores() == before);
  const AffinityScope nothing({});
  CHECK(own_cores() == before);
}

}  // namespace cosyvoice
