#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backend/ctc_greedy.h"

using cosyvoice::CtcGreedy;
using cosyvoice::TokenTable;
using cosyvoice::Transcript;
using cosyvoice::TranscriptWord;

namespace {

constexpr std::uint32_t kBlank = 0, kA = 1, kB = 2, kC = 3;
constexpr std::size_t kDim = 4;

const TokenTable& table() {
  static const TokenTable tokens({"<blank>", "▁a", "b", "c"}, "▁");
  return tokens;
}

/// One row for each id, with probability 0.7 there and 0.1 elsewhere.
std::vector<float> rows(const std::vector<std::uint32_t>& best) {
  std::vector<float> log_probs;
  for (const std::uint32_t id : best) {
    for (std::uint32_t i = 0; i < kDim; ++i) log_probs.push_back(std::log(i == id ? 0.7F : 0.1F));
  }
  return log_probs;
}

void decode(CtcGreedy& search, const std::vector<std::uint32_t>& best, Transcript& transcript) {
  search.decode(rows(best).data(), best.size(), kDim, transcript);
}

void check_equal(const Transcript& left, const Transcript& right) {
  REQUIRE(left.text() == right.text());
  REQUIRE(left.words().size() == right.words().size());
  for (std::size_t i = 0; i < left.words().size(); ++i) {
    const TranscriptWord &a = left.words()[i], &b = right.words()[i];
    REQUIRE(a.start_frame == b.start_frame);
    REQUIRE(a.end_frame == b.end_frame);
    REQUIRE(a.pieces == b.pieces);
    REQUIRE(a.probability_sum == b.probability_sum);
  }
}

}  // namespace

TEST_CASE("repeats and blanks collapse; frames and blanks are counted") {
  // frame    0 1 2 3 4 5 6 7 8 9
  // best     - a a - b b - b - -      →  "abb", frames 1 to 7, then two blanks
  CtcGreedy search(kBlank);
  Transcript transcript(&table());
  decode(search, {kBlank, kA, kA, kBlank, kB, kB, kBlank, kB, kBlank, kBlank}, transcript);
  CHECK(transcript.text() == "abb");
  REQUIRE(transcript.words().size() == 1);
  CHECK(transcript.words()[0].start_frame == 1);
  CHECK(transcript.words()[0].end_frame == 8);
  CHECK(transcript.words()[0].pieces == 3);
  CHECK(transcript.confidence() == doctest::Approx(0.7));
  CHECK(search.frames() == 10);
  CHECK(search.trailing_blanks() == 2);
}

TEST_CASE("a repeat makes its word end later") {
  // a - a a c c c   →  "a" 0..1, "ac" 2..7: the third frame is another word, since a blank lies between
  CtcGreedy search(kBlank);
  Transcript transcript(&table());
  decode(search, {kA, kBlank, kA, kA, kC, kC, kC}, transcript);
  CHECK(transcript.text() == "a ac");
  REQUIRE(transcript.words().size() == 2);
  CHECK(transcript.words()[0].start_frame == 0);
  CHECK(transcript.words()[0].end_frame == 1);
  CHECK(transcript.words()[1].start_frame == 2);
  CHECK(transcript.words()[1].end_frame == 7);
  CHECK(search.trailing_blanks() == 0);
}

TEST_CASE("ties go to the lowest id") {
  CtcGreedy search(kBlank);
  Transcript transcript(&table());
  const std::vector<float> log_probs = {-2.0F, -1.0F, -1.0F, -1.0F,   // a, b and c alike: a
                                        -1.0F, -1.0F, -1.0F, -1.0F,   // all alike: blank
                                        -3.0F, -3.0F, -1.0F, -1.0F};  // b
  search.decode(log_probs.data(), 3, kDim, transcript);
  CHECK(transcript.text() == "ab");
  CHECK(search.trailing_blanks() == 0);
}

TEST_CASE("minus infinity and very small values are values like others") {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  CtcGreedy search(kBlank);
  Transcript transcript(&table());
  const std::vector<float> log_probs = {kNever, kNever,  kNever, kNever,   // nothing is possible: the lowest id
                                        kNever, kLowest, kNever, kNever,   // a, though its probability rounds to 0
                                        -1e30F, -1e30F,  -1e29F, kLowest,  // b
                                        kNever, kNever,  kNever, -0.0F};   // c, certain
  search.decode(log_probs.data(), 4, kDim, transcript);
  CHECK(transcript.text() == "abc");
  CHECK(transcript.confidence() == doctest::Approx(1.0 / 3.0));
  CHECK(search.trailing_blanks() == 0);
}

TEST_CASE("a value that is no number never wins") {
  const float none = std::nanf("");
  CtcGreedy search(kBlank);
  Transcript transcript(&table());
  const std::vector<float> log_probs = {none, -1.0F, -2.0F, none, -2.0F, none, -1.0F, -3.0F};
  search.decode(log_probs.data(), 2, kDim, transcript);
  CHECK(transcript.text() == "ab");
}

TEST_CASE("the blank may have any id") {
  CtcGreedy search(kC);
  Transcript transcript(&table());
  decode(search, {kC, kA, kC, kB, kC, kC, kC}, transcript);
  CHECK(transcript.text() == "ab");
  CHECK(search.trailing_blanks() == 3);
}

TEST_CASE("however the frames are cut into chunks the result is that of one pass") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> best(40);
    for (auto& id : best) id = static_cast<std::uint32_t>(random() % kDim);
    const std::vector<float> log_probs = rows(best);
    CtcGreedy whole(kBlank), pieces(kBlank);
    Transcript expected(&table()), transcript(&table());
    whole.decode(log_probs.data(), best.size(), kDim, expected);
    for (std::size_t at = 0; at < best.size();) {
      const std::size_t frames = std::min<std::size_t>(random() % 7, best.size() - at);
      pieces.decode(log_probs.data() + at * kDim, frames, kDim, transcript);
      at += frames;
    }
    check_equal(transcript, expected);
    REQUIRE(pieces.frames() == whole.frames());
    REQUIRE(pieces.trailing_blanks() == whole.trailing_blanks());
  }
}

TEST_CASE("reset: a new utterance counts from 0 and holds no piece") {
  CtcGreedy search(kBlank);
  Transcript transcript(&table());
  decode(search, {kBlank, kA, kA}, transcript);
  search.reset();
  transcript.clear();
  CHECK(search.frames() == 0);
  CHECK(search.trailing_blanks() == 0);
  decode(search, {kA, kBlank}, transcript);
  CHECK(transcript.text() == "a");
  CHECK(transcript.words()[0].start_frame == 0);
  CHECK(search.trailing_blanks() == 1);
}

TEST_CASE("a hard cut: a piece held over it is not emitted twice") {
  CtcGreedy search(kBlank);
  Transcript transcript(&table());
  decode(search, {kA, kB, kB}, transcript);
  search.restart_count();
  transcript.clear();
  CHECK(search.frames() == 0);
  decode(search, {kB, kB, kC, kBlank, kA}, transcript);
  CHECK(transcript.text() == "c a");
  CHECK(transcript.words()[0].start_frame == 2);
  CHECK(transcript.words()[1].start_frame == 4);

  search.restart_count();
  transcript.clear();
  decode(search, {kBlank, kA}, transcript);  // after a blank it is a new piece
  CHECK(transcript.text() == "a");
  CHECK(transcript.words()[0].start_frame == 1);
}
