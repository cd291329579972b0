#pragma once

#include "bundle/manifest.h"
#include "bundle/yaml_mapping.h"

namespace cosyvoice {

/// Reads the manifest's `network`; `features` and the number of tokens are what it must agree with.
/// The file is absolute in the result: in `directory`.
NetworkOptions read_network(const YamlMapping& manifest, const std::string& directory, const FeatureOptions& features,
                            std::size_t tokens);

}  // namespace cosyvoice
