#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cosyvoice {

using Sha256 = std::array<std::uint8_t, 32>;

/// SHA-256 of a file, read in pieces, as 64 lower-case hexadecimal digits.
/// Throws Error(kInvalidModel) when the file cannot be read.
std::string sha256_of_file(const std::string& path);

/// SHA-256 of what is in memory.
Sha256 sha256_of_bytes(const void* bytes, std::size_t size);

/// 64 lower-case digits.
std::string hexadecimal(const Sha256& digest);

}  // namespace cosyvoice
