#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <random>
#include <set>

#include "backend/beam_fixture.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

const Spelling kLower{Spelling::Case::kLower, true};
// Words as pieces, so that the tests can write what is heard; "ye" + "s" too.
const std::vector<std::string> kPieces = {"-", "▁yes", "▁no", "▁turn", "▁on", "▁off", "▁maybe", "▁ye", "s"};
enum : std::size_t { kBlank, kYes, kNo, kTurn, kOn, kOff, kMaybe, kYe, kS };

const TokenTable& table() {
  static const TokenTable tokens(kPieces, "▁");
  return tokens;
}

std::shared_ptr<const Grammar> grammar(const std::vector<std::string>& phrases) {
  return std::make_shared<Grammar>(phrases, kLower);
}

/// Each piece beyond doubt, blank between.
std::vector<float> heard(const std::vector<std::size_t>& pieces) {
  std::vector<std::vector<std::pair<std::size_t, double>>> given;
  for (const std::size_t id : pieces) {
    given.push_back({{id, 0.99999}});
    given.push_back({{kBlank, 0.99999}});
  }
  return rows(kPieces.size(), given);
}

std::string said(const std::shared_ptr<const Grammar>& grammar, const std::vector<float>& output) {
  Beam beam(table(), {}, {nullptr, nullptr, nullptr, grammar, {}});
  beam.decode(output, kPieces.size());
  return beam.finish();
}

}  // namespace

TEST_CASE("only the phrases can be heard, in any number and order") {
  const auto closed = grammar({"Yes", "no", "turn on"});
  CHECK(said(closed, heard({kYes})) == "yes");
  CHECK(said(closed, heard({kNo, kYes, kTurn, kOn})) == "no yes turn on");
  CHECK(said(closed, heard({kYe, kS})) == "yes");
  // The nearest that the grammar allows.
  CHECK(said(closed, rows(kPieces.size(), {{{kMaybe, 0.6}, {kNo, 0.3}}, {{kBlank, 0.9}}})) == "no");
}

TEST_CASE("a phrase that is not complete was not said") {
  const auto closed = grammar({"yes", "turn on"});
  const auto unfinished =
      rows(kPieces.size(), {{{kYes, 0.97}}, {{kBlank, 0.97}}, {{kTurn, 0.999}}, {{kBlank, 0.99999}}});
  Beam beam(table(), {}, {nullptr, nullptr, nullptr, closed, {}});
  beam.decode(unfinished, kPieces.size());
  CHECK(beam.text() == "yes turn");  // it may still be completed
  CHECK(beam.finish() == "yes");
}

TEST_CASE("[unk] stands for any other word") {
  const auto open = grammar({"yes", "no", "turn on", "[unk]"});
  CHECK(said(open, heard({kMaybe})) == "[unk]");
  CHECK(said(open, heard({kYes, kMaybe, kNo})) == "yes [unk] no");
  CHECK(said(open, heard({kTurn, kOff})) == "[unk] [unk]");
  CHECK(said(open, heard({kTurn, kOn, kTurn, kOff})) == "turn on [unk] [unk]");
  CHECK(said(open, heard({kTurn, kTurn, kOn})) == "[unk] turn on");
  // A doubtful word is one of the grammar's rather than an unknown one.
  CHECK(said(open, rows(kPieces.size(), {{{kMaybe, 0.6}, {kNo, 0.3}}, {{kBlank, 0.9}}})) == "no");
}

TEST_CASE("a partial shows what may become a phrase, and [unk] for what cannot") {
  const auto open = grammar({"yes", "turn on", "[unk]"});
  Beam beam(table(), {}, {nullptr, nullptr, nullptr, open, {}});
  beam.decode(heard({kYes}), kPieces.size());
  CHECK(beam.text() == "yes");
  beam.decode(heard({kTurn}), kPieces.size());
  CHECK(beam.text() == "yes turn");
  beam.decode(heard({kMaybe}), kPieces.size());
  CHECK(beam.text() == "yes [unk] [unk]");
  CHECK(beam.finish() == "yes [unk] [unk]");
  REQUIRE(beam.transcript.words().size() == 3);
  CHECK(beam.transcript.words()[2].start_frame == 4);
}

TEST_CASE("whatever is heard, the result is a sequence of phrases") {
  std::mt19937 random(9);
  const auto closed = grammar({"yes", "no", "turn on", "turn off", "no no turn"});
  const std::vector<std::string> phrases = {"yes ", "no ", "turn on ", "turn off ", "no no turn "};
  for (int round = 0; round < 100; ++round) {
    const std::string text = said(closed, random_rows(random, 20, kPieces.size(), 2.0)) + " ";
    std::set<std::size_t> ends = {0};  // places up to which it is a sequence of phrases
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const std::string& phrase : phrases) {
        if (ends.count(at) != 0 && text.compare(at, phrase.size(), phrase) == 0) ends.insert(at + phrase.size());
      }
    }
    CHECK_MESSAGE((text == " " || ends.count(text.size()) != 0), text);
  }
}

TEST_CASE("the cost of a text is that of the cheapest way to read it") {
  const auto open = grammar({"yes no", "no yes yes", "yes", "[unk]"});
  BeamOptions options = exhaustive();
  std::mt19937 random(10);
  const TokenTable tokens({"-", "▁yes", "▁no"}, "▁");
  Beam beam(tokens, options, {nullptr, nullptr, nullptr, open, {}});
  beam.decode(random_rows(random, 6, 3, 0.5), 3);
  std::size_t several = 0;
  for (const auto& each : beam.search.hypotheses()) {
    const std::size_t count = each.pieces.size();
    std::vector<double> cost(count + 1, std::numeric_limits<double>::infinity());
    cost[0] = 0;
    const auto reads = [&](std::size_t from, std::vector<std::uint32_t> phrase) {
      if (from + phrase.size() > count ||
          !std::equal(phrase.begin(), phrase.end(), each.pieces.begin() + static_cast<std::ptrdiff_t>(from)))
        return;
      cost[from + phrase.size()] = std::min(cost[from + phrase.size()], cost[from]);
    };
    for (std::size_t i = 0; i < count; ++i) {
      cost[i + 1] = std::min(cost[i + 1], cost[i] + 5.0);
      reads(i, {1, 2});
      reads(i, {2, 1, 1});
      reads(i, {1});
    }
    CHECK(each.finish == doctest::Approx(-cost[count]));
    several += count > 3 ? 1 : 0;
  }
  CHECK(several > 5);
}

TEST_CASE("a grammar that cannot be is refused") {
  CHECK_THROWS_WITH_AS(grammar({"[unk]"}), doctest::Contains("has no phrase"), Error);
  CHECK_THROWS_WITH_AS(grammar({"yes", " "}), doctest::Contains("has no text"), Error);
  CHECK_THROWS_WITH_AS(Grammar({"好"}, Spelling{Spelling::Case::kLower, false}), doctest::Contains("no spaces"), Error);
}
