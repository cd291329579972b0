// The language model as the beam search sees it, bound to one token table.
#pragma once

#include <cstdint>
#include <string_view>

#include "lm/state.h"

namespace cosyvoice {

/// Any number of threads may ask; nothing allocates or throws. Probabilities are log10.
class NgramScorer {
 public:
  virtual ~NgramScorer() = default;
  /// Its units are the bundle's tokens, each scored as it comes; else words, scored where they end.
  virtual bool scores_tokens() const noexcept = 0;
  /// The unit of a token; where it scores tokens.
  virtual lm::WordId token(std::uint32_t token) const noexcept = 0;
  /// lm::kUnknown where it does not have the word.
  virtual lm::WordId find(std::string_view word) const noexcept = 0;
  virtual lm::State begin() const noexcept = 0;
  virtual float score(const lm::State& from, lm::WordId word, lm::State& to) const noexcept = 0;
  virtual float end(const lm::State& from) const noexcept = 0;
};

}  // namespace cosyvoice
