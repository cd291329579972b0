#include "runtime/log.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace cosyvoice {
namespace {

struct Sink {
  std::mutex mutex;
  std::shared_ptr<std::function<void(LogLevel, std::string_view)>> callback;
};

// Never destroyed: threads may log while the process exits.
Sink& sink() {
  static Sink* const instance = new Sink;
  return *instance;
}

std::atomic<LogLevel> lowest_level{LogLevel::kInfo};

}  // namespace

void set_log_callback(std::function<void(LogLevel, std::string_view)> callback) {
  auto shared =
      callback ? std::make_shared<std::function<void(LogLevel, std::string_view)>>(std::move(callback)) : nullptr;
  const std::lock_guard<std::mutex> lock(sink().mutex);
  sink().callback = std::move(shared);
}

void set_log_level(LogLevel level) noexcept {
  lowest_level.store(level, std::memory_order_relaxed);
}

void log_message(LogLevel level, std::string_view message) noexcept {
  if (level < lowest_level.load(std::memory_order_relaxed)) return;
  try {
    // Called outside the lock, so that a callback may log or replace itself.
    std::shared_ptr<std::function<void(LogLevel, std::string_view)>> callback;
    {
      const std::lock_guard<std::mutex> lock(sink().mutex);
      callback = sink().callback;
    }
    if (callback) (*callback)(level, message);
  } catch (...) {  // a log callback that throws must not take a stage down; there is nobody left to tell
  }
}

}  // namespace cosyvoice
