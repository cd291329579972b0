// A file that takes the place of another once all of it is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cosyvoice {

class NewFile {
 public:
  /// Writes under a name of its own in the folder of `path`. Every call throws Error(kInvalidArgument) where it fails.
  explicit NewFile(const std::string& path);
  /// What was not put in place is removed.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(std::string_view bytes);
  /// Replaces bytes that were appended before.
  void overwrite(std::uint64_t at, std::string_view bytes);
  /// Where the file is until then.
  const std::string& unfinished() const noexcept { return unfinished_; }
  /// Waits until the disk has it, and renames it to `path`.
  void put_in_place();

 private:
  [[noreturn]] void refuse(const char* what) const;
  void write_all(std::string_view bytes, std::int64_t at);

  std::string path_, unfinished_;
  int file_ = -1;
};

}  // namespace cosyvoice
