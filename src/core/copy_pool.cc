#include "core/copy_pool.h"

#include <algorithm>

namespace cosyvoice {

CopyPool::CopyPool(std::vector<std::unique_ptr<NetworkCopy>> copies)
    : copies_(std::move(copies)), lent_(copies_.size(), false) {}

CopyPool::Loan CopyPool::any(std::size_t preferred) noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::size_t first = preferred % lent_.size();
    const std::size_t index =
        lent_[first] ? static_cast<std::size_t>(std::find(lent_.begin(), lent_.end(), false) - lent_.begin()) : first;
    if (index < lent_.size()) {
      lent_[index] = true;
      return {*this, index};
    }
    given_back_.wait(lock);
  }
}

CopyPool::Loan CopyPool::one(std::size_t index) noexcept {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [&] { return !lent_[index]; });
  lent_[index] = true;
  return {*this, index};
}

void CopyPool::give_back(std::size_t index) noexcept {
  {
    const std::lock_guard lock(mutex_);
    lent_[index] = false;
  }
  given_back_.notify_all();
}

}  // namespace cosyvoice
