// A YAML document as a plain tree, the form in which manifests and configurations are read.
//
// The subset is small on purpose, so that a file from anywhere is safe to read: one document, no anchors, no aliases,
// no tags, bounded depth and size, every key a plain text and given once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cosyvoice {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  std::size_t line = 0;           ///< from 1
  std::string text;               ///< of a scalar
  bool is_quoted = false;         ///< a quoted scalar is text, never a number
  std::vector<std::string> keys;  ///< of a mapping, one for each child
  std::vector<YamlNode> children;

  /// The value of `key` in a mapping, or nullptr.
  const YamlNode* find(std::string_view key) const noexcept;
  /// "the mapping of 3 keys", "'abc'" and the like: what a message says was found.
  std::string describe() const;
};

/// What a file without any value (empty, or comments alone) is.
enum class EmptyYaml { kIsRefused, kIsNull };

/// Throws Error(kInvalidModel) that names `file`, the line and what is wrong.
YamlNode parse_yaml(const std::string& text, const std::string& file, EmptyYaml empty = EmptyYaml::kIsRefused);

}  // namespace cosyvoice
