// A back-off model in memory, as it stands in an ARPA file: what the builder works on.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "lm/state.h"

namespace cosyvoice::lm {

struct Ngram {
  std::array<WordId, kMaxOrder> words{};     ///< the latest first; 0 beyond the order
  float probability = 0.0F, backoff = 0.0F;  ///< log10
  bool extends = false;                      ///< an n-gram of the next order begins with it

  /// By the latest word, then by the one before it, and so on: the order of the records of a level.
  friend bool operator<(const Ngram& a, const Ngram& b) noexcept { return a.words < b.words; }
};

struct Ngrams {
  std::vector<std::string> words;  ///< "<unk>", then the others in the order of their bytes
  WordId begin_word = 0, end_word = 0;
  int order = 0;
  std::array<std::vector<Ngram>, kMaxOrder> of_order;  ///< [n - 1]; those of order 1 by id
  bool unknown_missing = false;

  /// "a b c" of an n-gram of order `n`, for messages.
  std::string text(const Ngram& ngram, std::size_t n) const;
};

}  // namespace cosyvoice::lm
