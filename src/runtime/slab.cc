#include "runtime/slab.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "cosyvoice/engine.h"

namespace cosyvoice {

Slab::Slab(std::size_t bytes, const char* what, bool huge_pages) : size_(bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::kInvalidArgument, std::string("cannot map ") + std::to_string(bytes) + " bytes for " + what +
                                                 ": " + std::strerror(errno) +
                                                 "; lower max_stream or raise the process's memory limit (ulimit -v)");
  }
  data_ = static_cast<std::byte*>(memory);
  if (huge_pages) madvise(memory, bytes, MADV_HUGEPAGE);
}

Slab::~Slab() {
  if (data_ != nullptr) munmap(data_, size_);
}

Slab::Slab(Slab&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Slab& Slab::operator=(Slab&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace cosyvoice
