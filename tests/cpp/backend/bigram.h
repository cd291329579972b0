// A language model of a few words with the probabilities that a test writes down.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/ngram_scorer.h"

namespace cosyvoice::testing {

/// log10 P(word | word before): what was set, else `other`. Ids are places in `words` from 1; 0 is unknown.
class Bigram final : public NgramScorer {
 public:
  explicit Bigram(std::vector<std::string> words, bool tokens = false) : words_(std::move(words)), tokens_(tokens) {}
  void set(std::string_view before, std::string_view word, float log10) { table_[{id(before), id(word)}] = log10; }
  float other = -3.0F;

  float probability(std::string_view before, std::string_view word) const { return look_up(id(before), id(word)); }

  bool scores_tokens() const noexcept override { return tokens_; }
  lm::WordId token(std::uint32_t token) const noexcept override { return token; }
  lm::WordId find(std::string_view word) const noexcept override { return id(word); }
  lm::State begin() const noexcept override { return state(kBegin); }
  float score(const lm::State& from, lm::WordId word, lm::State& to) const noexcept override {
    const float score = look_up(from.words[0], word);
    to = state(word);
    return score;
  }
  float end(const lm::State& from) const noexcept override { return look_up(from.words[0], kEnd); }

 private:
  static constexpr lm::WordId kBegin = 1000, kEnd = 1001;
  static lm::State state(lm::WordId word) noexcept {
    lm::State state;
    state.words[0] = word;
    state.length = 1;
    return state;
  }
  lm::WordId id(std::string_view word) const noexcept {
    if (word == "<s>") return kBegin;
    if (word == "</s>") return kEnd;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] == word) return static_cast<lm::WordId>(i + 1);
    }
    return lm::kUnknown;
  }
  float look_up(lm::WordId before, lm::WordId word) const noexcept {
    const auto found = table_.find({before, word});
    return found == table_.end() ? other : found->second;
  }

  std::vector<std::string> words_;
  bool tokens_;
  std::map<std::pair<lm::WordId, lm::WordId>, float> table_;
};

}  // namespace cosyvoice::testing
