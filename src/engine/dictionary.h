// A user's dictionary: what the recogniser writes → what is shown.
//
// Read from a YAML file once and constant from then on; an event's text goes through it on its way out. The longest
// entry wins, from left to right, and nothing that was written is looked at again. Entries match whole words, or, where
// a model writes none (its bundle has no word boundary), any characters. Words are never lost: an entry that would not
// fit leaves what was recognised.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mailbox_record.h"

namespace cosyvoice {

/// A text and its words as an event shows them; the storage is reused.
struct ShownText {
  ShownText();
  std::string text;
  std::vector<EventWord> words;
};

class Dictionary {
 public:
  enum class Match { kWords, kCharacters };

  /// `words:` of the file maps what is shown to what is heard, one phrase or a list of them. Throws kInvalidConfig:
  /// file, line, what is wrong and what to do.
  static std::shared_ptr<const Dictionary> read(const std::string& path);
  static std::shared_ptr<const Dictionary> parse(const std::string& yaml, const std::string& file);

  std::size_t size() const noexcept { return entries_.size(); }  ///< phrases heard
  /// Rewrites `text` with its `count` words into `shown`. Allocates nothing.
  void apply(std::string_view text, const EventWord* words, std::size_t count, Match match,
             ShownText& shown) const noexcept;

 private:
  struct Entry {
    std::string heard, shown;
  };

  explicit Dictionary(std::vector<Entry> entries);
  /// The longest entry at the start of `text`, or nullptr.
  const Entry* find(std::string_view text, Match match) const noexcept;
  void apply_to_words(std::string_view text, const EventWord* words, std::size_t count,
                      ShownText& shown) const noexcept;
  void apply_to_characters(std::string_view text, const EventWord* words, std::size_t count,
                           ShownText& shown) const noexcept;

  std::vector<Entry> entries_;  ///< by the bytes of `heard`
};

}  // namespace cosyvoice
