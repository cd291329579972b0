#pragma once

#include <functional>
#include <memory>

#include "core/encoder.h"
#include "core/network.h"

namespace cosyvoice {

/// A LoadedModel over any Network: `read` is called once, with the manifest in its final place.
using ReadNetwork = std::function<std::unique_ptr<Network>(const Manifest&)>;
std::shared_ptr<LoadedModel> load_model(Manifest manifest, const ModelRuntimeOptions& options, const ReadNetwork& read);

}  // namespace cosyvoice
