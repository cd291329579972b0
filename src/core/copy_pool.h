// The compiled copies of a model's network, lent to one thread at a time.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "core/network.h"

namespace cosyvoice {

class CopyPool {
 public:
  /// A copy, given back when this ends.
  class Loan {
   public:
    Loan(CopyPool& pool, std::size_t index) noexcept : pool_(pool), index_(index) {}
    ~Loan() { pool_.give_back(index_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    NetworkCopy& operator*() const noexcept { return *pool_.copies_[index_]; }
    NetworkCopy* operator->() const noexcept { return pool_.copies_[index_].get(); }

   private:
    CopyPool& pool_;
    std::size_t index_;
  };

  explicit CopyPool(std::vector<std::unique_ptr<NetworkCopy>> copies);
  std::size_t size() const noexcept { return copies_.size(); }

  /// The copy `preferred` if it is free, since its memory is in that worker's caches; else any that is; else waits.
  Loan any(std::size_t preferred) noexcept;
  /// That copy; waits for it.
  Loan one(std::size_t index) noexcept;

 private:
  void give_back(std::size_t index) noexcept;

  std::vector<std::unique_ptr<NetworkCopy>> copies_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<bool> lent_;
};

}  // namespace cosyvoice
