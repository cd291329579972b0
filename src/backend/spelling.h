// How a bundle writes text, and phrases of a user's brought into that form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cosyvoice {

struct Spelling {
  enum class Case { kLower, kUpper, kMixed };
  Case letter_case = Case::kMixed;
  bool has_words = true;  ///< words have boundaries; without, text is a run of characters

  /// The phrase as the bundle would write it: its case (of Latin, Greek and Cyrillic letters), ' for a typographic
  /// apostrophe, one space between words, or none where the bundle writes none.
  std::string apply(std::string_view phrase) const;
};

inline bool operator==(const Spelling& a, const Spelling& b) noexcept {
  return a.letter_case == b.letter_case && a.has_words == b.has_words;
}

/// "a b" → "a", "b"
std::vector<std::string_view> split_words(std::string_view text);

}  // namespace cosyvoice
