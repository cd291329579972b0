#include <doctest/doctest.h>

#include <string>

#include "bundle/utf8.h"

using namespace cosyvoice;

TEST_CASE("the first malformed byte is found") {
  struct Row {
    std::string text;
    std::size_t expected;
  };
  const Row rows[] = {
      {"", 0},
      {"abc", 3},
      {"a▁é😀", 10},
      {"a\x80", 1},             // a continuation without a lead
      {"ab\xc3", 2},            // cut off
      {"\xc0\xaf", 0},          // overlong, 2 bytes
      {"\xe0\x80\xaf", 0},      // overlong, 3 bytes
      {"\xf0\x80\x80\xaf", 0},  // overlong, 4 bytes
      {"\xed\xa0\x80", 0},      // a surrogate
      {"\xf4\x90\x80\x80", 0},  // past U+10FFFF
      {"\xf4\x8f\xbf\xbf", 4},  // U+10FFFF itself
      {"\xef\xbf\xbdz\xff", 4},
  };
  for (const Row& row : rows) {
    INFO(in_quotes(row.text));
    CHECK(first_malformed_utf8(row.text) == row.expected);
  }
}

TEST_CASE("quotes make any bytes fit for a message") {
  CHECK(in_quotes("a▁\n\xff") == "'a▁\\x0a\\xff'");
  CHECK(in_quotes(std::string(300, 'x')) == "'" + std::string(240, 'x') + "…'");
}
