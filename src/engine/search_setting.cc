#include "engine/search_setting.h"

#include <utility>

#include "backend/hotword_list.h"
#include "bundle/utf8.h"
#include "engine/search_options.h"

namespace cosyvoice {

LmChoice open_lm(const std::string& option) {
  if (option.empty()) return {};
  return {false, option == kNoLm ? nullptr : lm::LanguageModel::open(option)};
}

LmChoice open_checked_lm(const std::string& option) {
  LmChoice choice = open_lm(option);
  if (choice.model != nullptr && !choice.model->verify()) {
    throw Error(ErrorCode::kInvalidModel,
                option + " is not what was written: its SHA-256 is another; build it again, or copy it again");
  }
  return choice;
}

std::string describe_lm(const std::string& option) {
  if (option.empty()) return "the models' own language models";
  return option == kNoLm ? "no language model" : "language model from " + in_quotes(option);
}

SearchChange search_change(const EngineOptions& options, LmChoice lm) {
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
