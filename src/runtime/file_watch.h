// Tells when a file may have changed: it was written, replaced, or something was renamed beside it, as when the
// symbolic links of a mounted configuration are turned over.
//
// It says "look again", not "it is another": the caller compares. Several changes shortly after each other are told
// once.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace cosyvoice {

class FileWatch {
 public:
  /// `changed` is called on a thread of its own (`cv-watch`) until the watch is destroyed. Throws std::system_error
  /// where the kernel gives no watch.
  FileWatch(const std::string& path, std::function<void()> changed);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  void run();
  /// True when the watch shall end.
  bool wait(int timeout_ms, bool& news) const;

  const std::function<void()> changed_;
  int events_ = -1, stop_ = -1;
  std::thread thread_;
};

}  // namespace cosyvoice
