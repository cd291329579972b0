// A compiled language model with the ids that a bundle's tokens have in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/ngram_scorer.h"
#include "lm/language_model.h"

namespace cosyvoice {

class BoundLanguageModel final : public NgramScorer {
 public:
  /// `tokens` and `tokens_path` are the bundle's. Throws kInvalidModel where the model's units are tokens of another
  /// list.
  BoundLanguageModel(std::shared_ptr<const lm::LanguageModel> model, const std::vector<std::string>& tokens,
                     const std::string& tokens_path);

  bool scores_tokens() const noexcept override { return !token_ids_.empty(); }
  lm::WordId token(std::uint32_t token) const noexcept override { return token_ids_[token]; }
  lm::WordId find(std::string_view word) const noexcept override { return model_->find(word); }
  lm::State begin() const noexcept override { return model_->begin(); }
  float score(const lm::State& from, lm::WordId word, lm::State& to) const noexcept override {
    return model_->score(from, word, to);
  }
  float end(const lm::State& from) const noexcept override { return model_->end(from); }

 private:
  std::shared_ptr<const lm::LanguageModel> model_;
  std::vector<lm::WordId> token_ids_;  // empty where it scores words
};

}  // namespace cosyvoice
