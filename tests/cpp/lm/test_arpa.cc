#include <doctest/doctest.h>

#include <string>

#include "cosyvoice/engine.h"
#include "lm/arpa.h"
#include "lm/complete.h"
#include "sample_models.h"
#include "support/temporary_directory.h"

using namespace cosyvoice::lm;
using cosyvoice::Error;
using cosyvoice::ErrorCode;
using cosyvoice::testing::compiled;
using cosyvoice::testing::kSmallArpa;
using cosyvoice::testing::source_of;

namespace {

/// What the builder says of an ARPA text: "" where it takes it.
std::string refusal(const std::string& arpa, std::size_t piece = 4096) {
  try {
    Ngrams model = read_arpa(source_of(arpa, piece), "x.arpa");
    complete(model, "x.arpa");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidModel);
    return error.what();
  }
  return "";
}

/// The small model with `from` replaced, which it must have.
std::string changed(const std::string& from, const std::string& to) {
  std::string arpa = kSmallArpa;
  const std::size_t at = arpa.find(from);
  REQUIRE(at != std::string::npos);
  return arpa.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("forms that an ARPA file may have") {
  CHECK(refusal(kSmallArpa).empty());
  CHECK(refusal("made by a tool\n1 2 3\n" + std::string(kSmallArpa) + "after the end").empty());
  CHECK(refusal(changed("-0.7\ta\t-0.3", "  -0.7   a \t -0.3  ")).empty());
  CHECK(refusal(changed("-0.7\ta", "-7e-1\ta")).empty());
  CHECK(refusal(changed("\ta\t-0.3", "\ta\t+0.3")).empty());
  CHECK(refusal(changed("ngram 2=5", "ngram  2 = 5")).empty());
  CHECK(refusal(changed("\\2-grams:\n", "\\2-grams:\n\n \t\n")).empty());
  std::string dos;
  for (const char letter : std::string(kSmallArpa)) dos += letter == '\n' ? "\r\n" : std::string(1, letter);
  CHECK(compiled(dos) == compiled(kSmallArpa));
  CHECK(compiled(changed("<unk>", "<UNK>")) == compiled(kSmallArpa));
}

TEST_CASE("a text that comes in pieces of any size is the same text") {
  for (const std::size_t piece : {1, 2, 3, 7, 64}) CHECK(refusal(kSmallArpa, piece).empty());
  const std::string wrong = changed("-0.22", "x");
  CHECK(refusal(wrong, 1) == refusal(wrong));
}

TEST_CASE("what is wrong is named, with its line") {
  struct Row {
    const char *from, *to, *message;
  };
  const Row rows[] = {
      {"\\data\\", "data", R"(x.arpa:26: the text ends where \data\ was expected)"},
      {"ngram 1=6\n", "", R"(x.arpa:3: expected "ngram 1=COUNT", found 'ngram 2=5')"},
      {"ngram 2=5", "ngram 2=five", R"(x.arpa:4: expected "ngram 2=COUNT", found 'ngram 2=five')"},
      {"ngram 2=5", "ngram 2", R"(x.arpa:4: expected "ngram 2=COUNT", found 'ngram 2')"},
      {"ngram 3=2", "ngram 3=2\nngram 4=0\nngram 5=0\nngram 6=1", "x.arpa:8: expected an order of at most 5, found 6"},
      {"ngram 2=5", "ngram 2=6", "expected 6 n-grams of order 2 as the head of the file says, found 5"},
      {"ngram 2=5", "ngram 2=4", "expected 4 n-grams of order 2 as the head of the file says, found 5"},
      {"ngram 3=2\n", "", R"(expected \end\, found '\3-grams:')"},
      {"\\3-grams:", "\\4-grams:", R"(expected \3-grams:, found '\4-grams:')"},
      {"\\end\\\n", "", R"(the text ends where an n-gram or \end\ was expected; is it only half copied)"},
      {"-0.7\ta", "x\ta", R"(x.arpa:11: expected a probability (log10, a finite number), found 'x')"},
      {"-0.7\ta", "nan\ta", "expected a probability (log10, a finite number)"},
      {"-0.7\ta", "-inf\ta", "expected a probability (log10, a finite number)"},
      {"-0.7\ta", "-1e99\ta", "expected a probability (log10, a finite number)"},
      {"-0.7\ta", "0.7\ta", "expected log10 of a probability, 0 at most, found 0.7"},
      {"a\t-0.3", "a\tinf", R"(expected a back-off (log10, a finite number), found 'inf')"},
      {"a\t-0.3", "a\t-0.3 1", "x.arpa:11: expected a probability, 1 words and a back-off"},
      {"-0.4\ta b\t-0.15", "-0.4\ta", "x.arpa:17: expected 2 words"},
      {"<s> a b", "<s> a d", R"(x.arpa:23: the word 'd' is not among the 1-grams)"},
      {"-0.9\tc", "-0.9\ta", R"(the word 'a' stands twice among the 1-grams)"},
      {"-0.9\tc", "-0.9\t\xe9", "expected UTF-8 text, found '\\xe9'; save the file as UTF-8"},
      {"\t<s>\t-0.5", "\ts", "the 1-grams lack <s>, the mark of a sentence's start"},
      {"\t</s>", "\ts", "the 1-grams lack </s>, the mark of a sentence's end"},
      {"-0.6\tb c", "-0.6\ta b", R"(x.arpa: the n-gram 'a b' stands twice)"},
      {"-0.22\ta b c", "-0.22\tc b c", R"(x.arpa: the n-gram 'c b c' is there, but not 'c b', with which it begins)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.to);
    const std::string message = refusal(changed(row.from, row.to));
    CAPTURE(message);
    CHECK(message.find(row.message) != std::string::npos);
  }
}

TEST_CASE("what is no ARPA file at all") {
  CHECK(refusal("").find("the text ends") != std::string::npos);
  CHECK(refusal(std::string(200'000, 'x')).find("a line of more than 65536 bytes; is this a text file?") !=
        std::string::npos);
  CHECK(refusal(std::string(70'000, '\n')).find(":70000: the text ends") != std::string::npos);
  CHECK(refusal("\\data\\\nngram \n").find("expected \"ngram 1=COUNT\"") != std::string::npos);
  CHECK(refusal("\\data\\\nngram 1=99999999999999999999\n").find("expected \"ngram 1=COUNT\"") != std::string::npos);
  CHECK(refusal("\\data\\\nngram 1=9999999999999\n\\1-grams:\n-1 a\n\\end\\\n").find("found 1") != std::string::npos);
}

TEST_CASE("a missing <unk> is added as KenLM adds it") {
  const Ngrams model = read_arpa(source_of("\\data\\\nngram 1=2\n\\1-grams:\n-1 <s>\n-1 </s>\n\\end\\\n"), "x");
  CHECK(model.unknown_missing);
  CHECK(model.words == std::vector<std::string>{"<unk>", "</s>", "<s>"});
  CHECK(model.of_order[0][kUnknown].probability == -100.0F);
}

TEST_CASE("an n-gram that a longer one ends with is added with what backing off gives") {
  // Without `b c` the way to `a b c` is cut.
  std::string arpa = changed("-0.6\tb c\n", "");
  arpa.replace(arpa.find("ngram 2=5"), 9, "ngram 2=4");
  Ngrams model = read_arpa(source_of(arpa), "x");
  complete(model, "x");
  REQUIRE(model.of_order[1].size() == 5);
  const auto& added = *std::find_if(model.of_order[1].begin(), model.of_order[1].end(),
                                    [&](const Ngram& ngram) { return model.text(ngram, 2) == "b c"; });
  CHECK(static_cast<double>(added.probability) == doctest::Approx(-0.2 - 0.9));
  CHECK(added.backoff == 0.0F);
  CHECK_FALSE(added.extends);
}

TEST_CASE("options that do not fit") {
  BuildOptions options;
  options.unit = Unit::kToken;
  CHECK_THROWS_WITH_AS(compiled(kSmallArpa, options),
                       "the unit is token, but no tokens.txt is named; name that of the bundle whose pieces these are",
                       Error);
  const cosyvoice::testing::TemporaryDirectory directory;
  directory.write("tokens.txt", "<blank> 0\na 1\nb 2\n");
  options.tokens_path = directory.path() + "/tokens.txt";
  CHECK_THROWS_WITH_AS(compiled(kSmallArpa, options),
                       ("test.arpa: expected pieces of " + options.tokens_path +
                        ", found 'c'; is it a model of words, or of another bundle's pieces?")
                           .c_str(),
                       Error);
  options.unit = Unit::kWord;
  CHECK_THROWS_AS(compiled(kSmallArpa, options), Error);
  CHECK_THROWS_AS(build(source_of(kSmallArpa), "x", directory.path() + "/no/such/lm.bin", {}), Error);
  CHECK_THROWS_AS(build(source_of(kSmallArpa), "x", directory.path(), {}), Error);
}
