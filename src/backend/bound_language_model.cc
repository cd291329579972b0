#include "backend/bound_language_model.h"

#include <utility>

#include "bundle/sha256.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {

BoundLanguageModel::BoundLanguageModel(std::shared_ptr<const lm::LanguageModel> model,
                                       const std::vector<std::string>& tokens, const std::string& tokens_path)
    : model_(std::move(model)) {
  if (model_->facts().unit == lm::Unit::kWord) return;
  if (model_->facts().tokens_sha256 != sha256_of_file(tokens_path)) {
    throw Error(ErrorCode::kInvalidModel, model_->path() + ": its units are the tokens of another list than " +
                                              tokens_path +
                                              "; build it for this bundle with `cosyvoice lm build --tokens`");
  }
  token_ids_.reserve(tokens.size());
  for (const std::string& token : tokens) token_ids_.push_back(model_->find(token));
}

}  // namespace cosyvoice
