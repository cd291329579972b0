#include "runtime/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cosyvoice/engine.h"

namespace cosyvoice {

NewFile::NewFile(const std::string& path) : path_(path), unfinished_(path + ".XXXXXX") {
  file_ = mkostemp(unfinished_.data(), O_CLOEXEC);
  if (file_ < 0) refuse("created");
  const mode_t mask = umask(0);  // mkstemp gives the owner alone what others may read
  umask(mask);
  fchmod(file_, 0666 & ~mask);
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
