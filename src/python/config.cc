// The configuration and the embedded bundles as Python sees them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>
#include <variant>

#include "bundle/embedded_bundles.h"
#include "config/configuration.h"
#include "python/bindings.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

nb::object value_of(const ConfigKey& key, const EngineOptions& options) {
  return std::visit(
      [&](auto member) -> nb::object {
        const auto& value = options.*member;
        if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
          return nb::cast(to_string(value));
        } else {
          return nb::cast(value);
        }
      },
      key.field);
}

/// Every option under its keyword.
nb::dict to_dict(const EngineOptions& options) {
  nb::dict values;
  for (const ConfigKey& key : config_schema()) {
    values[nb::cast(std::string(key.option))] = value_of(key, options);
  }
  values["config_file"] = options.config_file;
  return values;
}

Configuration load(const std::string& path) {
  return load_configuration(path, configuration_environment());
}

nb::list schema() {
  nb::list rows;
  for (const ConfigKey& key : config_schema()) {
    nb::dict row;
    row["section"] = std::string(key.section);
    row["section_effect"] = std::string(section_effect(key.section));
    row["key"] = std::string(key.name);
    row["option"] = std::string(key.option);
    row["environment"] = key.environment_name();
    row["expected"] = key.expected();
    row["default"] = key.value_of(EngineOptions{});
    row["effect"] = std::string(key.effect);
    rows.append(row);
  }
  return rows;
}

}  // namespace

void bind_config(nb::module_& module) {
  module.def(
      "read_config", [](const std::string& path) { return to_dict(read_config(path)); }, "path"_a,
      nb::sig("def read_config(path: str) -> dict[str, typing.Any]"),
      "The options of a configuration file and the environment, by keyword; without a file where path is empty.");
  module.def(
      "config_text", [](const std::string& path) { return to_yaml(load(path)); }, "path"_a,
      "The whole configuration, defaults and environment included, as commented YAML.");
  module.def("config_schema", &schema, nb::sig("def config_schema() -> list[dict[str, str]]"),
             "One row for each key of the configuration.");
  module.def("set_embedded_bundles", &set_embedded_bundles, "directory"_a,
             "Where the bundles that are known by name lie.");
  module.def("embedded_bundles", &embedded_bundles, "Their names.");
  module.def("resolve_bundle", &resolve_bundle, "name"_a,
             "The directory of an embedded bundle; any other name as it is; empty: the default bundle.");
}

}  // namespace cosyvoice::python
