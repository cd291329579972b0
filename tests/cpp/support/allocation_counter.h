// Counts heap allocations of a test program, to prove that a steady state makes none.
//
// Linking allocation_counter.cc replaces malloc and its kin for the whole program, C++'s new among them (under a
// sanitizer, which needs malloc for itself, new alone).
#pragma once

#include <cstdint>

namespace cosyvoice::testing {

/// Allocations that the calling thread has made and that were not skipped.
std::uint64_t allocations_of_this_thread() noexcept;
/// Of all threads of the program since it started.
std::uint64_t allocations_of_all_threads() noexcept;
/// Allocations are skipped while this returns true on the thread that makes them (`inside_inference`); null: none are.
/// It must not wait for a lock, since malloc may be called under any.
void skip_allocations_while(bool (*condition)() noexcept) noexcept;

/// Skips the calling thread's allocations during its life (a test's own bookkeeping).
class AllocationsSkipped {
 public:
  AllocationsSkipped() noexcept;
  ~AllocationsSkipped();
  AllocationsSkipped(const AllocationsSkipped&) = delete;
  AllocationsSkipped& operator=(const AllocationsSkipped&) = delete;
};

}  // namespace cosyvoice::testing
