#include "engine/dictionary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "backend/transcript.h"
#include "bundle/text_file.h"
#include "bundle/utf8.h"
#include "bundle/yaml_tree.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kMaxFileBytes = 16 * 1024 * 1024;
constexpr const char* kExample = "write `words:` and below it lines like `iPhone: [i phone, eye phone]`";

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& what) {
  throw Error(ErrorCode::kInvalidConfig, file + ":" + std::to_string(line) + ": " + what);
}

/// Words joined by single spaces, as transcripts are.
void check_phrase(const std::string& file, std::size_t line, const std::string& phrase, const char* role) {
  const bool spaced = phrase.front() != ' ' && phrase.back() != ' ' && phrase.find("  ") == std::string::npos;
  const bool plain = std::none_of(phrase.begin(), phrase.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (!spaced || !plain) {
    refuse(file, line,
           std::string(role) + " " + in_quotes(phrase) +
               " has spaces at an end, two in a row, or a control character; write words with one space between them");
  }
}

std::size_t words_in(std::string_view phrase) noexcept {
  return 1 + static_cast<std::size_t>(std::count(phrase.begin(), phrase.end(), ' '));
}

std::size_t character_at(std::string_view text) noexcept {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
  return size;
}

void append_word(ShownText& shown, std::string_view text, const EventWord& from) noexcept {
  if (!shown.text.empty()) shown.text += ' ';
  EventWord word = from;
  word.text_begin = static_cast<std::uint32_t>(shown.text.size());
  word.text_size = static_cast<std::uint32_t>(text.size());
  shown.text += text;
  shown.words.push_back(word);
}

/// The words of `phrase` share the time of the `count` words from `heard` by their length.
void append_phrase(ShownText& shown, std::string_view phrase, const EventWord* heard, std::size_t count) noexcept {
  EventWord word = heard[0];
  const std::int64_t begin_ms = heard[0].start_ms;
  const std::int64_t length_ms = heard[count - 1].end_ms - begin_ms;
  float confidence = 0.0F;
  for (std::size_t i = 0; i < count; ++i) confidence += heard[i].confidence;
  word.confidence = confidence / static_cast<float>(count);
  const auto at = [&](std::size_t byte) {
    return begin_ms + length_ms * static_cast<std::int64_t>(byte) / static_cast<std::int64_t>(phrase.size());
  };
  for (std::size_t begin = 0; begin < phrase.size();) {
    const std::size_t end = std::min(phrase.find(' ', begin), phrase.size());
    word.start_ms = at(begin);
    word.end_ms = at(end);
    append_word(shown, phrase.substr(begin, end - begin), word);
    begin = end + 1;
  }
}

}  // namespace

ShownText::ShownText() {
  text.reserve(Transcript::kMaxText);
  words.reserve(Transcript::kMaxWords);
}

Dictionary::Dictionary(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.heard < b.heard; });
}

std::shared_ptr<const Dictionary> Dictionary::read(const std::string& path) {
  try {
    return parse(read_text_file(path, kMaxFileBytes), path);
  } catch (const Error& error) {
    throw Error(ErrorCode::kInvalidConfig, error.what());
  }
}

std::shared_ptr<const Dictionary> Dictionary::parse(const std::string& yaml, const std::string& file) {
  const YamlNode root = parse_yaml(yaml, file);
  const YamlNode* words = root.find("words");
  if (root.kind != YamlNode::Kind::kMapping || words == nullptr || root.keys.size() != 1) {
    refuse(file, root.line, "expected the one key `words`, found " + root.describe() + "; " + kExample);
  }
  if (words->kind != YamlNode::Kind::kMapping) {
    refuse(file, words->line, "words: expected a mapping, found " + words->describe() + "; " + kExample);
  }
  std::vector<Entry> entries;
  std::map<std::string, std::size_t> lines;
  for (std::size_t i = 0; i < words->keys.size(); ++i) {
    const std::string& shown = words->keys[i];
    const YamlNode& value = words->children[i];
    if (shown.empty()) refuse(file, value.line, std::string("words: an entry shows nothing; ") + kExample);
    check_phrase(file, value.line, shown, "what is shown,");
    const bool is_list = value.kind == YamlNode::Kind::kSequence;
    const std::size_t count = is_list ? value.children.size() : 1;
    for (std::size_t j = 0; j < count; ++j) {
      const YamlNode& heard = is_list ? value.children[j] : value;
      if (heard.kind != YamlNode::Kind::kScalar || heard.text.empty()) {
        refuse(file, heard.line,
               "words: " + in_quotes(shown) + ": expected the words that are heard, found " + heard.describe() + "; " +
                   kExample);
      }
      check_phrase(file, heard.line, heard.text, "what is heard,");
      const auto [before, is_new] = lines.emplace(heard.text, heard.line);
      if (!is_new) {
        refuse(file, heard.line,
               "words: " + in_quotes(heard.text) + " is heard in line " + std::to_string(before->second) +
                   " too; remove one of the two");
      }
      entries.push_back({heard.text, shown});
    }
  }
  return std::shared_ptr<const Dictionary>(new Dictionary(std::move(entries)));
}

const Dictionary::Entry* Dictionary::find(std::string_view text, Match match) const noexcept {
  // The entries that begin with the first bytes of `text` lie side by side: each byte narrows them.
  auto first = entries_.begin();
  auto last = entries_.end();
  const Entry* longest = nullptr;
  for (std::size_t at = 0; first != last; ++at) {
    if (first->heard.size() == at) {
      if (match == Match::kCharacters || at == text.size() || text[at] == ' ') longest = &*first;
      ++first;
    }
    if (at == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto of = [at](const Entry& entry) { return static_cast<unsigned char>(entry.heard[at]); };
    first = std::lower_bound(first, last, byte, [&](const Entry& entry, unsigned char b) { return of(entry) < b; });
    last = std::upper_bound(first, last, byte, [&](unsigned char b, const Entry& entry) { return b < of(entry); });
  }
  return longest;
}

void Dictionary::apply(std::string_view text, const EventWord* words, std::size_t count, Match match,
                       ShownText& shown) const noexcept {
  shown.text.clear();
  shown.words.clear();
  if (match == Match::kWords) {
    apply_to_words(text, words, count, shown);
  } else {
    apply_to_characters(text, words, count, shown);
  }
}

void Dictionary::apply_to_words(std::string_view text, const EventWord* words, std::size_t count,
                                ShownText& shown) const noexcept {
  for (std::size_t i = 0; i < count;) {
    const std::string_view rest = text.substr(words[i].text_begin);
    const Entry* entry = find(rest, Match::kWords);
    const std::size_t heard = entry == nullptr ? 1 : words_in(entry->heard);
    const bool fits = entry != nullptr && heard <= count - i &&
                      shown.text.size() + entry->shown.size() + rest.size() + 2 <= Transcript::kMaxText &&
                      shown.words.size() + words_in(entry->shown) + (count - i - heard) <= Transcript::kMaxWords;
    if (fits) {
      append_phrase(shown, entry->shown, words + i, heard);
      i += heard;
    } else {
      append_word(shown, text.substr(words[i].text_begin, words[i].text_size), words[i]);
      ++i;
    }
  }
}

void Dictionary::apply_to_characters(std::string_view text, const EventWord* words, std::size_t count,
                                     ShownText& shown) const noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view rest = text.substr(words[i].text_begin, words[i].text_size);
    append_word(shown, {}, words[i]);
    const std::size_t begin = shown.text.size();
    const std::size_t after = text.size() - words[i].text_begin - rest.size();
    while (!rest.empty()) {
      const Entry* entry = find(rest, Match::kCharacters);
      const bool fits =
          entry != nullptr && shown.text.size() + entry->shown.size() + rest.size() + after + 2 <= Transcript::kMaxText;
      const std::size_t heard = fits ? entry->heard.size() : character_at(rest);
      shown.text += fits ? std::string_view(entry->shown) : rest.substr(0, heard);
      rest.remove_prefix(heard);
    }
    shown.words.back().text_size = static_cast<std::uint32_t>(shown.text.size() - begin);
  }
}

}  // namespace cosyvoice
