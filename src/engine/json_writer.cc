#include "engine/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace cosyvoice {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr double kLargest = 1e12;

struct Character {
  std::size_t bytes;  // well-formed: its length; otherwise how many bytes one replacement stands for
  bool well_formed;
};

/// The character at the start of `text`, which is not empty (Unicode 15, table 3-7).
Character next_character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  std::size_t length = 0;
  unsigned low = 0x80, high = 0xBF;  // of the second byte
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

void append_escape(unsigned char byte, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
  }
}

template <class Integer>
void append_integer(Integer value, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  out.append(digits, end);
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const Character character = next_character(text);
    if (!character.well_formed) {
      out += kReplacement;
    } else if (byte < 0x20 || byte == '"' || byte == '\\') {
      append_escape(byte, out);
    } else {
      out.append(text.data(), character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  out += '"';
}

void append_json_number(std::int64_t value, std::string& out) {
  append_integer(value, out);
}
void append_json_number(std::uint64_t value, std::string& out) {
  append_integer(value, out);
}

void append_json_number(double value, int decimals, std::string& out) {
  if (!std::isfinite(value)) value = 0.0;
  value = std::clamp(value, -kLargest, kLargest);
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::fixed, decimals);
  std::string_view number(digits, static_cast<std::size_t>(written.ptr - digits));
  if (number.find('.') != std::string_view::npos) {
    number = number.substr(0, number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.remove_suffix(1);
  }
  out += number == "-0" ? "0" : number;
}

}  // namespace cosyvoice
