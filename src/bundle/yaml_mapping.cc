#include "bundle/yaml_mapping.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "bundle/utf8.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

std::string joined(YamlMapping::Keys keys, YamlMapping::Keys more) {
  std::string names;
  for (const auto& list : {keys, more}) {
    for (const auto key : list) names.append(names.empty() ? "" : ", ").append(key);
  }
  return names;
}

bool contains(YamlMapping::Keys keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// True when the whole of `text` is one number of this type; out-of-range counts as none.
template <class T>
bool parse_number(const YamlNode& node, T& value) {
  if (node.is_quoted) return false;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, fault] = std::from_chars(node.text.data(), end, value);
  return fault == std::errc{} && stop == end;
}

std::string to_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace

YamlMapping::YamlMapping(const YamlNode& node, std::string file, std::string path, Keys required, Keys optional)
    : node_(node), file_(std::move(file)), path_(std::move(path)) {
  const std::string where = file_ + ":" + std::to_string(node.line) + ": " + (path_.empty() ? "" : path_ + ": ");
  if (node.kind != YamlNode::Kind::kMapping) {
    throw Error(ErrorCode::kInvalidModel, where + "expected a mapping with the keys " + joined(required, optional) +
                                              "; found " + node.describe());
  }
  for (const std::string& key : node.keys) {
    if (contains(required, key) || contains(optional, key)) continue;
    throw Error(ErrorCode::kInvalidModel, file_ + ":" + std::to_string(node.find(key)->line) + ": " +
                                              (path_.empty() ? "" : path_ + ": ") + "unknown key " + in_quotes(key) +
                                              ", expected one of " + joined(required, optional) +
                                              "; correct its spelling or remove it");
  }
  for (const auto key : required) {
    if (node.find(key) != nullptr) continue;
    throw Error(ErrorCode::kInvalidModel, where + "the key '" + std::string(key) + "' is missing; add it to the " +
                                              (path_.empty() ? "manifest" : "mapping " + path_) +
                                              " (docs/reference/bundle.md says what it means)");
  }
}

std::string YamlMapping::full_key(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void YamlMapping::refuse(std::string_view key, const std::string& what) const {
  const YamlNode* value = node_.find(key);
  throw Error(ErrorCode::kInvalidModel, file_ + ":" + std::to_string(value != nullptr ? value->line : node_.line) +
                                            ": " + full_key(key) + ": " + what);
}

void YamlMapping::refuse(std::string_view key, const std::string& expected, const std::string& found,
                         const std::string& remedy) const {
  refuse(key, "expected " + expected + ", found " + found + (remedy.empty() ? "" : "; " + remedy));
}

const YamlNode& YamlMapping::value_of(std::string_view key) const {
  const YamlNode* value = node_.find(key);
  if (value == nullptr) refuse(key, "a value", "nothing", "add the key");
  return *value;
}

const YamlNode& YamlMapping::scalar_of(std::string_view key, const char* expected) const {
  const YamlNode& value = value_of(key);
  if (value.kind != YamlNode::Kind::kScalar) refuse(key, expected, value.describe());
  return value;
}

const std::string& YamlMapping::text(std::string_view key) const {
  return scalar_of(key, "a text").text;
}

std::int64_t YamlMapping::integer(std::string_view key, std::int64_t low, std::int64_t high) const {
  const YamlNode& value = scalar_of(key, "a whole number");
  std::int64_t result = 0;
  if (!parse_number(value, result) || result < low || result > high) {
    refuse(key, "a whole number from " + std::to_string(low) + " to " + std::to_string(high), value.describe());
  }
  return result;
}

std::uint32_t YamlMapping::count(std::string_view key, std::uint32_t low, std::uint32_t high) const {
  return static_cast<std::uint32_t>(integer(key, low, high));
}

double YamlMapping::number(std::string_view key, double low, double high) const {
  const YamlNode& value = scalar_of(key, "a number");
  double result = 0.0;
  // from_chars knows "nan" and "inf", which no range below holds, but a comparison with NaN would let it through.
  if (!parse_number(value, result) || !std::isfinite(result) || result < low || result > high) {
    refuse(key, "a number from " + to_text(low) + " to " + to_text(high), value.describe());
  }
  return result;
}

bool YamlMapping::boolean(std::string_view key) const {
  const YamlNode& value = scalar_of(key, "true | false");
  if (!value.is_quoted && value.text == "true") return true;
  if (!value.is_quoted && value.text == "false") return false;
  refuse(key, "true | false", value.describe());
}

std::vector<std::uint32_t> YamlMapping::counts(std::string_view key, std::uint32_t low, std::uint32_t high) const {
  const std::string expected = "whole numbers from " + std::to_string(low) + " to " + std::to_string(high);
  std::vector<std::uint32_t> result;
  for (const YamlNode& item : list(key)) {
    std::uint32_t value = 0;
    if (item.kind != YamlNode::Kind::kScalar || !parse_number(item, value) || value < low || value > high) {
      refuse(key, expected, item.describe());
    }
    result.push_back(value);
  }
  return result;
}

YamlMapping YamlMapping::mapping(std::string_view key, Keys required, Keys optional) const {
  return YamlMapping(value_of(key), file_, full_key(key), required, optional);
}

const std::vector<YamlNode>& YamlMapping::list(std::string_view key) const {
  const YamlNode& value = value_of(key);
  if (value.kind != YamlNode::Kind::kSequence) refuse(key, "a list", value.describe());
  return value.children;
}

YamlMapping YamlMapping::member(std::string_view key, std::size_t index, Keys required, Keys optional) const {
  return YamlMapping(list(key).at(index), file_, full_key(key) + "[" + std::to_string(index) + "]", required, optional);
}

const YamlNode& YamlMapping::free_mapping(std::string_view key) const {
  const YamlNode& value = value_of(key);
  if (value.kind != YamlNode::Kind::kMapping) refuse(key, "a mapping", value.describe());
  return value;
}

}  // namespace cosyvoice
