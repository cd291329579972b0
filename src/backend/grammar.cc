#include "backend/grammar.h"

#include <algorithm>

#include "bundle/utf8.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

using Symbols = std::vector<PhraseAutomaton::Symbol>;

constexpr std::size_t kMaxPhrases = 10'000;
constexpr std::size_t kMaxPhraseBytes = 1024;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, what);
}

/// The phrases as the bundle writes them, without [unk].
std::vector<std::string> spelled(const std::vector<std::string>& phrases, const Spelling& spelling) {
  if (!spelling.has_words) {
    refuse(
        "this model writes no spaces between words, which a grammar is made of; use hotwords, or a model whose "
        "manifest has a word_boundary");
  }
  if (phrases.size() > kMaxPhrases) {
    refuse("the grammar has " + std::to_string(phrases.size()) + " phrases, but " + std::to_string(kMaxPhrases) +
           " are allowed; for an open vocabulary use hotwords or a language model");
  }
  std::vector<std::string> found;
  for (const std::string& phrase : phrases) {
    if (first_malformed_utf8(phrase) != phrase.size()) refuse("grammar: " + in_quotes(phrase) + " is not UTF-8");
    if (phrase.size() > kMaxPhraseBytes) {
      refuse("grammar: " + in_quotes(phrase) + " has more than " + std::to_string(kMaxPhraseBytes) +
             " bytes; split it into phrases, which may follow each other");
    }
    if (phrase == Grammar::kUnknown) continue;
    found.push_back(spelling.apply(phrase));
    if (found.back().empty()) refuse("grammar: a phrase has no text; leave it out");
  }
  if (found.empty()) refuse("the grammar has no phrase, so nothing could be heard; name some, or leave it out");
  return found;
}

Symbols letters_of(std::string_view word) {
  Symbols symbols;
  for (const char c : word) symbols.push_back(static_cast<unsigned char>(c));
  return symbols;
}

std::vector<std::string_view> vocabulary(const std::vector<std::string>& phrases) {
  std::vector<std::string_view> words;
  for (const std::string& phrase : phrases) {
    for (const std::string_view word : split_words(phrase)) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

PhraseAutomaton letters_automaton(const std::vector<std::string>& phrases) {
  std::vector<Symbols> words;
  for (const std::string_view word : vocabulary(phrases)) words.push_back(letters_of(word));
  return PhraseAutomaton(words);
}

/// A word's symbol is its place in the sorted vocabulary, from 1.
PhraseAutomaton words_automaton(const std::vector<std::string>& phrases) {
  const auto words = vocabulary(phrases);
  std::vector<Symbols> all;
  for (const std::string& phrase : phrases) {
    Symbols symbols;
    for (const std::string_view word : split_words(phrase)) {
      const auto place = std::lower_bound(words.begin(), words.end(), word) - words.begin();
      symbols.push_back(static_cast<PhraseAutomaton::Symbol>(place + 1));
    }
    all.push_back(std::move(symbols));
  }
  return PhraseAutomaton(all);
}

}  // namespace

Grammar::Grammar(const std::vector<std::string>& phrases, const Spelling& spelling)
    : letters_(letters_automaton(spelled(phrases, spelling))),
      words_(words_automaton(spelled(phrases, spelling))),
      word_of_(letters_.states()),
      unknown_words_(std::find(phrases.begin(), phrases.end(), kUnknown) != phrases.end()) {
  const std::vector<std::string> kept = spelled(phrases, spelling);
  std::uint32_t number = 0;
  for (const std::string_view word : vocabulary(kept)) word_of_[letters_.find(letters_of(word))] = ++number;
}

Grammar::Letters Grammar::spell(Letters from, std::string_view text) const noexcept {
  for (const char c : text) {
    if (from == kOff) return kOff;
    from = letters_.child(from, static_cast<unsigned char>(c));
  }
  return from;
}

Grammar::Words Grammar::read(Words from, Letters word) const noexcept {
  const std::uint32_t number = word == kOff ? 0 : word_of_[word];
  return number == 0 ? PhraseAutomaton::kRoot : words_.step(from, number);
}

}  // namespace cosyvoice
