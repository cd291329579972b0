#include "engine/resources.h"

#include <algorithm>
#include <utility>

namespace cosyvoice {

ResourceShelf::ResourceShelf() : newest_(std::make_shared<Resources>()) {
  take();
}

void ResourceShelf::put(std::shared_ptr<const Resources> next) {
  replaced_.push_back(newest_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    newest_ = std::move(next);
  }
  number_.fetch_add(1, std::memory_order_release);
  const auto unused = [](const std::shared_ptr<const Resources>& one) { return one.use_count() == 1; };
  replaced_.erase(std::remove_if(replaced_.begin(), replaced_.end(), unused), replaced_.end());
}

void ResourceShelf::take() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  taken_number_ = number_.load(std::memory_order_acquire);
  taken_ = newest_;
}

}  // namespace cosyvoice
