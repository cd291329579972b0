// What the Back-End looks words up in beside the model, and how it is exchanged while sessions run.
//
// An utterance keeps what it began with; the next one takes the newest. What was replaced is freed by whoever replaces
// it, or the next one, once no utterance uses it: never on the Back-End's thread, which may not wait for a large file
// to be unmapped.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/dictionary.h"

namespace cosyvoice {

/// Constant once it is on the shelf.
struct Resources {
  std::shared_ptr<const Dictionary> dictionary;  ///< null: none
};

class ResourceShelf {
 public:
  ResourceShelf();

  /// Any thread: `change` edits a copy of the newest, which takes its place.
  template <class Change>
  void replace(Change&& change) {
    const std::lock_guard<std::mutex> writing(write_mutex_);
    auto next = std::make_shared<Resources>(*newest_);
    change(*next);
    put(std::move(next));
  }

  /// The Back-End's thread alone: the newest, without waiting unless it is new.
  const std::shared_ptr<const Resources>& newest() noexcept {
    if (number_.load(std::memory_order_acquire) != taken_number_) take();
    return taken_;
  }

 private:
  void put(std::shared_ptr<const Resources> next);
  void take() noexcept;

  std::mutex write_mutex_;                                  ///< among those who replace
  std::vector<std::shared_ptr<const Resources>> replaced_;  ///< under it
  std::mutex mutex_;                                        ///< held for a few instructions
  std::shared_ptr<const Resources> newest_;                 ///< under it, and written under both
  std::atomic<std::uint64_t> number_{1};

  std::uint64_t taken_number_ = 0;  ///< the Back-End's thread
  std::shared_ptr<const Resources> taken_;
};

}  // namespace cosyvoice
