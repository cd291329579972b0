#include "runtime/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/thread.h"

namespace cosyvoice {
namespace {

/// Editors write in several steps; a file is looked at when it was left alone for so long.
constexpr int kQuietMs = 50;
constexpr std::uint32_t kChanges = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ONLYDIR;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

FileWatch::FileWatch(const std::string& path, std::function<void()> changed) : changed_(std::move(changed)) {
  events_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (events_ < 0) fail("no inotify instance; raise fs.inotify.max_user_instances");
  stop_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  const std::filesystem::path file = std::filesystem::absolute(path);
  std::error_code unresolved;
  const std::filesystem::path target = std::filesystem::canonical(file, unresolved);
  // The directory of the name, and of the file it leads to where that is another.
  bool watched = stop_ >= 0 && inotify_add_watch(events_, file.parent_path().c_str(), kChanges) >= 0;
  if (watched && !unresolved && target.parent_path() != file.parent_path()) {
    watched = inotify_add_watch(events_, target.parent_path().c_str(), kChanges) >= 0;
  }
  if (!watched) {
    const int fault = errno;
    close(events_);
    if (stop_ >= 0) close(stop_);
    errno = fault;
    fail(file.parent_path().string());
  }
  thread_ = start_thread("cv-watch", [this] { run(); });
}

FileWatch::~FileWatch() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
  thread_.join();
  close(events_);
  close(stop_);
}

bool FileWatch::wait(int timeout_ms, bool& news) const {
  std::array<pollfd, 2> ready{{{events_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  while (poll(ready.data(), ready.size(), timeout_ms) < 0 && errno == EINTR) {
  }
  news = (ready[0].revents & POLLIN) != 0;
  std::array<char, 4096> names{};
  while (news && read(events_, names.data(), names.size()) > 0) {
  }
  return ready[1].revents != 0;
}

void FileWatch::run() {
  bool changed = false;
  for (;;) {
    bool news = false;
    if (wait(changed ? kQuietMs : -1, news)) return;
    if (news) {
      changed = true;
    } else if (changed) {
      changed = false;
      changed_();
    }
  }
}

}  // namespace cosyvoice
