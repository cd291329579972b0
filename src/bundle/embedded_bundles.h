// The bundles that come with the library, known by name.
#pragma once

#include <string>
#include <vector>

namespace cosyvoice {

/// Where the bundles lie, for packages that keep the library elsewhere; otherwise they are looked for beside the
/// library, in models/ and ../models/.
void set_embedded_bundles(const std::string& directory);

/// Their names, sorted.
std::vector<std::string> embedded_bundles();
bool is_embedded_bundle(const std::string& name);

/// The directory of an embedded bundle; any other name is a directory already. Empty: the default bundle, `en`.
/// Throws Error(kInvalidArgument) when the name is empty and nothing is embedded.
std::string resolve_bundle(const std::string& name);

}  // namespace cosyvoice
