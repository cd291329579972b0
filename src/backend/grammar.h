// A closed list of phrases, and nothing else can be heard: any sequence of whole phrases. With "[unk]" among them, any
// other word may stand between, is shown as "[unk]" and costs the text kUnknownCost.
//
// Two automata: one over the letters of the phrases' words, which says what the open word can still become, and one
// over the words of the phrases. What is to be known of a text is the cheapest way to read its words as phrases and
// unknown words:
//
//   cost(i) = least of  cost(i - k)  for each phrase of k words that ends with word i
//                       cost(i - 1) + kUnknownCost, where unknown words are allowed
//
// The reader keeps cost(i) of every word's end (PrefixTree does), so a phrase may be of any length.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "backend/phrase_automaton.h"
#include "backend/spelling.h"

namespace cosyvoice {

class Grammar {
 public:
  static constexpr std::string_view kUnknown = "[unk]";
  /// In natural logarithm of probability, for each unknown word.
  static constexpr float kUnknownCost = 5.0F;
  static constexpr float kImpossible = std::numeric_limits<float>::infinity();

  /// Throws kInvalidArgument: no phrase, too many, or not UTF-8; a spelling without words.
  Grammar(const std::vector<std::string>& phrases, const Spelling& spelling);

  /// Where the open word stands: letters that some word begins with, or not (kOff).
  using Letters = PhraseAutomaton::State;
  static constexpr Letters kOff = PhraseAutomaton::kNone;
  Letters spell(Letters from, std::string_view text) const noexcept;

  using Words = PhraseAutomaton::State;
  /// Reads a whole word.
  Words read(Words from, Letters word) const noexcept;

  /// cost(i) for the last word's end, and the least that the text can still cost if its last words are the beginning of
  /// a phrase. `cost_before(k)` is cost(i - k).
  struct Cost {
    float whole = 0.0F, open = 0.0F;
  };
  template <class CostBefore>
  Cost cost(Words words, CostBefore&& cost_before) const noexcept {
    Cost cost{unknown_words_ ? cost_before(1) + kUnknownCost : kImpossible, kImpossible};
    for (Words state = words; state != PhraseAutomaton::kRoot; state = words_.fallback(state)) {
      const float before = cost_before(words_.depth(state));
      if (words_.is_phrase(state) && before < cost.whole) cost.whole = before;
      if (before < cost.open) cost.open = before;
    }
    if (cost.whole < cost.open) cost.open = cost.whole;
    return cost;
  }
  /// The length in words of the cheapest phrase that ends here, 0 where the word is cheaper as an unknown one.
  template <class CostBefore>
  std::uint32_t phrase_length(Words words, CostBefore&& cost_before) const noexcept {
    float best = unknown_words_ ? cost_before(1) + kUnknownCost : kImpossible;
    std::uint32_t length = 0;
    for (Words state = words; state != PhraseAutomaton::kRoot; state = words_.fallback(state)) {
      const float before = cost_before(words_.depth(state));
      if (words_.is_phrase(state) && before < best) {
        best = before;
        length = words_.depth(state);
      }
    }
    return length;
  }
  /// How many of the last words are the beginning of a phrase, where reading them so is cheaper than `whole`, the cost
  /// of the words as they are; else 0.
  template <class CostBefore>
  std::uint32_t begun(Words words, float whole, CostBefore&& cost_before) const noexcept {
    std::uint32_t length = 0;
    for (Words state = words; state != PhraseAutomaton::kRoot; state = words_.fallback(state)) {
      const float before = cost_before(words_.depth(state));
      if (before >= whole) continue;
      whole = before;
      length = words_.depth(state);
    }
    return length;
  }
  bool unknown_words() const noexcept { return unknown_words_; }

 private:
  PhraseAutomaton letters_, words_;
  std::vector<std::uint32_t> word_of_;  // state of letters_ → the word that it spells, from 1; 0: none
  bool unknown_words_;
};

}  // namespace cosyvoice
