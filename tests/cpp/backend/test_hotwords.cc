#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>

#include "backend/beam_fixture.h"
#include "core/temporary_directory.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

const Spelling kLower{Spelling::Case::kLower, true};

/// What a text is worth, letter by letter.
struct Worth {
  float earned = 0.0F, share = 0.0F;
};
Worth worth(const HotwordList& list, std::string_view text) {
  Worth worth;
  worth.share = list.share(list.read(list.start(), text, worth.earned));
  return worth;
}

/// Letters as pieces: "▁" begins a word.
const TokenTable& letters() {
  static const TokenTable tokens({"-", "▁", "a", "b", "n", "u", "l", "▁a"}, "▁");
  return tokens;
}

}  // namespace

TEST_CASE("automaton: finds what a search for every phrase at every place finds") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<std::uint32_t>> phrases(1 + random() % 6);
    for (auto& phrase : phrases) {
      phrase.resize(1 + random() % 4);
      for (auto& symbol : phrase) symbol = static_cast<std::uint32_t>(random() % 3);
    }
    const PhraseAutomaton automaton(phrases);
    std::vector<std::uint32_t> text(40);
    for (auto& symbol : text) symbol = static_cast<std::uint32_t>(random() % 3);
    PhraseAutomaton::State state = PhraseAutomaton::kRoot;
    for (std::size_t end = 1; end <= text.size(); ++end) {
      state = automaton.step(state, text[end - 1]);
      std::vector<std::size_t> found, expected;
      for (auto at = state; at != PhraseAutomaton::kRoot; at = automaton.fallback(at)) {
        REQUIRE(automaton.fallback(at) < at);
        if (automaton.is_phrase(at)) found.push_back(automaton.depth(at));
      }
      for (std::size_t length = 4; length > 0; --length) {
        if (length > end) continue;
        const std::vector<std::uint32_t> tail(text.begin() + static_cast<std::ptrdiff_t>(end - length),
                                              text.begin() + static_cast<std::ptrdiff_t>(end));
        if (std::find(phrases.begin(), phrases.end(), tail) != phrases.end()) expected.push_back(length);
      }
      REQUIRE(found == expected);
    }
  }
}

TEST_CASE(
    "a phrase earns its share as it is spelled, its boost when its last word ends, and nothing when it breaks off") {
  const HotwordList list({{"Ann Lee", 7.0F}}, kLower);
  CHECK(worth(list, "").share == 0.0F);
  CHECK(worth(list, "a").share == doctest::Approx(7.0 / 8));  // "ann lee " has 8 characters
  CHECK(worth(list, "ann le").share == doctest::Approx(7.0 * 6 / 8));
  CHECK(worth(list, "ann lee").earned == 0.0F);
  CHECK(worth(list, "ann lee ").earned == 7.0F);
  CHECK(worth(list, "ann lee ").share == 0.0F);
  CHECK(worth(list, "ann leb").earned + worth(list, "ann leb").share == 0.0F);
  CHECK(worth(list, "so ann lee ").earned == 7.0F);
  CHECK(worth(list, "ann lee ann lee ").earned == 14.0F);
}

TEST_CASE("inside a longer word a phrase is worth nothing") {
  const HotwordList list({{"ann", 5.0F}}, kLower);
  CHECK(worth(list, "annual ").earned == 0.0F);
  CHECK(worth(list, "hann ").earned == 0.0F);
  CHECK(worth(list, "hann ").share == 0.0F);
  CHECK(worth(list, "ann ").earned == 5.0F);
}

TEST_CASE("phrases that overlap: each counts, those that end together once") {
  const HotwordList list({{"new york", 4.0F}, {"york", 3.0F}, {"york city", 6.0F}, {"new", 1.0F}}, kLower);
  CHECK(worth(list, "new ").earned == 1.0F);
  CHECK(worth(list, "new york ").earned == 5.0F);                          // new, and new york rather than york
  CHECK(worth(list, "new york ").share == doctest::Approx(6.0 * 5 / 10));  // york city goes on
  CHECK(worth(list, "new york city ").earned == 11.0F);
}

TEST_CASE("the bundle's spelling: case, apostrophes, spaces") {
  CHECK(kLower.apply("  O’Brien\t ÉCOLE  Ωmega Ёж ") == "o'brien école ωmega ёж");
  CHECK(Spelling{Spelling::Case::kUpper, true}.apply("naïve straße") == "NAÏVE STRAßE");
  CHECK(Spelling{Spelling::Case::kMixed, true}.apply("iPhone 15") == "iPhone 15");
  CHECK(Spelling{Spelling::Case::kLower, false}.apply("你 好") == "你好");
  const HotwordList list({{"你好", 5.0F}}, {Spelling::Case::kLower, false});
  CHECK(worth(list, "说你好吗").earned == 5.0F);
}

TEST_CASE("what cannot be a hotword is refused, with what to do") {
  CHECK_THROWS_WITH_AS(validate(std::vector<Hotword>{{"ann", 0.0F}}),
                       doctest::Contains("the boost of hotword 'ann' is 0.0"), Error);
  CHECK_THROWS_WITH_AS(validate(std::vector<Hotword>{{"ann", std::nanf("")}}), doctest::Contains("at most 50"), Error);
  CHECK_THROWS_WITH_AS(validate(std::vector<Hotword>{{" \t", 1.0F}}), doctest::Contains("has no text"), Error);
  CHECK_THROWS_WITH_AS(validate(std::vector<Hotword>{{"\xFF", 1.0F}}), doctest::Contains("not UTF-8"), Error);
  CHECK_THROWS_WITH_AS(validate(std::vector<Hotword>{{std::string(300, 'a'), 1.0F}}), doctest::Contains("300 bytes"),
                       Error);
}

TEST_CASE("a file of hotwords") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/names.txt";
  std::ofstream(path) << "# names\nAnn Lee\t7.5\n\nBluetooth\r\n";
  const auto hotwords = read_hotwords(path, 4.0F);
  REQUIRE(hotwords.size() == 2);
  CHECK(hotwords[0].phrase == "Ann Lee");
  CHECK(hotwords[0].boost == 7.5F);
  CHECK(hotwords[1].phrase == "Bluetooth");
  CHECK(hotwords[1].boost == 4.0F);
  std::ofstream(path) << "Ann\tmuch\n";
  CHECK_THROWS_WITH_AS(read_hotwords(path, 4.0F), doctest::Contains(":1: 'much' is no boost"), Error);
  CHECK_THROWS_AS(read_hotwords(directory.path() + "/none.txt", 4.0F), Error);
}

TEST_CASE("in the search: a boosted word wins where it was close, and a longer word is not cut to it") {
  // "a n n" or "a b": the network prefers b a little.
  const auto heard = rows(8, {{{7, 0.9}}, {{4, 0.4}, {3, 0.5}}, {{0, 0.9}}, {{4, 0.4}, {0, 0.5}}, {{0, 0.9}}});
  const auto ann = std::make_shared<HotwordList>(std::vector<Hotword>{{"Ann", 4.0F}}, kLower);
  Beam without(letters());
  without.decode(heard, 8);
  CHECK(without.finish() == "ab");
  Beam with(letters(), {}, {nullptr, ann, nullptr, nullptr, {}});
  with.decode(heard, 8);
  CHECK(with.finish() == "ann");
  Beam own(letters(), {}, {nullptr, nullptr, ann, nullptr, {}});
  own.decode(heard, 8);
  CHECK(own.finish() == "ann");

  // a n n u a l, clearly: nothing in it is the word "ann", so nothing changes.
  std::vector<std::vector<std::pair<std::size_t, double>>> annual;
  for (const std::size_t id : {7, 4, 0, 4, 5, 2, 6}) annual.push_back({{id, 0.9}, {0, 0.05}});
  for (auto& row : annual) {
    if (row[0].first == 0) row.pop_back();
  }
  Beam longer(letters(), {}, {nullptr, ann, nullptr, nullptr, {}});
  longer.decode(rows(8, annual), 8);
  CHECK(longer.finish() == "annual");
  Beam silent(letters(), {}, {nullptr, ann, nullptr, nullptr, {}});
  silent.decode(rows(8, std::vector<std::vector<std::pair<std::size_t, double>>>(50, {{0, 0.99}})), 8);
  CHECK(silent.finish() == "");
}

TEST_CASE("what hotwords add depends on the text alone, however it is cut into pieces") {
  std::mt19937 random(8);
  const auto list =
      std::make_shared<HotwordList>(std::vector<Hotword>{{"ab", 3.0F}, {"an ab", 5.0F}, {"b", 1.0F}}, kLower);
  for (int round = 0; round < 50; ++round) {
    Beam beam(letters(), {}, {nullptr, list, nullptr, nullptr, {}});
    beam.decode(random_rows(random, 12, 8, 2.5), 8);
    for (const auto& each : beam.search.hypotheses()) {
      std::string text;
      for (const std::uint32_t id : each.pieces) {
        if (letters().begins_word(id) && !text.empty() && text.back() != ' ') text += ' ';
        text += letters().text(id);
      }
      const Worth expected = worth(*list, text);
      if (text.empty() || text.back() != ' ') {
        CHECK(each.fusion == doctest::Approx(expected.earned + expected.share).epsilon(1e-4));
        text += text.empty() ? "" : " ";
      }
      CHECK(each.finish == doctest::Approx(worth(*list, text).earned).epsilon(1e-4));
    }
  }
}
