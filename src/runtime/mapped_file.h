// A file that is mapped for reading and shared with every other process that maps it.
#pragma once

#include <cstddef>
#include <string>

namespace cosyvoice {

class MappedFile {
 public:
  MappedFile() = default;
  /// Throws Error: kModelNotFound where there is no such file, kInvalidModel where it cannot be mapped.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cosyvoice
