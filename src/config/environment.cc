#include "config/environment.h"

#include <unistd.h>

#include <string_view>

namespace cosyvoice {

Environment configuration_environment() {
  constexpr std::string_view kPrefix = "COSYVOICE_";
  Environment found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.substr(0, kPrefix.size()) != kPrefix) continue;
    found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

}  // namespace cosyvoice
