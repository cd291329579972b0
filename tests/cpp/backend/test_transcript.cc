#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backend/transcript.h"

using cosyvoice::ConfidenceMap;
using cosyvoice::TokenTable;
using cosyvoice::Transcript;
using cosyvoice::TranscriptWord;

namespace {

enum Id : std::uint32_t { kBlank, kHel, kLo, kWorld, kMark, kS, kUe, kLd };

const TokenTable& table() {
  static const TokenTable tokens({"<blank>", "▁hel", "lo", "▁world", "▁", "s", "ü", "ld"}, "▁");
  return tokens;
}

std::string_view text_of(const Transcript& transcript, std::size_t word) {
  const TranscriptWord& w = transcript.words().at(word);
  return transcript.text().substr(w.text_begin, w.text_size);
}

/// The text is the words joined by one space, with offsets that agree, and no word is empty.
void check_consistent(const Transcript& transcript) {
  std::string joined;
  for (std::size_t i = 0; i < transcript.words().size(); ++i) {
    if (i != 0) joined += ' ';
    const TranscriptWord& word = transcript.words()[i];
    REQUIRE(word.text_begin == joined.size());
    REQUIRE(word.text_size != 0);
    REQUIRE(word.start_frame < word.end_frame);
    REQUIRE(word.pieces != 0);
    joined += text_of(transcript, i);
  }
  REQUIRE(transcript.text() == joined);
  REQUIRE(transcript.words().size() <= Transcript::kMaxWords);
  REQUIRE(transcript.text().size() <= Transcript::kMaxText);
}

}  // namespace

TEST_CASE("the table splits pieces into text and word boundary") {
  CHECK(table().size() == 8);
  CHECK(table().text(kHel) == "hel");
  CHECK(table().begins_word(kHel));
  CHECK(table().text(kLo) == "lo");
  CHECK_FALSE(table().begins_word(kLo));
  CHECK(table().text(kMark).empty());
  CHECK(table().begins_word(kMark));
  CHECK(table().longest() == 7);  // "<blank>"
}

TEST_CASE("what comes after a pause begins a word, marked or not") {
  const TokenTable tokens({"<blank>", "▁hel", "lo", "▁world", "▁", "s", "ü", "ld"}, "▁", {{}, 1, 10});
  Transcript transcript(&tokens);
  transcript.add_piece(kHel, 3, -0.1F);
  transcript.extend_last(5);
  transcript.add_piece(kLo, 15, -0.1F);
  transcript.add_piece(kS, 26, -0.1F);
  transcript.add_piece(kMark, 30, -0.1F);
  transcript.add_piece(kLd, 45, -0.1F);
  CHECK(transcript.text() == "hello s ld");
  REQUIRE(transcript.words().size() == 3);
  CHECK(transcript.words()[1].start_frame == 25);
  CHECK(transcript.words()[2].start_frame == 44);
  check_consistent(transcript);

  // Without a boundary no word is known, and none is parted.
  const TokenTable characters({"<blank>", "你", "好"}, "", {{}, 0, 10});
  Transcript whole(&characters);
  whole.add_piece(1, 0, -0.1F);
  whole.add_piece(2, 40, -0.1F);
  CHECK(whole.text() == "你好");
}

TEST_CASE("the boundary may be any string, and no boundary begins no word") {
  const TokenTable spaces({" the", "re"}, " ");
  CHECK(spaces.begins_word(0));
  CHECK(spaces.text(0) == "the");
  const TokenTable none({"▁a", "b"}, "");
  CHECK_FALSE(none.begins_word(0));
  CHECK(none.text(0) == "▁a");
}

TEST_CASE("pieces become words with frames and mean probability") {
  Transcript transcript(&table());
  CHECK(transcript.empty());
  CHECK(transcript.confidence() == 0.0F);
  transcript.add_piece(kHel, 3, std::log(0.8F));
  transcript.add_piece(kLo, 5, std::log(0.6F));
  transcript.extend_last(6);
  transcript.add_piece(kWorld, 9, std::log(0.5F));
  REQUIRE(transcript.words().size() == 2);
  CHECK(transcript.text() == "hello world");
  CHECK(text_of(transcript, 0) == "hello");
  CHECK(transcript.words()[0].start_frame == 3);
  CHECK(transcript.words()[0].end_frame == 7);
  CHECK(transcript.words()[0].confidence() == doctest::Approx(0.7));
  CHECK(text_of(transcript, 1) == "world");
  CHECK(transcript.words()[1].start_frame == 9);
  CHECK(transcript.words()[1].end_frame == 10);
  CHECK(transcript.words()[1].confidence() == doctest::Approx(0.5));
  CHECK(transcript.confidence() == doctest::Approx(0.6));
  check_consistent(transcript);
}

TEST_CASE("a first piece without the mark starts a word too, also after clear") {
  Transcript transcript(&table());
  for (int round = 0; round < 2; ++round) {
    transcript.add_piece(kLo, 2, 0.0F);
    transcript.add_piece(kS, 3, 0.0F);
    REQUIRE(transcript.words().size() == 1);
    CHECK(transcript.text() == "los");
    CHECK(transcript.words()[0].start_frame == 2);
    transcript.clear();
    CHECK(transcript.empty());
    CHECK(transcript.text().empty());
  }
}

TEST_CASE("the mark alone opens a word that shows only with its first text") {
  Transcript transcript(&table());
  transcript.add_piece(kMark, 1, std::log(0.5F));
  transcript.extend_last(2);
  CHECK(transcript.empty());
  CHECK(transcript.text().empty());
  transcript.add_piece(kS, 4, std::log(0.9F));
  REQUIRE(transcript.words().size() == 1);
  CHECK(transcript.text() == "s");
  CHECK(transcript.words()[0].start_frame == 1);
  CHECK(transcript.words()[0].end_frame == 5);
  CHECK(transcript.words()[0].pieces == 2);
  CHECK(transcript.confidence() == doctest::Approx(0.7));

  transcript.add_piece(kMark, 6, 0.0F);
  transcript.extend_last(7);  // belongs to the word not shown yet
  CHECK(transcript.words().size() == 1);
  CHECK(transcript.words()[0].end_frame == 5);
  CHECK(transcript.text() == "s");
  transcript.add_piece(kMark, 8, 0.0F);  // the word opened before never got a text
  transcript.add_piece(kWorld, 10, 0.0F);
  CHECK(transcript.text() == "s world");
  CHECK(transcript.words()[1].start_frame == 10);
  CHECK(transcript.words()[1].pieces == 1);
  check_consistent(transcript);
}

TEST_CASE("clear forgets a word that was opened by the mark") {
  Transcript transcript(&table());
  transcript.add_piece(kMark, 1, 0.0F);
  transcript.clear();
  transcript.extend_last(2);
  transcript.add_piece(kLo, 5, 0.0F);
  CHECK(transcript.words().at(0).start_frame == 5);
  CHECK(transcript.words().at(0).pieces == 1);
}

TEST_CASE("pieces are bytes of UTF-8 and offsets count bytes") {
  Transcript transcript(&table());
  transcript.add_piece(kMark, 0, 0.0F);
  transcript.add_piece(kUe, 1, 0.0F);
  transcript.add_piece(kS, 2, 0.0F);
  transcript.add_piece(kHel, 3, 0.0F);
  CHECK(transcript.text() == "üs hel");
  CHECK(transcript.words()[0].text_size == 3);
  CHECK(transcript.words()[1].text_begin == 4);
  CHECK(text_of(transcript, 0) == "üs");
}

TEST_CASE("confidence stays between 0 and 1 whatever the network says") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float log_probability : {0.0F, 1e-3F, infinity, -infinity, -1e30F, std::nanf("")}) {
    Transcript transcript(&table());
    transcript.add_piece(kHel, 0, log_probability);
    CHECK(transcript.confidence() >= 0.0F);
    CHECK(transcript.confidence() <= 1.0F);
  }
}

TEST_CASE("without a table, or with an id that it lacks, nothing is added") {
  Transcript none;
  none.add_piece(1, 0, 0.0F);
  CHECK(none.empty());
  Transcript transcript(&table());
  transcript.add_piece(kHel, 0, 0.0F);
  transcript.add_piece(8, 1, 0.0F);
  transcript.extend_last(2);  // of the piece that was left out
  CHECK(transcript.text() == "hel");
  CHECK(transcript.words()[0].end_frame == 1);
}

TEST_CASE("until it is nearly full another chunk of the longest pieces fits whole") {
  const std::string longest(31, 'x'), mark = "▁";
  const TokenTable tokens({mark + longest, longest, mark + "a", "b", mark}, mark);
  std::mt19937 random(7);
  for (const int favourite : {0, 1, 2, 3, 4, -1}) {
    CAPTURE(favourite);
    Transcript transcript(&tokens);
    std::int32_t frame = 0;
    while (!transcript.nearly_full() && frame < 6'000) {
      Transcript copy = transcript;
      for (std::int32_t i = 0; i < 64; ++i) copy.add_piece(0, frame + i, -0.1F);
      REQUIRE(copy.words().size() == transcript.words().size() + 64);
      REQUIRE(copy.text().size() == transcript.text().size() + 64 * 32 - (transcript.empty() ? 1 : 0));
      check_consistent(copy);
      for (int i = 0; i < 16; ++i) {
        const auto any = static_cast<std::uint32_t>(random() % 5);
        transcript.add_piece(favourite < 0 ? any : static_cast<std::uint32_t>(favourite), frame++, -0.1F);
      }
    }
    CHECK(transcript.nearly_full() == (favourite != 4));  // marks alone never fill it
  }
}

TEST_CASE("a caller that never cuts loses the pieces that do not fit, no more") {
  const TokenTable tokens({"▁" + std::string(100, 'y'), "▁z", "w"}, "▁");
  for (std::uint32_t id = 0; id < 3; ++id) {
    Transcript transcript(&tokens);
    CHECK_FALSE(transcript.nearly_full());  // not even with pieces so long that a chunk of them would not fit
    for (std::int32_t frame = 0; frame < 5'000; ++frame) transcript.add_piece(id, frame, -0.1F);
    CHECK(transcript.nearly_full());
    check_consistent(transcript);
  }
}

TEST_CASE("random pieces always give consistent words") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Transcript transcript(&table());
    std::int32_t frame = 0;
    for (int i = 0; i < 60; ++i, ++frame) {
      if (random() % 4 == 0) {
        transcript.extend_last(frame);
      } else {
        transcript.add_piece(1 + static_cast<std::uint32_t>(random() % 7), frame, -0.2F);
      }
      check_consistent(transcript);
    }
  }
}

TEST_CASE("confidences go through the bundle's map") {
  const TokenTable tokens({"<blank>", "▁a", "b"}, "▁", {ConfidenceMap{2.0F, -1.0F}});
  Transcript transcript(&tokens);
  transcript.add_piece(1, 0, std::log(0.9F));
  transcript.add_piece(2, 1, std::log(0.7F));
  // The mean is 0.8, whose logit is ln 4; 2 ln 4 - 1 = 1.7726.
  CHECK(transcript.words().front().confidence() == doctest::Approx(1.0 / (1.0 + std::exp(-1.772589))));
  CHECK(transcript.confidence() == transcript.words().front().confidence());
}

TEST_CASE("words begin before their first piece, but not within the word before") {
  const TokenTable tokens({"<blank>", "▁a", "b"}, "▁", {{}, 3});
  Transcript transcript(&tokens);
  transcript.add_piece(1, 2, 0.0F);  // 3 frames before would be before the utterance
  transcript.add_piece(2, 3, 0.0F);
  transcript.extend_last(4);
  transcript.add_piece(1, 6, 0.0F);   // the word before ends with frame 4
  transcript.add_piece(1, 7, 0.0F);   // this one at once
  transcript.add_piece(1, 20, 0.0F);  // room for all of it
  const std::vector<std::pair<int, int>> wanted{{0, 5}, {5, 7}, {7, 8}, {17, 21}};
  REQUIRE(transcript.words().size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(transcript.words()[i].start_frame == wanted[i].first);
    CHECK(transcript.words()[i].end_frame == wanted[i].second);
  }
}

TEST_CASE("a confidence map keeps the order and stays within 0 and 1") {
  const ConfidenceMap map{0.4F, 0.3F};
  float before = 0.0F;
  for (const float probability : {0.0F, 0.01F, 0.3F, 0.5F, 0.9F, 0.999F, 1.0F}) {
    const float mapped = map(probability);
    CHECK(mapped > before);
    CHECK(mapped < 1.0F);
    before = mapped;
  }
  CHECK(ConfidenceMap{}(0.37F) == 0.37F);
}
