// Structures whose first member is their size: a program may be older than the library, or newer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "cosyvoice/engine.h"

namespace cosyvoice::c_api {

inline void require_size(const char* name, std::size_t size, const char* remedy) {
  if (size >= sizeof(std::size_t)) return;
  throw Error(ErrorCode::kInvalidArgument,
              std::string("the size of ") + name + " is " + std::to_string(size) + "; " + remedy);
}

/// Fills the caller's structure of `size` bytes as far as both sides know it, and zeros what only the caller knows.
/// Returns how many bytes both know.
template <class Struct>
std::size_t fill(const char* name, Struct* out, std::size_t size, const Struct& values) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  require_size(name, size, "pass sizeof of the structure");
  const std::size_t known = std::min(size, sizeof(Struct));
  std::memcpy(out, &values, known);
  std::memset(reinterpret_cast<unsigned char*>(out) + known, 0, size - known);
  return known;
}

/// The caller's structure over `defaults`. What only the caller knows must be unset, that is zero.
template <class Struct>
Struct read(const char* name, const Struct* given, Struct defaults) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  require_size(name, size, "call its init function first");
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    throw Error(ErrorCode::kInvalidArgument,
                std::string(name) + " has " + std::to_string(size) + " bytes and sets a member past the " +
                    std::to_string(sizeof(Struct)) +
                    " that this library knows: the program was compiled for a later version; update the library, or "
                    "leave that member alone");
  }
  std::memcpy(&defaults, given, std::min(size, sizeof(Struct)));
  return defaults;
}

}  // namespace cosyvoice::c_api
