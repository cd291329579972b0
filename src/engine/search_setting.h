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

/// Which language model counts.
struct LmChoice {
  bool own = true;                                 ///< each model's, where its bundle has one
  std::shared_ptr<const lm::LanguageModel> model;  ///< otherwise this one; null: none
};

struct SearchSetting {
  LmChoice lm;
  FusionWeights weights;
  std::vector<Hotword> hotwords;  ///< the engine's
};

/// What is not there stays as it is.
struct SearchChange {
  std::optional<LmChoice> lm;
  std::optional<FusionWeights> weights;
  std::optional<std::vector<Hotword>> hotwords;
};

/// What the option `lm` says: a compiled model's path, kNoLm, or nothing. Throws kModelNotFound, kInvalidModel.
LmChoice open_lm(const std::string& option);
/// The same, every byte looked at: a file that was cut or damaged is refused.
LmChoice open_checked_lm(const std::string& option);
/// For the log.
std::string describe_lm(const std::string& option);

/// All that `options` say about it, with `lm` as the choice and the file of hotwords read. Throws kInvalidModel,
/// kInvalidArgument.
SearchChange search_change(const EngineOptions& options, LmChoice lm);

}  // namespace cosyvoice
