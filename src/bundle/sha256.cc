#include "bundle/sha256.h"

#include <sodium.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;

}  // namespace

std::string sha256_of_file(const std::string& path) {
  // sodium_init() picks the fastest hash for this processor; it may be called again and from any thread.
  if (sodium_init() < 0) throw Error(ErrorCode::kInternal, "libsodium could not be initialised");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::kInvalidModel,
                path + ": cannot be opened (" + std::strerror(errno) + "); check the bundle and its permissions");
  }
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  std::vector<char> piece(kPieceBytes);
  do {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(piece.data()),
                              static_cast<unsigned long long>(file.gcount()));
  } while (file);
  if (!file.eof()) throw Error(ErrorCode::kInvalidModel, path + ": reading stopped before the end of the file");
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(&state, digest.data());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  return hex.data();
}

}  // namespace cosyvoice
