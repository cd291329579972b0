#pragma once

#include <string>
#include <vector>

namespace cosyvoice {

/// Reads "piece id" pairs, one a line, ids 0, 1, 2 … in order; the last space of a line divides the two.
/// Throws Error(kInvalidModel) naming the file, the line and what is wrong.
std::vector<std::string> read_tokens(const std::string& path);

}  // namespace cosyvoice
