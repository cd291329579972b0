#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "backend/beam_fixture.h"
#include "backend/bigram.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

constexpr std::size_t kDim = 4;
constexpr std::uint32_t kBlank = 0, kA = 1, kB = 2, kC = 3;

const TokenTable& table() {
  static const TokenTable tokens({"<blank>", "▁a", "b", "▁c"}, "▁");
  return tokens;
}

}  // namespace

TEST_CASE("the most probable text need not lie on the most probable path") {
  // frame      0    1
  // blank     0.6  0.6      best path: blank blank, 0.36
  // a         0.4  0.4      "a" = aa + a- + -a = 0.16 + 0.24 + 0.24 = 0.64
  Beam beam(table());
  beam.decode(rows(kDim, {{{kBlank, 0.599}, {kA, 0.399}}, {{kBlank, 0.599}, {kA, 0.399}}}), kDim);
  CHECK(beam.text() == "a");
  CHECK(beam.search.trailing_blanks() == 2);
}

TEST_CASE("a piece comes twice only with a blank between") {
  const auto sure = [](std::uint32_t id) { return std::vector<std::pair<std::size_t, double>>{{id, 0.97}}; };
  Beam beam(table());
  beam.decode(rows(kDim, {sure(kA), sure(kB), sure(kB), sure(kBlank), sure(kB), sure(kC), sure(kBlank)}), kDim);
  CHECK(beam.text() == "abb c");
  REQUIRE(beam.transcript.words().size() == 2);
  CHECK(beam.transcript.words()[0].start_frame == 0);
  CHECK(beam.transcript.words()[0].end_frame == 5);
  CHECK(beam.transcript.words()[1].start_frame == 5);
  CHECK(beam.transcript.words()[1].end_frame == 6);
  CHECK(beam.transcript.words()[0].confidence() == doctest::Approx(0.97));
  CHECK(beam.search.frames() == 7);
  CHECK(beam.search.trailing_blanks() == 1);
}

TEST_CASE("no word holds a pause") {
  using Row = std::vector<std::pair<std::size_t, double>>;
  const TokenTable tokens({"<blank>", "▁a", "b", "▁c"}, "▁", WordOptions{{}, 0, 4});
  const auto heard = [&](std::size_t blanks, double early, std::size_t skipped = 0) {
    Beam beam(tokens);
    std::vector<Row> before(1, Row{{kA, 0.97}});
    if (early > 0) before.push_back({{kBlank, 0.99 - early}, {kB, early}});
    before.resize(1 + blanks, Row{{kBlank, 0.99}});
    beam.decode(rows(kDim, before), kDim);
    beam.search.skip(skipped);
    beam.decode(rows(kDim, {Row{{kB, 0.97}}}), kDim);
    const std::string text = beam.finish();
    for (const TranscriptWord& word : beam.transcript.words()) CHECK(word.end_frame - word.start_frame <= 5);
    return text;
  };
  CHECK(heard(3, 0) == "ab");
  CHECK(heard(4, 0) == "a b");
  CHECK(heard(2, 0, 1) == "ab");
  CHECK(heard(2, 0, 2) == "a b");
  // Where "ab" is in the beam already, what comes late does not go to it.
  CHECK(heard(6, 0.3) == "a b");
  CHECK(heard(6, 0.7) == "ab b");
}

TEST_CASE("in any chunks the result is that of one pass, with language model and hotwords too") {
  std::mt19937 random(5);
  auto lm = std::make_shared<Bigram>(std::vector<std::string>{"a", "ab", "c"});
  lm->set("a", "c", -0.2F);
  const auto hotwords =
      std::make_shared<HotwordList>(std::vector<Hotword>{{"ab c", 3.0F}}, Spelling{Spelling::Case::kLower, true});
  for (int round = 0; round < 40; ++round) {
    const std::size_t frames = 60;
    const auto output = random_rows(random, frames, kDim, 2.0);
    BeamOptions options;
    options.beam_size = 6;
    options.alternatives = 4;
    Beam whole(table(), options, {lm, hotwords, nullptr, nullptr, {}}),
        parts(table(), options, {lm, hotwords, nullptr, nullptr, {}});
    whole.decode(output, kDim);
    for (std::size_t at = 0; at < frames;) {
      const std::size_t size = std::min<std::size_t>(random() % 9, frames - at);
      parts.search.decode(output.data() + at * kDim, size, kDim, parts.scratch);
      parts.text();  // looking changes nothing
      at += size;
    }
    REQUIRE(parts.finish() == whole.finish());
    REQUIRE(parts.others() == whole.others());
    const auto &a = parts.transcript.words(), &b = whole.transcript.words();
    for (std::size_t i = 0; i < a.size(); ++i) {
      REQUIRE(a[i].start_frame == b[i].start_frame);
      REQUIRE(a[i].end_frame == b[i].end_frame);
      REQUIRE(a[i].probability_sum == b[i].probability_sum);
    }
  }
}

TEST_CASE("alternatives: the other texts, best first, with shares of the probability") {
  BeamOptions options = exhaustive();
  Beam beam(table(), options);
  beam.decode(rows(kDim, {{{kA, 0.6}, {kC, 0.3}, {kB, 0.05}}}), kDim);
  CHECK(beam.finish() == "a");
  REQUIRE(beam.others() == std::vector<std::string>{"c", "", "b"});
  CHECK(beam.alternatives[0].confidence == doctest::Approx(0.3).epsilon(1e-3));
  CHECK(beam.alternatives[2].confidence == doctest::Approx(0.05).epsilon(1e-3));
}

TEST_CASE("texts that several sequences of pieces spell count together") {
  // "ab" as one piece or as two: 0.35 · 0.35 for each; "c" 0.4 · …
  const TokenTable tokens({"-", "▁ab", "▁a", "b", "▁c"}, "▁");
  Beam beam(tokens, exhaustive());
  beam.decode(rows(5, {{{1, 0.3}, {2, 0.3}, {4, 0.36}}, {{0, 0.5}, {3, 0.45}}}), 5);
  // ab: ▁ab + blank = 0.15, ▁a + b = 0.135; c: 0.36 · (0.5 + a little)
  CHECK(beam.finish() == "ab");
  const auto others = beam.others();
  CHECK(std::count(others.begin(), others.end(), "ab") == 0);
}

TEST_CASE("the language model decides where the network cannot") {
  auto lm = std::make_shared<Bigram>(std::vector<std::string>{"a", "c"});
  lm->set("<s>", "c", -0.1F);
  lm->set("c", "</s>", -0.5F);
  lm->set("a", "</s>", -0.5F);
  const auto output = rows(kDim, {{{kA, 0.5}, {kC, 0.48}}, {{kBlank, 0.99}}});
  Beam without(table());
  without.decode(output, kDim);
  CHECK(without.finish() == "a");
  Beam with(table(), {}, {lm, nullptr, nullptr, nullptr, {}});
  with.decode(output, kDim);
  CHECK(with.finish() == "c");
}

TEST_CASE("blank_penalty favours pieces") {
  const auto output = rows(kDim, {{{kBlank, 0.7}, {kA, 0.2}}});
  BeamOptions options;
  Beam plain(table(), options);
  plain.decode(output, kDim);
  CHECK(plain.finish() == "");
  options.blank_penalty = 2.0F;
  Beam penalised(table(), options);
  penalised.decode(output, kDim);
  CHECK(penalised.finish() == "a");
}

TEST_CASE("minus infinity and values that are no numbers harm nothing") {
  constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  const float none = std::nanf("");
  Beam beam(table());
  beam.decode({none, none, none, none}, kDim);
  beam.decode({kMinusInfinity, kMinusInfinity, kMinusInfinity, kMinusInfinity}, kDim);
  beam.decode({kMinusInfinity, -0.1F, none, kMinusInfinity}, kDim);
  beam.decode({kMinusInfinity, kMinusInfinity, kMinusInfinity, 0.5F}, kDim);
  CHECK(beam.text() == "a c");
  CHECK(beam.finish() == "a c");
  CHECK(beam.search.frames() == 4);
}

TEST_CASE("a hard cut: the piece held over it is not told again, and the sentence goes on") {
  auto lm = std::make_shared<Bigram>(std::vector<std::string>{"a", "c"});
  lm->set("c", "c", -0.01F);
  lm->set("<s>", "a", -0.01F);
  const auto sure = [](std::uint32_t id) { return std::vector<std::pair<std::size_t, double>>{{id, 0.97}}; };
  Beam beam(table(), {}, {lm, nullptr, nullptr, nullptr, {}});
  beam.decode(rows(kDim, {sure(kA), sure(kBlank), sure(kC), sure(kC)}), kDim);
  CHECK(beam.finish() == "a c");
  beam.search.go_on();
  CHECK(beam.search.frames() == 0);
  CHECK(beam.text() == "");
  beam.decode(rows(kDim, {sure(kC), sure(kBlank), sure(kBlank)}), kDim);
  CHECK(beam.text() == "");
  beam.decode(rows(kDim, {{{kA, 0.5}, {kC, 0.48}}, sure(kBlank)}), kDim);
  CHECK(beam.finish() == "c");  // "c" before makes "c" probable; the start of a sentence would make it "a"
  CHECK(beam.transcript.words()[0].start_frame == 3);
}

TEST_CASE("an utterance that outgrows the memory goes on with the best hypothesis, and says that it must be cut") {
  // No blank, all pieces alike: the hypotheses differ everywhere.
  std::mt19937 random(6);
  BeamOptions options;
  options.beam_size = 16;
  options.token_threshold = options.score_threshold = 1e9F;
  Beam beam(table(), options);
  bool cut = false;
  for (int chunk = 0; chunk < 200; ++chunk) {
    auto output = random_rows(random, 64, kDim, 0.3);
    for (std::size_t t = 0; t < 64; ++t) output[t * kDim] = -20.0F;
    beam.decode(output, kDim);
    cut = cut || beam.search.nearly_full();
  }
  CHECK(cut);
  beam.finish();
  CHECK(!beam.transcript.empty());
  beam.search.start();
  CHECK(beam.text() == "");
  CHECK(!beam.search.nearly_full());
}
