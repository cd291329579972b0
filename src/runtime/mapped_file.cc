#include "runtime/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cosyvoice/engine.h"

namespace cosyvoice {

MappedFile::MappedFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    const bool absent = errno == ENOENT || errno == ENOTDIR;
    throw Error(absent ? ErrorCode::kModelNotFound : ErrorCode::kInvalidModel,
                path + ": cannot be opened (" + std::strerror(errno) + "); check its path and permissions");
  }
  struct stat facts {};
  void* memory = MAP_FAILED;
  const bool is_file = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const auto size = is_file ? static_cast<std::size_t>(facts.st_size) : 0;
  if (size != 0) memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  const int fault = errno;
  ::close(file);
  if (!is_file) throw Error(ErrorCode::kInvalidModel, path + ": expected a file, found something else");
  if (size == 0) return;
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::kInvalidModel, path + ": cannot be mapped (" + std::strerror(fault) +
                                              "); is the process's memory limited (ulimit -v)?");
  }
  data_ = static_cast<const std::byte*>(memory);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace cosyvoice
