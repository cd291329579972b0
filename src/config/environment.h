#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cosyvoice {

/// Names and values, in the order of the process's environment.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// The process's variables that begin with COSYVOICE_.
Environment configuration_environment();

}  // namespace cosyvoice
