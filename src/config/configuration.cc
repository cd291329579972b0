#include "config/configuration.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <type_traits>
#include <variant>

#include "bundle/embedded_bundles.h"
#include "bundle/text_file.h"
#include "bundle/utf8.h"
#include "bundle/yaml_tree.h"
#include "config/choices.h"
#include "runtime/affinity.h"
#include "runtime/cache_line.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kMaxFileBytes = 1024 * 1024;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::kInvalidConfig, where + ": " + what);
}

/// One value on its way into the options, with what messages say about its place.
struct Entry {
  const ConfigKey& key;
  const YamlNode& value;
  std::string where;      // "file:line" or the variable's name
  std::string remedy;     // how to take it back
  std::string directory;  // that relative paths are relative to

  [[noreturn]] void refuse_value(const std::string& why) const {
    refuse(where, key.path() + ": " + why + "; " + remedy + " for the default, " + key.value_of(EngineOptions{}));
  }
  [[noreturn]] void refuse_value() const { refuse_value("expected " + key.expected() + ", found " + value.describe()); }
};

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

/// A directory relative to where the value stands; nothing stays nothing.
std::string resolved_path(const Entry& entry) {
  const std::string& name = entry.value.text;
  return name.empty() ? name : (std::filesystem::path(entry.directory) / name).lexically_normal().string();
}

/// A model's name as the engine takes it: embedded names stay, relative directories become absolute.
std::string resolved_model(const Entry& entry) {
  const std::string& name = entry.value.text;
  return is_embedded_bundle(name) ? name : resolved_path(entry);
}

double parsed_number(const Entry& entry, bool whole) {
  const std::string& text = entry.value.text;
  double number = 0.0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool complete = fault == std::errc{} && stop == text.data() + text.size();
  if (!complete || !std::isfinite(number) || (whole && number != std::floor(number))) entry.refuse_value();
  if (number < entry.key.low || number > entry.key.high) entry.refuse_value();
  const auto count = static_cast<std::size_t>(number);
  if (entry.key.power_of_two && !is_power_of_two(count)) {
    entry.refuse_value("expected " + entry.key.expected() + ", found " + entry.value.describe() + ", the next is " +
                       std::to_string(next_power_of_two(count)));
  }
  return number;
}

template <class Value>
Value parsed(const Entry& entry) {
  const std::string& text = entry.value.text;
  if constexpr (std::is_same_v<Value, std::string>) {
    if (has_control_character(text)) entry.refuse_value();
    if (entry.key.option == "model_path") return resolved_model(entry);
    if (entry.key.option == "lm" && text == kNoLm) return text;
    for (const std::string_view path : {"second_pass", "dictionary", "vad_model", "lm", "hotwords"}) {
      if (entry.key.option == path) return resolved_path(entry);
    }
    if (entry.key.option == "cpus") {
      try {
        parse_cpu_list(text);
      } catch (const Error& error) {
        entry.refuse_value(error.what());
      }
    }
    return text;
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (entry.value.is_quoted || (text != "true" && text != "false")) entry.refuse_value();
    return text == "true";
  } else if constexpr (std::is_enum_v<Value>) {
    Value value{};
    if (!find_choice(text, value)) entry.refuse_value();
    return value;
  } else {
    if (entry.value.is_quoted) entry.refuse_value();
    return static_cast<Value>(parsed_number(entry, !std::is_floating_point_v<Value>));
  }
}

void assign(const Entry& entry, EngineOptions& options) {
  if (entry.value.kind != YamlNode::Kind::kScalar) entry.refuse_value();
  std::visit([&](auto member) { options.*member = parsed<std::decay_t<decltype(options.*member)>>(entry); },
             entry.key.field);
}

/// The names that `take` gives, "a | b | c".
template <class Take>
std::string list_names(Take&& take) {
  std::string list;
  std::string_view last;
  for (const ConfigKey& key : config_schema()) {
    const std::string_view name = take(key);
    if (name.empty() || name == last) continue;
    list.append(list.empty() ? "" : " | ").append(name);
    last = name;
  }
  return list;
}

bool is_section(std::string_view name) {
  return !section_effect(name).empty();
}

std::string list_keys(std::string_view section) {
  return list_names([section](const ConfigKey& key) { return key.section == section ? key.name : std::string_view{}; });
}

[[noreturn]] void refuse_section(const std::string& where, const std::string& name) {
  for (const ConfigKey& key : config_schema()) {
    if (key.name != name && key.option != name) continue;
    refuse(where, "the key " + in_quotes(name) + " stands alone; write it as '" + std::string(key.name) + "' under '" +
                      std::string(key.section) + ":'");
  }
  refuse(where, "unknown section " + in_quotes(name) + ", expected one of " + list_names([](const ConfigKey& key) {
                  return key.section;
                }) + "; correct its spelling or remove it");
}

[[noreturn]] void refuse_key(const std::string& where, const std::string& section, const std::string& name) {
  for (const ConfigKey& key : config_schema()) {
    if (key.name != name && key.option != name) continue;
    refuse(where, section + ": the key " + in_quotes(name) + " is '" + std::string(key.name) + "' of the section '" +
                      std::string(key.section) + "'; move it there");
  }
  refuse(where, section + ": unknown key " + in_quotes(name) + ", expected one of " + list_keys(section) +
                    "; correct its spelling or remove it");
}

/// Index in the schema, or its size.
std::size_t find_key(std::string_view section, std::string_view name) {
  const auto& schema = config_schema();
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const ConfigKey& key) { return key.section == section && key.name == name; });
  return static_cast<std::size_t>(found - schema.begin());
}

void read_section(const std::string& section, const YamlNode& node, const std::string& directory,
                  Configuration& configuration) {
  const auto where = [&](const YamlNode& at) { return configuration.file + ":" + std::to_string(at.line); };
  if (node.kind == YamlNode::Kind::kNull) return;
  if (node.kind != YamlNode::Kind::kMapping) {
    refuse(where(node), section + ": expected a mapping with some of " + list_keys(section) + ", found " +
                            node.describe() + "; write the keys below it, indented");
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& value = node.children[i];
    const std::size_t index = find_key(section, node.keys[i]);
    if (index == config_schema().size()) refuse_key(where(value), section, node.keys[i]);
    assign({config_schema()[index], value, where(value), "correct it, or remove the line", directory},
           configuration.options);
    configuration.sources[index] = {Configuration::Source::Kind::kFile, value.line};
  }
}

void read_environment(const Environment& environment, Configuration& configuration) {
  const auto& schema = config_schema();
  for (const auto& [name, text] : environment) {
    const auto found = std::find_if(schema.begin(), schema.end(),
                                    [&](const ConfigKey& key) { return key.environment_name() == name; });
    if (found != schema.end()) {
      YamlNode value;
      value.kind = YamlNode::Kind::kScalar;
      value.text = text;
      const std::string where = "environment variable " + name;
      if (first_malformed_utf8(text) != text.size()) refuse(where, "is not UTF-8: " + in_quotes(text));
      assign({*found, value, where, "correct it, or unset it", "."}, configuration.options);
      configuration.sources[static_cast<std::size_t>(found - schema.begin())] = {
          Configuration::Source::Kind::kEnvironment, 0};
      continue;
    }
    // Others may begin with our name; one that begins with a section's can only be a misspelt key.
    for (const ConfigKey& key : schema) {
      const std::string begin = key.environment_name().substr(0, 10 + key.section.size() + 1);
      if (name.compare(0, begin.size(), begin) != 0) continue;
      refuse("environment variable " + name, "no key of the configuration has this name, expected one of " +
                                                 list_names([&](const ConfigKey& each) {
                                                   return each.section == key.section ? each.name : std::string_view{};
                                                 }) +
                                                 " after " + begin + "; correct its spelling or unset it");
    }
  }
}

/// What the readers of bundles say of a file, as an error of the configuration.
template <class Read>
auto as_configuration_error(Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(ErrorCode::kInvalidConfig, error.what());
  }
}

}  // namespace

Configuration parse_configuration(const std::string& text, const std::string& file, const std::string& directory,
                                  const Environment& environment) {
  Configuration configuration;
  configuration.file = file;
  configuration.sources.resize(config_schema().size());
  const YamlNode root = as_configuration_error([&] { return parse_yaml(text, file, EmptyYaml::kIsNull); });
  if (root.kind == YamlNode::Kind::kMapping) {
    for (std::size_t i = 0; i < root.keys.size(); ++i) {
      const std::string where = file + ":" + std::to_string(root.children[i].line);
      if (!is_section(root.keys[i])) refuse_section(where, root.keys[i]);
      read_section(root.keys[i], root.children[i], directory, configuration);
    }
  } else if (root.kind != YamlNode::Kind::kNull) {
    refuse(file + ":" + std::to_string(root.line),
           "expected sections, some of " + list_names([](const ConfigKey& key) { return key.section; }) + ", found " +
               root.describe() + "; `cosyvoice config --print` shows a whole file");
  }
  read_environment(environment, configuration);
  return configuration;
}

Configuration load_configuration(const std::string& path, const Environment& environment) {
  if (path.empty()) return parse_configuration("", "", ".", environment);
  const std::string text = as_configuration_error([&] { return read_text_file(path, kMaxFileBytes); });
  const std::filesystem::path directory = std::filesystem::absolute(path).parent_path();
  return parse_configuration(text, path, directory.string(), environment);
}

EngineOptions read_config(const std::string& path) {
  EngineOptions options = load_configuration(path, configuration_environment()).options;
  if (!path.empty()) options.config_file = std::filesystem::absolute(path).lexically_normal().string();
  return options;
}

}  // namespace cosyvoice
