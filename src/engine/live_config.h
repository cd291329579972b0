// What of a configuration file holds while sessions run: the file is watched, and a section whose `version` rose is
// switched. A bad file leaves everything as it is, and the log says why.
#pragma once

#include <memory>
#include <string>

#include "cosyvoice/engine.h"
#include "engine/counters.h"
#include "engine/dictionary.h"
#include "runtime/file_watch.h"
#include "runtime/published.h"

namespace cosyvoice {

class LiveConfig {
 public:
  /// Reads what `options` name, and watches `options.config_file` where one is named and shall be watched.
  /// Throws kInvalidConfig, kModelNotFound.
  LiveConfig(const EngineOptions& options, Published<Dictionary>& dictionary, Counters& counters);

  /// Any thread: whatever `path` holds (empty: nothing) from the next utterances on. Throws kInvalidConfig.
  void swap_dictionary(const std::string& path);

 private:
  void look_again() noexcept;
  /// Whether a section shall be switched; says in the log what is wrong where its path changed and its version did not.
  bool risen(const char* section, std::uint32_t from, std::uint32_t to, const std::string& before,
             const std::string& now) const;
  void switch_to(const EngineOptions& next);
  void name_others(const EngineOptions& next) const;

  Published<Dictionary>& dictionary_;
  Counters& counters_;
  EngineOptions current_;  ///< the file's; the watch's thread alone
  std::unique_ptr<FileWatch> watch_;
};

}  // namespace cosyvoice
