#include <doctest/doctest.h>

#include <cstdint>

#include "backend/endpointer.h"

using cosyvoice::Cut;
using cosyvoice::Endpointer;
using cosyvoice::EndpointOptions;
using cosyvoice::UtteranceSoFar;

namespace {

struct Row {
  std::int64_t length_ms, silence_ms;
  bool words, nearly_full;
  Cut cut;
};

template <std::size_t kRows>
void check(const EndpointOptions& options, const Row (&rows)[kRows]) {
  const Endpointer endpointer(options);
  for (const Row& row : rows) {
    CAPTURE(row.length_ms);
    CAPTURE(row.silence_ms);
    CAPTURE(row.words);
    CAPTURE(row.nearly_full);
    const UtteranceSoFar so_far{row.length_ms, row.silence_ms, row.words, row.nearly_full};
    CHECK(static_cast<int>(endpointer.judge(so_far)) == static_cast<int>(row.cut));
  }
}

}  // namespace

TEST_CASE("the table of cuts") {
  // 2800 of silence; from 30000 on a pause of 100; at 35000 in any case
  check(EndpointOptions{}, {
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
                           });
}

TEST_CASE("the options are what decides") {
  EndpointOptions options;
  options.start_timeout_ms = 4'000;
  options.partial_timeout_ms = 500;
  options.max_utterance_ms = 2'000;
  options.pause_ms = 50;
  options.hard_limit_ms = 3'000;
  check(options, {
                     {600, 500, true, false, Cut::kSilence},
                     {1'999, 499, true, false, Cut::kNone},
                     {2'000, 50, true, false, Cut::kPause},
                     {3'000, 49, true, false, Cut::kHard},
                     {3'999, 3'999, false, false, Cut::kNone},
                     {4'000, 4'000, false, false, Cut::kNoSpeech},
                     {9'000, 3'999, false, false, Cut::kNone},  // noise that gave no word: silence counts after it
                 });
}

TEST_CASE("the silence that is left is what the first rule to hold still asks for") {
  EndpointOptions options;
  options.partial_timeout_ms = 800;
  options.max_utterance_ms = 10'000;
  const Endpointer endpointer(options);
  CHECK(endpointer.silence_left_ms({1'000, 0, true, false}) == 800);
  CHECK(endpointer.silence_left_ms({1'000, 300, true, false}) == 500);
  CHECK(endpointer.silence_left_ms({1'000, 900, true, false}) == 0);
  CHECK(endpointer.silence_left_ms({9'900, 0, true, false}) == 100);  // max_utterance, then a pause
  CHECK(endpointer.silence_left_ms({9'980, 90, true, false}) == 20);
  CHECK(endpointer.silence_left_ms({50'000, 5'000, false, false}) == INT64_MAX);
  options.start_timeout_ms = 6'000;
  CHECK(Endpointer(options).silence_left_ms({5'000, 5'000, false, false}) == 1'000);

  // What is left is exactly what was missing: one millisecond less does not end it.
  for (const UtteranceSoFar so_far : {UtteranceSoFar{500, 100, true, false}, UtteranceSoFar{9'700, 0, true, false}}) {
    const std::int64_t left = endpointer.silence_left_ms(so_far);
    CHECK(endpointer.judge({so_far.length_ms + left, so_far.silence_ms + left, true, false}) != Cut::kNone);
    CHECK(endpointer.judge({so_far.length_ms + left - 1, so_far.silence_ms + left - 1, true, false}) == Cut::kNone);
  }
}
