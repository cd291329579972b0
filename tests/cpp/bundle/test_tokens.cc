#include <doctest/doctest.h>

#include "bundle/tokens.h"
#include "bundle_fixture.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

TEST_CASE("tokens are read by their lines; a piece may hold spaces") {
  const TemporaryDirectory directory;
  directory.write("tokens.txt", "<blank> 0\na b 1\n  2\n▁né 3");
  CHECK(read_tokens(directory.path() + "/tokens.txt") == std::vector<std::string>{"<blank>", "a b", " ", "▁né"});
}

TEST_CASE("a bad line is named by its number") {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"", "at least 2 tokens, found 0"},
      {"a 0\n", "at least 2 tokens, found 1"},
      {"a 0\nb\n", "tokens.txt:2: expected \"piece id\", found 'b'"},
      {"a 0\n\nb 1\n", "tokens.txt:2: expected \"piece id\""},
      {"a 0\n 1\n", "tokens.txt:2: expected \"piece id\""},
      {"a 1\nb 0\n", "tokens.txt:1: expected the id 0, found '1'"},
      {"a 0\nb 2\n", "tokens.txt:2: expected the id 1, found '2'"},
      {"a 0\nb 1x\n", "found '1x'"},
      {"a 0\nb -1\n", "found '-1'"},
      {"a 0\nb 1\r\n", "found '1\\x0d'"},
      {"a 0\nb 99999999999999999999\n", "expected the id 1"},
      {"a 0\n\xff 1\n", "UTF-8"},
      {"a 0\nb\tc 1\n", "control characters"},
  };
  for (const Row& row : rows) {
    const TemporaryDirectory directory;
    directory.write("tokens.txt", row.text);
    CHECK_THROWS_WITH_AS(read_tokens(directory.path() + "/tokens.txt"), doctest::Contains(row.message), Error);
  }
}
