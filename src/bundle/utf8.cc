#include "bundle/utf8.h"

#include <cstdint>

namespace cosyvoice {
namespace {

constexpr std::size_t kQuotedBytes = 240;

bool continues(std::string_view text, std::size_t index) noexcept {
  return index < text.size() && (static_cast<std::uint8_t>(text[index]) & 0xC0U) == 0x80U;
}

/// Bytes of the character that begins at `index`; 0: malformed.
std::size_t character_size(std::string_view text, std::size_t index) noexcept {
  const auto lead = static_cast<std::uint8_t>(text[index]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(text, index + 1)) return 0;
  if (lead < 0xE0) return 2;
  const auto second = static_cast<std::uint8_t>(text[index + 1]);
  if (!continues(text, index + 2)) return 0;
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = lead == 0xF0 && second < 0x90;
  const bool beyond_unicode = lead == 0xF4 && second > 0x8F;
  return overlong || beyond_unicode || !continues(text, index + 3) ? 0 : 4;
}

}  // namespace

std::size_t first_malformed_utf8(std::string_view text) noexcept {
  std::size_t index = 0;
  while (index < text.size()) {
    const std::size_t size = character_size(text, index);
    if (size == 0) return index;
    index += size;
  }
  return text.size();
}

std::string in_quotes(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string result = "'";
  for (std::size_t index = 0; index < text.size();) {
    const std::size_t size = character_size(text, index);
    if (index + size > kQuotedBytes) return result + "…'";
    const auto byte = static_cast<std::uint8_t>(text[index]);
    if (size == 0 || byte < 0x20 || byte == 0x7F) {
      result += "\\x";
      result += kHex[byte >> 4];
      result += kHex[byte & 0xF];
      index += 1;
    } else {
      result += text.substr(index, size);
      index += size;
    }
  }
  return result + "'";
}

}  // namespace cosyvoice
