#pragma once

#include <cstddef>
#include <string>

namespace cosyvoice {

/// The whole of a small text file. Throws Error(kInvalidModel) when it cannot be read or is larger than `limit` bytes.
std::string read_text_file(const std::string& path, std::size_t limit);

}  // namespace cosyvoice
