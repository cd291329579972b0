// Every key of the configuration: where it stands, which option it sets, what it may be and what it does.
//
// This one table checks options, reads files and environment, and writes the printed configuration and the reference
// page. docs/decisions/013-configuration.md says why it is a table.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cosyvoice/engine.h"

namespace cosyvoice {

struct ConfigKey {
  /// The member of EngineOptions that holds the value, and so the value's kind.
  using Field = std::variant<std::uint32_t EngineOptions::*, std::int32_t EngineOptions::*,
                             std::size_t EngineOptions::*, double EngineOptions::*, bool EngineOptions::*,
                             std::string EngineOptions::*, BackPressure EngineOptions::*, Simd EngineOptions::*,
                             Precision EngineOptions::*, VadKind EngineOptions::*, LogLevel EngineOptions::*>;

  std::string_view section, name;
  std::string_view option;  ///< the keyword of Python's Engine, which messages about options name
  Field field;
  double low = 0.0, high = 0.0;  ///< of numbers, both included
  bool power_of_two = false;
  std::string_view unit;  ///< of numbers: " ms" and the like, with its blank
  std::string_view effect;

  std::string path() const { return std::string(section) + "." + std::string(name); }
  /// COSYVOICE_SECTION_NAME
  std::string environment_name() const;
  /// "a whole number from 1 to 65536 sessions", "block | reject" and the like.
  std::string expected() const;
  /// The value as one scalar of YAML.
  std::string value_of(const EngineOptions& options) const;
};

/// In the order of the printed configuration; the keys of one section follow each other.
const std::vector<ConfigKey>& config_schema();

std::string_view section_effect(std::string_view section) noexcept;

/// A number without trailing zeros, independent of the locale.
std::string number_text(double value);

}  // namespace cosyvoice
