#include <doctest/doctest.h>

#include <cstdint>

#include "backend/endpointer.h"

using cosyvoice::Cut;
using cosyvoice::EndpointOptions;
using cosyvoice::judge;

TEST_CASE("the table of cuts") {
  struct Row {
    std::int64_t duration_ms, silence_ms;
    bool words, nearly_full;
    Cut cut;
  };
  const EndpointOptions options;  // 2800 of silence; from 30000 on a pause of 100; at 35000 in any case
  const Row rows[] = {
      {5'000, 0, true, false, Cut::kNone},
      {5'000, 2'799, true, false, Cut::kNone},
      {5'000, 2'800, true, false, Cut::kSilence},
      {5'000, 9'000, false, false, Cut::kNone},  // no word yet: silence makes no event
      {60'000, 60'000, false, false, Cut::kNone},
      {60'000, 60'000, false, true, Cut::kNone},
      {29'999, 2'000, true, false, Cut::kNone},  // a pause is not enough yet
      {30'000, 99, true, false, Cut::kNone},
      {30'000, 100, true, false, Cut::kPause},
      {34'999, 99, true, false, Cut::kNone},
      {34'999, 100, true, false, Cut::kPause},
      {35'000, 0, true, false, Cut::kHard},
      {35'000, 100, true, false, Cut::kPause},  // the gentler cut where both would do
      {35'000, 2'800, true, false, Cut::kSilence},
      {1'000, 0, true, true, Cut::kHard},  // no room for another chunk
      {1'000, 2'800, true, true, Cut::kSilence},
      {30'000, 100, true, true, Cut::kPause},
  };
  for (const Row& row : rows) {
    CAPTURE(row.duration_ms);
    CAPTURE(row.silence_ms);
    CAPTURE(row.words);
    CAPTURE(row.nearly_full);
    CHECK(static_cast<int>(judge(options, row.duration_ms, row.silence_ms, row.words, row.nearly_full)) ==
          static_cast<int>(row.cut));
  }
}

TEST_CASE("the options are what decides") {
  EndpointOptions options;
  options.partial_timeout_ms = 500;
  options.max_utterance_ms = 2'000;
  options.pause_ms = 50;
  options.hard_limit_ms = 3'000;
  CHECK(judge(options, 600, 500, true, false) == Cut::kSilence);
  CHECK(judge(options, 1'999, 499, true, false) == Cut::kNone);
  CHECK(judge(options, 2'000, 50, true, false) == Cut::kPause);
  CHECK(judge(options, 3'000, 49, true, false) == Cut::kHard);
}
