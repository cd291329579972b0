// A checked view of one mapping: every getter names file, line, key, what was expected and what was found.
//
// The keys are stated where the view is made, so an unknown key, which is a typing error more often than not, is
// reported before the key that it was meant to be is missed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bundle/yaml_tree.h"

namespace cosyvoice {

class YamlMapping {
 public:
  using Keys = std::initializer_list<std::string_view>;
  template <class T>
  using Choices = std::initializer_list<std::pair<std::string_view, T>>;

  /// `node` and the texts of `keys` must outlive the view; `path` is "" for the whole document, else like
  /// "features.mel". Throws Error(kInvalidModel), as do all getters, which take a key stated here.
  YamlMapping(const YamlNode& node, std::string file, std::string path, Keys required, Keys optional = {});

  bool has(std::string_view key) const { return node_.find(key) != nullptr; }
  const std::string& text(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high) const;
  std::uint32_t count(std::string_view key, std::uint32_t low, std::uint32_t high) const;
  double number(std::string_view key, double low, double high) const;
  bool boolean(std::string_view key) const;
  std::vector<std::uint32_t> counts(std::string_view key, std::uint32_t low, std::uint32_t high) const;
  template <class T>
  T choice(std::string_view key, Choices<T> choices) const {
    const std::string& word = text(key);
    std::string names;
    for (const auto& [name, value] : choices) {
      if (word == name) return value;
      names.append(names.empty() ? "" : " | ").append(name);
    }
    refuse(key, names, value_of(key).describe());
  }
  YamlMapping mapping(std::string_view key, Keys required, Keys optional = {}) const;
  /// The members of a list of mappings.
  const std::vector<YamlNode>& list(std::string_view key) const;
  YamlMapping member(std::string_view key, std::size_t index, Keys required, Keys optional = {}) const;
  /// A mapping with any keys.
  const YamlNode& free_mapping(std::string_view key) const;

  const std::string& file() const { return file_; }
  /// "file:line: path.key: expected …, found …". `remedy` may be empty.
  [[noreturn]] void refuse(std::string_view key, const std::string& expected, const std::string& found,
                           const std::string& remedy = {}) const;
  /// "file:line: path.key: what".
  [[noreturn]] void refuse(std::string_view key, const std::string& what) const;

 private:
  const YamlNode& value_of(std::string_view key) const;
  const YamlNode& scalar_of(std::string_view key, const char* expected) const;
  std::string full_key(std::string_view key) const;

  const YamlNode& node_;
  std::string file_, path_;
};

}  // namespace cosyvoice
