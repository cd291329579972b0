#include "backend/spelling.h"

#include <cstdint>

namespace cosyvoice {
namespace {

constexpr std::uint32_t kTypographicApostrophe = 0x2019;

bool is_space(std::uint32_t c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xA0 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

/// Capitals and small letters that are a fixed distance apart.
struct Letters {
  std::uint32_t first, last, distance;
};
constexpr Letters kApart[] = {{'A', 'Z', 32},     {0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},  {0x391, 0x3A1, 32},
                              {0x3A3, 0x3AB, 32}, {0x410, 0x42F, 32}, {0x400, 0x40F, 80}};
/// Capitals whose small letter follows at once; the first of each range is a capital.
constexpr Letters kPairs[] = {{0x100, 0x137, 1}, {0x139, 0x148, 1}, {0x14A, 0x177, 1}, {0x179, 0x17E, 1}};

std::uint32_t lower(std::uint32_t c) noexcept {
  for (const Letters& range : kApart) {
    if (c >= range.first && c <= range.last) return c + range.distance;
  }
  for (const Letters& range : kPairs) {
    if (c >= range.first && c <= range.last) return c + ((c - range.first) % 2 == 0 ? 1 : 0);
  }
  return c;
}

std::uint32_t upper(std::uint32_t c) noexcept {
  for (const Letters& range : kApart) {
    if (c >= range.first + range.distance && c <= range.last + range.distance) return c - range.distance;
  }
  for (const Letters& range : kPairs) {
    if (c >= range.first && c <= range.last) return c - ((c - range.first) % 2 == 0 ? 0 : 1);
  }
  return c;
}

/// The next character of well-formed UTF-8.
std::uint32_t take(std::string_view& text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t c = size == 1 ? lead : lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size && i < text.size(); ++i) c = c << 6U | (byte(i) & 0x3FU);
  text.remove_prefix(size < text.size() ? size : text.size());
  return c;
}

void append(std::uint32_t c, std::string& out) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (c >> shift & 0x3FU)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0U | c >> 6U);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0U | c >> 12U);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | c >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::string Spelling::apply(std::string_view phrase) const {
  std::string out;
  bool space = false;
  while (!phrase.empty()) {
    std::uint32_t c = take(phrase);
    if (is_space(c)) {
      space = !out.empty();
      continue;
    }
    if (space && has_words) out += ' ';
    space = false;
    if (c == kTypographicApostrophe) c = '\'';
    append(letter_case == Case::kLower ? lower(c) : letter_case == Case::kUpper ? upper(c) : c, out);
  }
  return out;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

}  // namespace cosyvoice
