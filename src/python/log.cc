// The core's log messages → Python. Any thread of the core leaves a message here and goes on; no such thread ever takes
// the GIL. One Python thread waits in next_log() without the GIL.
#include "python/bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "cosyvoice/engine.h"

namespace nb = nanobind;

namespace cosyvoice::python {
namespace {

class LogQueue {
 public:
  static constexpr std::size_t kCapacity = 1024;

  void push(LogLevel level, std::string_view message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return;
    if (messages_.size() == kCapacity) {
      ++lost_;
      return;
    }
    messages_.emplace_back(static_cast<int>(level), std::string(message));
    changed_.notify_one();
  }

  /// Blocks for the next message; nothing once the queue was closed and is empty.
  std::optional<std::pair<int, std::string>> take() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !messages_.empty(); });
    if (messages_.empty()) return std::nullopt;
    std::pair<int, std::string> message = std::move(messages_.front());
    messages_.pop_front();
    if (lost_ != 0 && messages_.empty()) {
      messages_.emplace_back(static_cast<int>(LogLevel::kWarning),
                             std::to_string(lost_) + " log messages were lost: more came than were read");
      lost_ = 0;
    }
    return message;
  }

  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<int, std::string>> messages_;
  std::size_t lost_ = 0;
  bool closed_ = false;
};

/// Never destroyed: a thread may still wait on it when the process exits.
LogQueue& log_queue() {
  static LogQueue* queue = new LogQueue;
  return *queue;
}

}  // namespace

void bind_log(nb::module_& module) {
  module.def(
      "open_log",
      [] { set_log_callback([](LogLevel level, std::string_view message) { log_queue().push(level, message); }); },
      "From now on the core's messages wait for next_log().");
  module.def(
      "next_log", [] { return log_queue().take(); }, nb::call_guard<nb::gil_scoped_release>(),
      "Blocks for the next (level from 0 debug to 3 error, message); None once close_log() was called.");
  module.def(
      "close_log",
      [] {
        set_log_callback({});
        log_queue().close();
      },
      "No further messages; next_log() returns None when it has given out what waits.");
}

}  // namespace cosyvoice::python
