// Events as the one-line JSON objects that every outlet sends.
#pragma once

#include <string>

#include "cosyvoice/engine.h"

namespace cosyvoice {

/// Appends to `out`; a string that is cleared and used again allocates only until it has grown.
void append_json(const Event& event, std::string& out);

}  // namespace cosyvoice
