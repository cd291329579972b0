#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <unordered_set>

#include "cosyvoice/engine.h"
#include "sample_models.h"
#include "support/temporary_directory.h"

using namespace cosyvoice::lm;
using cosyvoice::testing::compiled;
using cosyvoice::testing::Gram;
using cosyvoice::testing::kSmallArpa;
using cosyvoice::testing::PlainModel;
using cosyvoice::testing::random_model;
using cosyvoice::testing::TemporaryDirectory;

namespace {

struct Opened {
  explicit Opened(std::string made) : bytes(std::move(made)), model(LanguageModel::view(bytes, "test")) {}
  std::string bytes;
  std::shared_ptr<const LanguageModel> model;
};

}  // namespace

TEST_CASE("scores of a small model, worked by hand") {
  const Opened opened(compiled(kSmallArpa));
  const LanguageModel& model = *opened.model;
  struct Row {
    std::vector<const char*> history;  // after <s>
    const char* word;
    double expected;
    int length;  // of the history that is left
  };
  const Row rows[] = {
      {{}, "a", -0.25, 2},                 // <s> a
      {{}, "b", -0.5 - 0.8, 1},            // back-off of <s>, b
      {{}, "c", -0.5 - 0.9, 0},            // c begins no n-gram
      {{"a"}, "b", -0.12, 2},              // <s> a b; `a b` is what goes on
      {{"a"}, "a", -0.1 - 0.3 - 0.7, 1},   // back-off of `<s> a`, of `a`
      {{"a", "b"}, "c", -0.22, 0},         // a b c; `b c` goes nowhere
      {{"a", "b"}, "a", -0.15 - 0.35, 1},  // back-off of `a b`, then b a, which has one itself … see below
      {{"a", "b"}, "zebra", -0.15 - 0.2 - 2.0, 0},
      {{"zebra"}, "a", -0.7, 1},
      {{"c"}, "b", -0.8, 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.word);
    State state = model.begin();
    for (const char* word : row.history) model.score(state, model.find(word), state);
    State after;
    CHECK(static_cast<double>(model.score(state, model.find(row.word), after)) == doctest::Approx(row.expected));
    // `b a` begins no trigram, yet backing off from it costs -0.05: it must be remembered
    CHECK(static_cast<int>(after.length) == (row.history.size() == 2 && row.word == std::string("a") ? 2 : row.length));
  }
  State state = model.begin();
  model.score(state, model.find("b"), state);
  CHECK(static_cast<double>(model.end(state)) == doctest::Approx(-0.45));
  CHECK(static_cast<double>(model.end(State())) == doctest::Approx(-1.0));
}

TEST_CASE("words, their ids and their prefixes") {
  const Opened opened(
      compiled("\\data\\\nngram 1=7\n\\1-grams:\n-1 <s>\n-1 </s>\n-1 be\n-1 bee\n-1 b\n-1 c\n-1 über\n\\end\\\n"));
  const LanguageModel& model = *opened.model;
  CHECK(model.words() == 8);  // <unk> was added
  CHECK(model.word(kUnknown) == "<unk>");
  CHECK(model.find("<unk>") == kUnknown);
  std::vector<std::string> words;
  for (WordId id = 1; id < model.words(); ++id) {
    words.emplace_back(model.word(id));
    CHECK(model.find(words.back()) == id);
  }
  CHECK(words == std::vector<std::string>{"</s>", "<s>", "b", "be", "bee", "c", "über"});
  for (const char* absent : {"", "a", "bed", "beee", "zz", "\xff", "<unk"}) CHECK(model.find(absent) == kUnknown);
  CHECK(model.word(model.words()).empty());
  const auto spelled = [&](std::string_view prefix) {
    const LanguageModel::Range range = model.with_prefix(prefix);
    std::vector<std::string> found;
    for (WordId id = range.first; id < range.last; ++id) found.emplace_back(model.word(id));
    return found;
  };
  CHECK(spelled("be") == std::vector<std::string>{"be", "bee"});
  CHECK(spelled("b").size() == 3);
  CHECK(spelled("ü").size() == 1);
  CHECK(spelled("bex").empty());
  CHECK(spelled("").size() == 7);
}

TEST_CASE("what the file says of itself") {
  BuildOptions options;
  const Opened plain(compiled(kSmallArpa));
  const Facts& facts = plain.model->facts();
  CHECK(facts.order == 3);
  CHECK(facts.ngrams == std::array<std::uint64_t, kMaxOrder>{6, 5, 2, 0, 0});
  CHECK(facts.unit == Unit::kWord);
  CHECK(facts.tokens_sha256.empty());
  CHECK_FALSE(facts.quantised);
  CHECK_FALSE(facts.unknown_missing);
  CHECK(facts.bytes == plain.bytes.size());
  CHECK(plain.model->verify());

  const TemporaryDirectory directory;
  directory.write("tokens.txt", "<blank> 0\na 1\nb 2\nc 3\n");
  options.unit = Unit::kToken;
  options.tokens_path = directory.path() + "/tokens.txt";
  options.quantise = true;
  const Opened tokens(compiled(kSmallArpa, options));
  CHECK(tokens.model->facts().unit == Unit::kToken);
  CHECK(tokens.model->facts().quantised);
  // printf '<blank> 0\na 1\nb 2\nc 3\n' | sha256sum
  CHECK(tokens.model->facts().tokens_sha256 == "a31e4dfc522b23274d7ba8259775711b2f4d13aacb5279beec79fcd16644d20b");
}

TEST_CASE("the same as the definition, for random models of every order, quantised or not") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const int order = 1 + round % kMaxOrder;
    CAPTURE(round);
    const PlainModel plain = random_model(random, order, 12, 150);
    BuildOptions options;
    options.quantise = round % 2 == 1;  // few enough values: each has a code of its own
    const Opened opened(compiled(plain.arpa(), options));
    const LanguageModel& model = *opened.model;
    REQUIRE(model.verify());
    for (int sentence = 0; sentence < 40; ++sentence) {
      State state = model.begin();
      Gram history = {"<s>"};
      for (int i = 0; i < 12; ++i) {
        const std::string word = "w" + std::to_string(random() % 14);  // the last two are unknown
        const WordId id = model.find(word);
        const std::string known = id == kUnknown ? "<unk>" : word;
        const double expected = plain.score(history, known);
        REQUIRE(static_cast<double>(model.score(state, id, state)) == doctest::Approx(expected).epsilon(1e-5));
        history.push_back(known);
        REQUIRE(static_cast<double>(model.end(state)) == doctest::Approx(plain.score(history, "</s>")).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("equal states get equal scores, and a state has no word that does not matter") {
  std::mt19937 random(6);
  const PlainModel plain = random_model(random, 3, 6, 60);
  const Opened opened(compiled(plain.arpa()));
  const LanguageModel& model = *opened.model;
  std::set<std::vector<WordId>> distinct;
  std::unordered_set<State> states;
  for (int i = 0; i < 500; ++i) {
    State state = model.begin();
    Gram history = {"<s>"};
    for (int j = 0; j < 4; ++j) {
      history.push_back("w" + std::to_string(random() % 6));
      model.score(state, model.find(history.back()), state);
    }
    states.insert(state);
    distinct.emplace(state.words.begin(), state.words.begin() + state.length);
    if (state.length == 2) continue;
    // The shorter history scores like the whole one.
    for (WordId word = 0; word < model.words(); ++word) {
      State after;
      const double expected = plain.score(history, std::string(model.word(word)));
      REQUIRE(static_cast<double>(model.score(state, word, after)) == doctest::Approx(expected).epsilon(1e-5));
    }
  }
  CHECK(states.size() == distinct.size());
  CHECK(states.size() < 43);  // of 6 · 6 + 6 + 1 histories some do not matter
}

TEST_CASE("a quantised model of many values stays near the floats") {
  std::mt19937 random(7);
  const PlainModel plain = random_model(random, 4, 60, 4'000);
  BuildOptions options;
  const Opened floats(compiled(plain.arpa()));
  options.quantise = true;
  const Opened coded(compiled(plain.arpa(), options));
  CHECK(coded.bytes.size() < floats.bytes.size() * 6 / 10);
  constexpr int kWords = 5'000;
  double worst = 0.0, sum = 0.0;
  State a = floats.model->begin(), b = coded.model->begin();
  for (int i = 0; i < kWords; ++i) {
    const auto word = static_cast<WordId>(random() % floats.model->words());
    const float exact = floats.model->score(a, word, a), near = coded.model->score(b, word, b);
    REQUIRE(a == b);
    const double error = std::abs(static_cast<double>(exact - near));
    worst = std::max(worst, error);
    sum += error;
  }
  CHECK(worst > 0.0);
  CHECK(worst < 0.5);          // rare values share an entry with those around them
  CHECK(sum / kWords < 0.01);  // a step of 256 over the five decades that the values span is 0.02
}

TEST_CASE("a file is mapped, and stays what it was when another takes its place") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/lm.bin";
  build(cosyvoice::testing::source_of(kSmallArpa), "one", path, {});
  const auto old = LanguageModel::open(path);
  CHECK(old->path() == path);
  build(cosyvoice::testing::source_of("\\data\\\nngram 1=2\n\\1-grams:\n-1 <s>\n-1 </s>\n\\end\\\n"), "two", path, {});
  CHECK(old->find("a") != kUnknown);
  CHECK(old->verify());
  CHECK(LanguageModel::open(path)->find("a") == kUnknown);
}
