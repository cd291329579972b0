#include "bundle/embedded_bundles.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr const char* kDefaultBundle = "en";

std::mutex mutex;
std::string chosen;  // by set_embedded_bundles

/// An editable installation leaves the bundles in the source tree; elsewhere empty.
std::filesystem::path source_folder() {
#ifdef COSYVOICE_SOURCE_MODELS
  return COSYVOICE_SOURCE_MODELS;
#else
  return {};
#endif
}

/// The library's own file, or the program's where it was linked in.
std::filesystem::path beside_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&resolve_bundle), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(info.dli_fname, ignored).parent_path();
  for (const auto& candidate : {folder / "models", folder / ".." / "models", source_folder()}) {
    if (std::filesystem::is_directory(candidate, ignored)) return candidate.lexically_normal();
  }
  return {};
}

std::filesystem::path directory() {
  static const std::filesystem::path found = beside_library();
  const std::lock_guard<std::mutex> lock(mutex);
  return chosen.empty() ? found : std::filesystem::path(chosen);
}

}  // namespace

void set_embedded_bundles(const std::string& folder) {
  const std::lock_guard<std::mutex> lock(mutex);
  chosen = folder;
}

std::vector<std::string> embedded_bundles() {
  std::vector<std::string> names;
  const std::filesystem::path folder = directory();
  std::error_code fault;
  if (folder.empty()) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, fault)) {
    if (std::filesystem::exists(entry.path() / "model.yaml", fault)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_embedded_bundle(const std::string& name) {
  if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos) return false;
  const std::filesystem::path folder = directory();
  std::error_code fault;
  return !folder.empty() && std::filesystem::exists(folder / name / "model.yaml", fault);
}

std::string resolve_bundle(const std::string& name) {
  const std::string wanted = name.empty() ? kDefaultBundle : name;
  if (is_embedded_bundle(wanted)) return (directory() / wanted).string();
  if (!name.empty()) return name;
  throw Error(ErrorCode::kInvalidArgument,
              "no model is named and none is embedded beside this library; give the directory of a model bundle");
}

}  // namespace cosyvoice
