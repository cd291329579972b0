// What of a configuration file holds while sessions run: the file is watched, and a section whose `version` rose is
// switched. A bad file leaves everything as it is, and the log says why.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cosyvoice/engine.h"
#include "engine/counters.h"
#include "engine/dictionary.h"
#include "engine/model_registry.h"
#include "runtime/file_watch.h"
#include "runtime/published.h"

namespace cosyvoice {

class LiveConfig {
 public:
  /// Reads the dictionary that `options` name, and watches `options.config_file` where one is named and shall be
  /// watched. Throws kInvalidConfig, kModelNotFound.
  LiveConfig(const EngineOptions& options, ModelRegistry& models, Published<Dictionary>& dictionary,
             Counters& counters);

  /// Any thread: whatever `path` holds (empty: nothing) from the next utterances on. Throws kInvalidConfig.
  void swap_dictionary(const std::string& path);
  /// The same for the language model, by what the option `lm` may be; its weight stays. Reads the whole file first.
  /// Throws kModelNotFound, kInvalidModel.
  void swap_lm(const std::string& option);

 private:
  void look_again() noexcept;
  /// False where `action` threw: then the log says that `what` is switched, and why.
  template <class Action>
  bool attempt(std::string_view what, Action&& action) noexcept;
  /// Switches a section whose version rose; says in the log what is wrong where a key changed and its version did not.
  template <class Swap>
  void switch_risen(std::string_view section, std::uint32_t from, std::uint32_t to, const EngineOptions& next,
                    Swap&& swap);
  void swap_search(const EngineOptions& next);
  void name_others(const EngineOptions& next) const;

  ModelRegistry& models_;
  Published<Dictionary>& dictionary_;
  Counters& counters_;
  EngineOptions current_;  ///< the file's; the watch's thread alone
  std::unique_ptr<FileWatch> watch_;
};

}  // namespace cosyvoice
