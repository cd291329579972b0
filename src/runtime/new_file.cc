#include "runtime/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cosyvoice/engine.h"

namespace cosyvoice {

NewFile::NewFile(const std::string& path) : path_(path) {
  for (int number = 0; file_ < 0; ++number) {  // another program, or one that crashed, may have the name
    unfinished_ = path + ".unfinished-" + std::to_string(::getpid()) + "-" + std::to_string(number);
    file_ = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) refuse("created");
  }
}

NewFile::~NewFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(unfinished_.c_str());
}

void NewFile::append(std::string_view bytes) {
  write_all(bytes, -1);
}

void NewFile::overwrite(std::uint64_t at, std::string_view bytes) {
  write_all(bytes, static_cast<std::int64_t>(at));
}

void NewFile::put_in_place() {
  if (::fsync(file_) != 0) refuse("written");
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) refuse("put in place");
  ::close(file_);
  file_ = -1;
}

void NewFile::refuse(const char* what) const {
  throw Error(ErrorCode::kInvalidArgument, path_ + ": cannot be " + what + " (" + std::strerror(errno) +
                                               "); check the folder, its permissions and the space left");
}

void NewFile::write_all(std::string_view bytes, std::int64_t at) {
  while (!bytes.empty()) {
    const ssize_t done =
        at < 0 ? ::write(file_, bytes.data(), bytes.size()) : ::pwrite(file_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) refuse("written");
    bytes.remove_prefix(static_cast<std::size_t>(done));
    if (at >= 0) at += done;
  }
}

}  // namespace cosyvoice
