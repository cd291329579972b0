// What the search adds to the network's opinion of a prefix: language model, hotwords, grammar.
//
// It depends on the prefix alone, not on its alignment. A word counts when it ends: when the next one begins, or the
// utterance ends. Until then a hotword that is being spelled has earned a share, and a grammar's words what they cost
// at least; both are in `pending`, which is worth nothing in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "backend/grammar.h"
#include "backend/hotword_list.h"
#include "backend/ngram_scorer.h"
#include "backend/transcript.h"

namespace cosyvoice {

struct FusionWeights {
  float lm_weight = 0.3F;   ///< of the language model's log-probability beside the network's
  float word_bonus = 2.0F;  ///< for each of its units: word or token
};

struct FusionSources {
  std::shared_ptr<const NgramScorer> lm;
  std::shared_ptr<const HotwordList> hotwords;      ///< the engine's
  std::shared_ptr<const HotwordList> own_hotwords;  ///< the session's
  std::shared_ptr<const Grammar> grammar;           ///< where there is one, the language model is not asked
  FusionWeights weights;
};

struct FusionState {
  float settled = 0.0F, pending = 0.0F;
  std::uint32_t word_bytes = 0;  ///< of the open word
  HotwordList::State hotwords = 0, own_hotwords = 0;
  Grammar::Letters letters = 0;
  Grammar::Words words = 0;
  Grammar::Cost cost;  ///< at the end of the last word
  lm::State lm;        ///< of the words before the open one
  float score() const noexcept { return settled + pending; }
};

class Fusion {
 public:
  Fusion() = default;
  Fusion(const TokenTable* tokens, FusionSources sources);

  const TokenTable* tokens() const noexcept { return tokens_; }
  const FusionSources& sources() const noexcept { return sources_; }
  /// The empty prefix.
  FusionState start() const noexcept;
  /// The empty prefix of an utterance that goes on where the one before was cut.
  FusionState go_on(const FusionState& ended) const noexcept;
  /// The prefix with a piece more. A piece that begins a word comes after end_word().
  FusionState add(const FusionState& from, std::uint32_t token) const noexcept;
  /// The prefix's last word is `word`; `cost_before(k)`: see Grammar.
  template <class CostBefore>
  FusionState end_word(const FusionState& from, std::string_view word, CostBefore&& cost_before) const noexcept {
    FusionState to = ended(from, word);
    if (sources_.grammar != nullptr) {
      to.words = sources_.grammar->read(from.words, from.letters);
      to.letters = 0;
      to.cost = sources_.grammar->cost(to.words, cost_before);
    }
    weigh(to);
    return to;
  }
  /// What a prefix whose last word has ended is worth as a whole utterance; minus infinity: no grammar allows it.
  float finish(const FusionState& ended) const noexcept;
  /// No piece can make a prefix worth more by more than this.
  float highest_gain() const noexcept { return highest_gain_; }

 private:
  FusionState ended(const FusionState& from, std::string_view word) const noexcept;
  void weigh(FusionState& state) const noexcept;
  float scored(float log10_probability) const noexcept;

  const TokenTable* tokens_ = nullptr;
  FusionSources sources_;
  bool per_token_ = false, per_word_ = false;  // what the language model scores
  float highest_gain_ = 0.0F;
};

}  // namespace cosyvoice
