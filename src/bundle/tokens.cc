#include "bundle/tokens.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "bundle/text_file.h"
#include "bundle/utf8.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kMaxTokenBytes = 64U << 20U;
constexpr std::size_t kMinTokens = 2;  // the blank and one piece

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& what) {
  throw Error(ErrorCode::kInvalidModel, path + ":" + std::to_string(line) + ": " + what);
}

}  // namespace

std::vector<std::string> read_tokens(const std::string& path) {
  const std::string text = read_text_file(path, kMaxTokenBytes);
  std::vector<std::string> tokens;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    const std::size_t number = tokens.size() + 1;
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos || space == 0) {
      refuse(path, number, "expected \"piece id\", found " + in_quotes(line));
    }
    const std::string_view piece = line.substr(0, space);
    const std::string_view id_text = line.substr(space + 1);
    std::uint64_t id = 0;
    const auto [stop, fault] = std::from_chars(id_text.data(), id_text.data() + id_text.size(), id);
    if (fault != std::errc{} || stop != id_text.data() + id_text.size() || id != tokens.size()) {
      refuse(path, number,
             "expected the id " + std::to_string(tokens.size()) + ", found " + in_quotes(id_text) +
                 "; ids run from 0 in the order of the lines");
    }
    if (first_malformed_utf8(piece) != piece.size()) {
      refuse(path, number, "expected UTF-8 text, found " + in_quotes(piece) + "; save the file as UTF-8");
    }
    for (const char letter : piece) {
      if (static_cast<unsigned char>(letter) < 0x20) {
        refuse(path, number, "expected a piece without control characters, found " + in_quotes(piece));
      }
    }
    tokens.emplace_back(piece);
  }
  if (tokens.size() < kMinTokens) {
    refuse(path, 1,
           "expected at least " + std::to_string(kMinTokens) + " tokens, found " + std::to_string(tokens.size()));
  }
  return tokens;
}

}  // namespace cosyvoice
