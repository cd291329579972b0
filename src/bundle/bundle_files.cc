#include "bundle/bundle_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "bundle/sha256.h"
#include "bundle/utf8.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kHexDigits = 64;

bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// A network's file and, beside an .xml, its weights.
void add_network(const YamlMapping& manifest, const char* key, std::vector<std::string>& names) {
  const YamlNode* network = manifest.free_mapping("network").find(key);
  if (network == nullptr) return;  // where it is required, the reader of `network` reports it
  const std::string& file = network->text;
  if (!is_plain_file_name(file) || !(ends_with(file, ".xml") || ends_with(file, ".onnx"))) {
    manifest.refuse("network", std::string(key) + ": expected the name of an .xml or .onnx file of the bundle, found " +
                                   network->describe());
  }
  names.push_back(file);
  if (ends_with(file, ".xml")) names.push_back(file.substr(0, file.size() - 4) + ".bin");
}

/// The files that an engine opens: what is not listed would go unchecked.
std::vector<std::string> files_in_use(const YamlMapping& manifest) {
  const YamlNode* cmvn = manifest.free_mapping("features").find("cmvn");
  std::vector<std::string> names = {"tokens.txt"};
  if (cmvn != nullptr && cmvn->text != "none") {
    if (!is_plain_file_name(cmvn->text)) {
      manifest.refuse("features", "cmvn: expected none | the name of a file of the bundle, found " + cmvn->describe());
    }
    names.push_back(cmvn->text);
  }
  add_network(manifest, "file", names);
  add_network(manifest, "int8_file", names);
  if (const YamlNode* lm = manifest.free_mapping("search").find("lm"); lm != nullptr) {
    if (!is_plain_file_name(lm->text)) {
      manifest.refuse("search", "lm: expected the name of a file of the bundle, found " + lm->describe());
    }
    names.push_back(lm->text);
  }
  return names;
}

}  // namespace

bool is_plain_file_name(std::string_view name) noexcept {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos && name != "model.yaml" &&
         name != "model.sig";
}

void check_files(const YamlMapping& manifest, const std::string& directory) {
  const YamlNode& files = manifest.free_mapping("files");
  for (const std::string& name : files_in_use(manifest)) {
    if (files.find(name) != nullptr) continue;
    manifest.refuse("files", "the file " + in_quotes(name) + ", which the manifest uses", "no such key",
                    "list it with its SHA-256");
  }
  for (std::size_t i = 0; i < files.keys.size(); ++i) {
    const std::string& name = files.keys[i];
    const YamlNode& value = files.children[i];
    const std::string where = manifest.file() + ":" + std::to_string(value.line) + ": files." + name + ": ";
    if (!is_plain_file_name(name)) {
      throw Error(ErrorCode::kInvalidModel, manifest.file() + ":" + std::to_string(value.line) +
                                                ": files: " + in_quotes(name) +
                                                " is no plain file name of the bundle; write it without a folder");
    }
    const bool is_hex =
        value.text.size() == kHexDigits && value.text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (value.kind != YamlNode::Kind::kScalar || !is_hex) {
      throw Error(ErrorCode::kInvalidModel, where + "expected a SHA-256 of " + std::to_string(kHexDigits) +
                                                " lower-case hexadecimal digits, found " + value.describe());
    }
    const std::string path = directory + "/" + name;
    std::error_code fault;
    if (!std::filesystem::is_regular_file(path, fault)) {
      throw Error(ErrorCode::kInvalidModel,
                  where + "expected the file " + path + ", found none; the bundle is only half copied, copy it again");
    }
    const std::string found = sha256_of_file(path);
    if (found != value.text) {
      throw Error(ErrorCode::kInvalidModel, where + "expected sha256 " + value.text + ", found " + found +
                                                ": the file was changed or only half copied; copy the bundle again");
    }
  }
}

}  // namespace cosyvoice
