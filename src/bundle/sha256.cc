#include "bundle/sha256.h"

#include <sodium.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <tuple>
#include <vector>

#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;
static_assert(std::tuple_size_v<Sha256> == crypto_hash_sha256_BYTES);

/// sodium_init() picks the fastest hash for this processor; it may be called again and from any thread.
void initialise() {
  if (sodium_init() < 0) throw Error(ErrorCode::kInternal, "libsodium could not be initialised");
}

}  // namespace

std::string sha256_of_file(const std::string& path) {
  initialise();
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
  Sha256 digest{};
  crypto_hash_sha256_final(&state, digest.data());
  return hexadecimal(digest);
}

Sha256 sha256_of_bytes(const void* bytes, std::size_t size) {
  initialise();
  Sha256 digest{};
  crypto_hash_sha256(digest.data(), static_cast<const unsigned char*>(bytes), size);
  return digest;
}

std::string hexadecimal(const Sha256& digest) {
  std::array<char, 2 * std::tuple_size_v<Sha256> + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), digest.data(), digest.size());
  return digits.data();
}

}  // namespace cosyvoice
