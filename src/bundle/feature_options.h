#pragma once

#include "bundle/manifest.h"
#include "bundle/yaml_mapping.h"

namespace cosyvoice {

/// Reads the manifest's `features`. The file that `cmvn` may name is read from `directory`.
FeatureOptions read_features(const YamlMapping& manifest, const std::string& directory);

}  // namespace cosyvoice
