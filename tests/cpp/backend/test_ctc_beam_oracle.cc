// The beam search without pruning against the sum over every alignment, written down as CTC defines it.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <memory>

#include "backend/beam_fixture.h"
#include "backend/bigram.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

using Pieces = std::vector<std::uint32_t>;

struct Sums {
  double total = 0.0;     // probability of all alignments
  double best = 0.0;      // of the most probable one,
  Pieces best_alignment;  // which is this
};

Pieces collapse(const Pieces& alignment) {
  Pieces pieces;
  std::uint32_t last = 0;
  for (const std::uint32_t id : alignment) {
    if (id != 0 && id != last) pieces.push_back(id);
    last = id;
  }
  return pieces;
}

std::map<Pieces, Sums> sum_all(const std::vector<float>& rows, std::size_t dim) {
  const std::size_t frames = rows.size() / dim;
  std::map<Pieces, Sums> sums;
  Pieces alignment(frames, 0);
  for (;;) {
    double log_probability = 0.0;
    for (std::size_t t = 0; t < frames; ++t) log_probability += static_cast<double>(rows[t * dim + alignment[t]]);
    const double probability = std::exp(log_probability);
    Sums& of = sums[collapse(alignment)];
    of.total += probability;
    if (probability > of.best) {
      of.best = probability;
      of.best_alignment = alignment;
    }
    std::size_t t = 0;
    while (t < frames && ++alignment[t] == dim) alignment[t++] = 0;
    if (t == frames) return sums;
  }
}

/// "▁a b" and the like: each piece that begins a word after the first piece begins one.
std::vector<std::string> words_of(const Pieces& pieces, const std::vector<std::string>& tokens) {
  std::vector<std::string> words;
  for (const std::uint32_t id : pieces) {
    const bool begins = tokens[id].compare(0, 3, "▁") == 0;
    if (begins || words.empty()) words.emplace_back();
    words.back() += begins ? tokens[id].substr(3) : tokens[id];
  }
  return words;
}

}  // namespace

TEST_CASE("without pruning every prefix has the probability of all its alignments") {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t dim = round % 2 == 0 ? 4 : 3, frames = dim == 4 ? 4 : 6;
    const TokenTable tokens(
        dim == 4 ? std::vector<std::string>{"-", "▁a", "b", "▁c"} : std::vector<std::string>{"-", "▁a", "b"}, "▁");
    const auto output = random_rows(random, frames, dim, 1.5);
    const auto expected = sum_all(output, dim);
    Beam beam(tokens, exhaustive());
    beam.decode(output, dim);
    const auto found = beam.search.hypotheses();
    REQUIRE(found.size() == expected.size());
    for (const auto& each : found) {
      const auto sums = expected.find(each.pieces);
      REQUIRE(sums != expected.end());
      CHECK(each.log_probability == doctest::Approx(std::log(sums->second.total)).epsilon(1e-4));
      CHECK(each.fusion == 0.0F);
    }
    for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i - 1].log_probability >= found[i].log_probability);
  }
}

TEST_CASE("the best text is that of the highest sum, and its words stand where its best alignment has them") {
  std::mt19937 random(2);
  const std::vector<std::string> pieces = {"-", "▁a", "b", "▁c"};
  const TokenTable tokens(pieces, "▁");
  for (int round = 0; round < 200; ++round) {
    const auto output = random_rows(random, 4, 4, 2.0);
    const auto expected = sum_all(output, 4);
    // Different pieces may spell one text: "▁a" and "a" do not occur together here, so pieces and texts agree.
    const auto best = std::max_element(expected.begin(), expected.end(),
                                       [](const auto& a, const auto& b) { return a.second.total < b.second.total; });
    Beam beam(tokens, exhaustive());
    beam.decode(output, 4);
    const std::string text = beam.finish();
    std::string wanted;
    for (const auto& word : words_of(best->first, pieces)) wanted += (wanted.empty() ? "" : " ") + word;
    REQUIRE(text == wanted);
    if (text.empty()) continue;
    const Pieces& alignment = best->second.best_alignment;
    std::int32_t first = 0, last = 0;
    while (alignment[static_cast<std::size_t>(first)] == 0) ++first;
    for (std::int32_t t = 0; t < 4; ++t) last = alignment[static_cast<std::size_t>(t)] != 0 ? t : last;
    CHECK(beam.transcript.words().front().start_frame == first);
    CHECK(beam.transcript.words().back().end_frame == last + 1);
  }
}

TEST_CASE("with a language model of words: its logarithms and the bonus are added once for each word and at the end") {
  std::mt19937 random(3);
  const std::vector<std::string> pieces = {"-", "▁a", "b", "▁c"};
  const TokenTable tokens(pieces, "▁");
  auto lm = std::make_shared<Bigram>(std::vector<std::string>{"a", "ab", "c"});
  lm->set("<s>", "a", -0.3F);
  lm->set("<s>", "c", -1.2F);
  lm->set("a", "c", -0.2F);
  lm->set("ab", "a", -0.9F);
  lm->set("c", "</s>", -0.4F);
  lm->set("a", "</s>", -1.4F);
  const FusionSources sources = {lm, nullptr, nullptr, nullptr, {0.7F, 0.25F}};
  for (int round = 0; round < 60; ++round) {
    const auto output = random_rows(random, 4, 4, 1.5);
    const auto expected = sum_all(output, 4);
    Beam beam(tokens, exhaustive(), sources);
    beam.decode(output, 4);
    const auto found = beam.search.hypotheses();
    REQUIRE(found.size() == expected.size());
    for (const auto& each : found) {
      CHECK(each.log_probability == doctest::Approx(std::log(expected.at(each.pieces).total)).epsilon(1e-4));
      double score = 0.0, before_last = 0.0;
      std::string last = "<s>";
      for (const auto& word : words_of(each.pieces, pieces)) {
        before_last = score;
        score += 0.7 * std::log(10.0) * static_cast<double>(lm->probability(last, word)) + 0.25;
        last = word;
      }
      CHECK(each.fusion == doctest::Approx(before_last).epsilon(1e-4));  // the last word has not ended
      score += 0.7 * std::log(10.0) * static_cast<double>(lm->probability(last, "</s>"));
      CHECK(each.finish == doctest::Approx(score).epsilon(1e-4));
    }
  }
}

TEST_CASE("with a language model of tokens each is scored as it comes") {
  std::mt19937 random(4);
  const TokenTable tokens({"-", "你", "好", "吗"}, "▁");
  auto lm = std::make_shared<Bigram>(std::vector<std::string>{"你", "好", "吗"}, true);
  lm->set("<s>", "你", -0.1F);
  lm->set("你", "好", -0.2F);
  lm->set("好", "吗", -0.5F);
  lm->set("好", "</s>", -0.6F);
  const std::vector<std::string> names = {"-", "你", "好", "吗"};
  const FusionSources sources = {lm, nullptr, nullptr, nullptr, {0.4F, 0.1F}};
  for (int round = 0; round < 30; ++round) {
    const auto output = random_rows(random, 4, 4, 1.5);
    Beam beam(tokens, exhaustive(), sources);
    beam.decode(output, 4);
    for (const auto& each : beam.search.hypotheses()) {
      double score = 0.0;
      std::string last = "<s>";
      for (const std::uint32_t id : each.pieces) {
        score += 0.4 * std::log(10.0) * static_cast<double>(lm->probability(last, names[id])) + 0.1;
        last = names[id];
      }
      CHECK(each.fusion == doctest::Approx(score).epsilon(1e-4));
      score += 0.4 * std::log(10.0) * static_cast<double>(lm->probability(last, "</s>"));
      CHECK(each.finish == doctest::Approx(score).epsilon(1e-4));
    }
  }
}
