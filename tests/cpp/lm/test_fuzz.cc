#include <doctest/doctest.h>

#include "fuzz.h"

TEST_CASE("damaged models and texts are refused, or read without harm") {
  // The same inputs in every run; `make fuzz` tries other ones for longer.
  cosyvoice::testing::LmFuzzer fuzzer(1);
  for (int i = 0; i < 20'000; ++i) fuzzer.step();
  const cosyvoice::testing::FuzzTally& tally = fuzzer.tally();
  CHECK(tally.faults == 0);
  // The damage is neither so mild nor so heavy that it shows nothing.
  CHECK(tally.models > 15'000);
  CHECK(tally.opened > tally.models / 4);
  CHECK(tally.opened < tally.models);
  CHECK(tally.read > tally.texts / 50);
  CHECK(tally.read < tally.texts / 2);
}
