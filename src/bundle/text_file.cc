#include "bundle/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cosyvoice/engine.h"

namespace cosyvoice {

std::string read_text_file(const std::string& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::kInvalidModel,
                path + ": cannot be opened (" + std::strerror(errno) + "); check its path and permissions");
  }
  std::string text(limit + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) {
    throw Error(ErrorCode::kInvalidModel, path + ": cannot be read; is it a file?");
  }
  const auto size = static_cast<std::size_t>(file.gcount());
  if (size > limit) {
    throw Error(ErrorCode::kInvalidModel,
                path + ": expected at most " + std::to_string(limit) + " bytes, found more; is it the right file?");
  }
  text.resize(size);
  return text;
}

}  // namespace cosyvoice
