#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "cosyvoice/engine.h"
#include "runtime/slab.h"

using cosyvoice::Slab;

TEST_CASE("a slab is zeroed memory of the size asked for") {
  const Slab slab(10'000, "test");
  REQUIRE(slab.data() != nullptr);
  CHECK(slab.size() == 10'000);
  for (std::size_t i = 0; i < slab.size(); ++i) {
    if (slab.data()[i] != std::byte{0}) FAIL("byte ", i, " is not zero");
  }
  slab.data()[slab.size() - 1] = std::byte{7};
  CHECK(slab.data()[slab.size() - 1] == std::byte{7});
}

TEST_CASE("an empty slab maps nothing") {
  const Slab none, zero(0, "test");
  CHECK(none.data() == nullptr);
  CHECK(zero.data() == nullptr);
  CHECK(zero.size() == 0);
}

TEST_CASE("moving a slab moves the memory") {
  Slab first(4096, "test");
  std::byte* const memory = first.data();
  Slab second(std::move(first));
  CHECK(second.data() == memory);
  Slab third;
  third = std::move(second);
  CHECK(third.data() == memory);
  CHECK(third.size() == 4096);
}

TEST_CASE("a slab that cannot be mapped says what for, how much and what to do") {
  try {
    const Slab slab(std::size_t{1} << 62U, "audio rings");
    FAIL("mapped");
  } catch (const cosyvoice::Error& error) {
    CHECK(error.code() == cosyvoice::ErrorCode::kInvalidArgument);
    const std::string message = error.what();
    CHECK(message.find("audio rings") != std::string::npos);
    CHECK(message.find("4611686018427387904") != std::string::npos);
    CHECK(message.find("max_stream") != std::string::npos);
  }
}
