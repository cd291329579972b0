// The configuration of an engine: defaults, then a YAML file, then the environment, each over the one before.
//
// A file holds sections and keys as config/schema.h states them; a key that is missing keeps its default, and a section
// may be empty. A variable is COSYVOICE_SECTION_KEY. Whatever is wrong throws Error(kInvalidConfig), which says where,
// what was expected, what was found and what to do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/environment.h"
#include "config/schema.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {

struct Configuration {
  /// Where a value comes from.
  struct Source {
    enum class Kind { kDefault, kFile, kEnvironment };
    Kind kind = Kind::kDefault;
    std::size_t line = 0;  ///< in the file
  };

  std::string file;  ///< empty: none
  EngineOptions options;
  std::vector<Source> sources;  ///< one for each key of the schema
};

/// An empty `path` reads the environment alone.
Configuration load_configuration(const std::string& path, const Environment& environment);
/// The same of a text; `directory` is what relative paths are relative to.
Configuration parse_configuration(const std::string& text, const std::string& file, const std::string& directory,
                                  const Environment& environment);

/// The whole configuration as a file that reads back as the same: every key, what it does, and where its value is from.
std::string to_yaml(const Configuration& configuration);

}  // namespace cosyvoice
