// What the searches of an engine weigh beside the network, and changes of it while sessions run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/fusion.h"
#include "cosyvoice/engine.h"
#include "lm/language_model.h"

namespace cosyvoice {

struct SearchSetting {
  std::shared_ptr<const lm::LanguageModel> lm;  ///< null: none
  FusionWeights weights;
  std::vector<Hotword> hotwords;  ///< the engine's
};

/// What is not there stays as it is.
struct SearchChange {
  std::optional<std::shared_ptr<const lm::LanguageModel>> lm;
  std::optional<FusionWeights> weights;
  std::optional<std::vector<Hotword>> hotwords;
};

/// The compiled model at `path`; null for an empty path. Throws kModelNotFound, kInvalidModel.
std::shared_ptr<const lm::LanguageModel> open_lm(const std::string& path);
/// The same, every byte looked at: a file that was cut or damaged is refused.
std::shared_ptr<const lm::LanguageModel> open_checked_lm(const std::string& path);

/// All that `options` say about it, with `lm` as the model and the file of hotwords read. Throws kInvalidModel,
/// kInvalidArgument.
SearchChange search_change(const EngineOptions& options, std::shared_ptr<const lm::LanguageModel> lm);

}  // namespace cosyvoice
