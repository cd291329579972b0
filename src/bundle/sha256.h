#pragma once

#include <string>

namespace cosyvoice {

/// SHA-256 of a file, read in pieces, as 64 lower-case hexadecimal digits.
/// Throws Error(kInvalidModel) when the file cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace cosyvoice
