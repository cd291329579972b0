#pragma once

#include <string>
#include <string_view>

#include "bundle/yaml_mapping.h"

namespace cosyvoice {

/// True for a name without a folder, that is neither hidden nor the manifest.
bool is_plain_file_name(std::string_view name) noexcept;

/// Checks that every file listed under `files` lies in `directory` with the SHA-256 stated, and that the files which
/// the manifest uses (the networks, their weights, tokens.txt, the cmvn file, the language model) are listed.
void check_files(const YamlMapping& manifest, const std::string& directory);

}  // namespace cosyvoice
