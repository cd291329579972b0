// A value that some threads replace while others use it. Readers look at `version` and fetch the value only when it has
// changed; they never free one, nor wait while one is freed: values that were replaced are kept until nobody else has
// them, and go with the next call of publish() or tidy().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cosyvoice {

template <class Value>
class Published {
 public:
  using Pointer = std::shared_ptr<const Value>;

  /// Any thread that may wait while values are freed.
  void publish(Pointer value) {
    const std::lock_guard<std::mutex> one_at_a_time(publishing_);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      current_.swap(value);
      version_.fetch_add(1, std::memory_order_release);
    }
    if (value != nullptr) replaced_.push_back(std::move(value));
    forget_unused();
  }
  /// As publish(), with nothing new.
  void tidy() {
    const std::lock_guard<std::mutex> one_at_a_time(publishing_);
    forget_unused();
  }
  /// Counts the calls of publish().
  std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  /// Holds a lock for as long as it takes to copy a pointer.
  Pointer get() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return current_;
  }

 private:
  void forget_unused() {
    replaced_.erase(
        std::remove_if(replaced_.begin(), replaced_.end(), [](const Pointer& value) { return value.use_count() == 1; }),
        replaced_.end());
  }

  std::mutex publishing_;
  std::vector<Pointer> replaced_;  // of publishing_
  mutable std::mutex mutex_;
  Pointer current_;  // of mutex_
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace cosyvoice
