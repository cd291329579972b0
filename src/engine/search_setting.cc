#include "engine/search_setting.h"

#include <utility>

#include "backend/hotword_list.h"
#include "engine/search_options.h"

namespace cosyvoice {

std::shared_ptr<const lm::LanguageModel> open_lm(const std::string& path) {
  return path.empty() ? nullptr : lm::LanguageModel::open(path);
}

std::shared_ptr<const lm::LanguageModel> open_checked_lm(const std::string& path) {
  auto model = open_lm(path);
  if (model != nullptr && !model->verify()) {
    throw Error(ErrorCode::kInvalidModel,
                path + " is not what was written: its SHA-256 is another; build it again, or copy it again");
  }
  return model;
}

SearchChange search_change(const EngineOptions& options, std::shared_ptr<const lm::LanguageModel> lm) {
  SearchChange change;
  change.lm = std::move(lm);
  change.weights = fusion_weights(options);
  change.hotwords.emplace();
  if (!options.hotwords.empty()) {
    change.hotwords = read_hotwords(options.hotwords, static_cast<float>(options.hotword_boost));
  }
  return change;
}

}  // namespace cosyvoice
