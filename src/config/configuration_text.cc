// The configuration as text: what `cosyvoice config --print` shows.
#include <string>
#include <string_view>

#include "config/configuration.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kWidth = 100;

/// `text` as comment lines of at most kWidth characters, or whole words longer than that.
void append_comment(std::string_view text, const std::string& indent, std::string& out) {
  std::string line = indent + "#";
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() == text.size() ? word.size() : word.size() + 1);
    if (line.size() + 1 + word.size() > kWidth && line.size() > indent.size() + 1) {
      out += line + "\n";
      line = indent + "#";
    }
    line.append(" ").append(word);
  }
  out += line + "\n";
}

std::string origin(const ConfigKey& key, const Configuration& configuration, std::size_t index) {
  switch (configuration.sources[index].kind) {
    case Configuration::Source::Kind::kFile:
      return "  # line " + std::to_string(configuration.sources[index].line) + " of " + configuration.file;
    case Configuration::Source::Kind::kEnvironment:
      return "  # " + key.environment_name();
    case Configuration::Source::Kind::kDefault:
      break;
  }
  return "";
}

}  // namespace

std::string to_yaml(const Configuration& configuration) {
  std::string out;
  std::string_view section;
  const auto& schema = config_schema();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const ConfigKey& key = schema[i];
    if (key.section != section) {
      out += section.empty() ? "" : "\n";
      section = key.section;
      append_comment(section_effect(section), "", out);
      out.append(section).append(":\n");
    }
    append_comment(key.effect, "  ", out);
    append_comment(key.expected(), "  ", out);
    out.append("  ").append(key.name).append(": ").append(key.value_of(configuration.options));
    out += origin(key, configuration, i) + "\n";
  }
  return out;
}

}  // namespace cosyvoice
