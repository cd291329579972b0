#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backend/transcript.h"
#include "cosyvoice/engine.h"
#include "engine/dictionary.h"

namespace cosyvoice {
namespace {

/// Words of 100 ms side by side.
std::vector<EventWord> words_of(const std::string& text) {
  std::vector<EventWord> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const auto start_ms = static_cast<std::int64_t>(100 * words.size());
    words.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin), start_ms,
                     start_ms + 100, 0.1F * static_cast<float>(words.size() + 1)});
    begin = end + 1;
  }
  return words;
}

std::string shown(const std::string& yaml, const std::string& text,
                  Dictionary::Match match = Dictionary::Match::kWords) {
  ShownText out;
  const auto words = words_of(text);
  Dictionary::parse(yaml, "words.yaml")->apply(text, words.data(), words.size(), match, out);
  std::string joined;
  for (const EventWord& word : out.words) {
    joined += (joined.empty() ? "" : " ") + out.text.substr(word.text_begin, word.text_size);
  }
  CHECK(joined == out.text);
  return out.text;
}

std::string refused(const std::string& yaml) {
  try {
    Dictionary::parse(yaml, "words.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kWords =
    "words:\n  CosyVoice: [cosy voice, cozy voice]\n  iPhone: i phone\n  New York: new york\n"
    "  NYC: new york city\n  Mister: mr\n";

TEST_CASE("dictionary: whole words, the longest entry first") {
  CHECK(shown(kWords, "call cosy voice on my i phone") == "call CosyVoice on my iPhone");
  CHECK(shown(kWords, "new york city and new york") == "NYC and New York");
  CHECK(shown(kWords, "cosy voices phone mrs") == "cosy voices phone mrs");
  CHECK(shown(kWords, "new") == "new");
  CHECK(shown(kWords, "") == "");
  CHECK(shown(kWords, "mr mr") == "Mister Mister");
}

TEST_CASE("dictionary: what is shown is not looked at again") {
  CHECK(shown("words:\n  b: a\n  c: b\n", "a b") == "b c");
}

TEST_CASE("dictionary: words share the time of those they stand for") {
  ShownText out;
  const std::string text = "a new york b";
  const auto words = words_of(text);
  const auto dictionary = Dictionary::parse("words:\n  N Y: new york\n  x yy: b\n", "words.yaml");
  dictionary->apply(text, words.data(), words.size(), Dictionary::Match::kWords, out);
  REQUIRE(out.text == "a N Y x yy");
  REQUIRE(out.words.size() == 5);
  CHECK(out.words[1].start_ms == 100);
  CHECK(out.words[1].end_ms == 166);
  CHECK(out.words[2].start_ms == 233);
  CHECK(out.words[2].end_ms == 300);
  CHECK(out.words[1].confidence == doctest::Approx(0.25));
  CHECK(out.words[3].start_ms == 300);
  CHECK(out.words[4].end_ms == 400);
}

TEST_CASE("dictionary: languages without spaces match anywhere") {
  const std::string yaml = "words:\n  北京市: 北京\n  A: 京大\n";
  CHECK(shown(yaml, "去北京大学", Dictionary::Match::kCharacters) == "去北京市大学");
  CHECK(shown(yaml, "东京大学", Dictionary::Match::kCharacters) == "东A学");
}

TEST_CASE("dictionary: what does not fit stays as it was recognised") {
  const std::string name(1000, 'x');
  CHECK(shown("words:\n  " + name + ": a\n", "a a a a a b") == name + " " + name + " " + name + " " + name + " a b");
  std::string many = "a";
  for (std::size_t i = 1; i < Transcript::kMaxWords; ++i) many += " a";
  const std::string doubled = shown("words:\n  b b: a\n", many);
  CHECK(doubled == many);
}

TEST_CASE("dictionary: what is wrong is named with its line") {
  CHECK(refused("words: 3\n").find("words.yaml:1: words: expected a mapping") == 0);
  CHECK(refused("word:\n  a: b\n").find("expected the one key `words`") != std::string::npos);
  CHECK(refused("words:\n  a: b\n  c: [d, b]\n").find("words.yaml:3: words: 'b' is heard in line 2 too") == 0);
  CHECK(refused("words:\n  a: ' b'\n").find("words.yaml:2: what is heard") == 0);
  CHECK(refused("words:\n  a:\n").find("expected the words that are heard") != std::string::npos);
  CHECK(refused("words:\n  a: [[b]]\n").find("words.yaml:2") == 0);
  CHECK_THROWS_AS(Dictionary::read("/nowhere/words.yaml"), Error);
}

}  // namespace
}  // namespace cosyvoice
