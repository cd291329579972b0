// Phrases that the search prefers, matched on the characters of what it has found so far.
//
// A phrase is worth its boost, in natural logarithm of probability, once it is complete: "ann" boosted by 4 makes every
// text with the word "ann" e⁴ times as probable. While it is being spelled it is worth a share of that, so that the
// search does not drop it before it is complete; what breaks off loses its share again. So what a text is worth depends
// on the text alone:
//
//   worth(text) = boosts of the phrases that are complete in it + share(of the one that is being spelled)
//
// Where words have boundaries, a phrase stands between two of them: its pattern is " ann ", which "annual " does not
// hold and "hannah " neither. The space before is the start of the word and earns no share; the one behind comes when
// the word ends, which is when the next begins, or the utterance ends. Phrases that end at the same place count once,
// with the highest boost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/phrase_automaton.h"
#include "backend/spelling.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {

/// For one way of spelling. Built off the engine's threads, read by any.
class HotwordList {
 public:
  using State = PhraseAutomaton::State;

  HotwordList(const std::vector<Hotword>& hotwords, const Spelling& spelling);

  /// Before the first character.
  State start() const noexcept { return start_; }
  /// Reads text; adds the boosts of what it completes to `earned`.
  State read(State state, std::string_view text, float& earned) const noexcept;
  /// The share of what is being spelled.
  float share(State state) const noexcept { return worth_[state].share; }
  /// The most that a text of one more piece can be worth more.
  float highest_boost() const noexcept { return highest_boost_; }

 private:
  struct Worth {
    float share = 0.0F;
    float boost = 0.0F;  // of the phrases that end here
  };

  PhraseAutomaton automaton_;
  std::vector<Worth> worth_;
  State start_ = PhraseAutomaton::kRoot;
  float highest_boost_ = 0.0F;
};

constexpr std::size_t kMaxHotwords = 100'000;
constexpr std::size_t kMaxHotwordBytes = 256;
constexpr float kHighestBoost = 50.0F;

/// Refuses lists that no engine takes: phrases without text or that are not UTF-8, boosts out of range, too many.
/// Throws kInvalidArgument: which, why, what to do.
void validate(const std::vector<Hotword>& hotwords);

/// A file of hotwords: a phrase a line, its boost behind a tab where it is not `boost`; empty lines and those that
/// begin with # are left out. Throws kModelNotFound, kInvalidArgument.
std::vector<Hotword> read_hotwords(const std::string& path, float boost);

}  // namespace cosyvoice
