#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/encoder.h"
#include "core/network.h"

namespace cosyvoice {

/// A LoadedModel over any Network: `read` is called once, with the manifest in its final place and the file of the
/// precision chosen.
using ReadNetwork = std::function<std::unique_ptr<Network>(const Manifest&, const std::string& file)>;
std::shared_ptr<LoadedModel> load_model(Manifest manifest, const ModelRuntimeOptions& options, const ReadNetwork& read);

}  // namespace cosyvoice
