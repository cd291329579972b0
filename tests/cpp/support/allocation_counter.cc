#include "support/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace cosyvoice::testing {
namespace {

std::atomic<std::uint64_t> all_threads{0};
std::atomic<bool (*)() noexcept> skip_condition{nullptr};
thread_local std::uint64_t this_thread = 0;
thread_local int skipping = 0;

}  // namespace

void count_allocation() noexcept {
  if (skipping != 0) return;
  const auto condition = skip_condition.load(std::memory_order_relaxed);
  if (condition != nullptr) {
    ++skipping;  // should the condition itself allocate
    const bool skip = condition();
    --skipping;
    if (skip) return;
  }
  ++this_thread;
  all_threads.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t allocations_of_this_thread() noexcept {
  return this_thread;
}
std::uint64_t allocations_of_all_threads() noexcept {
  return all_threads.load(std::memory_order_relaxed);
}
void skip_allocations_while(bool (*condition)() noexcept) noexcept {
  skip_condition.store(condition, std::memory_order_relaxed);
}

AllocationsSkipped::AllocationsSkipped() noexcept {
  ++skipping;
}
AllocationsSkipped::~AllocationsSkipped() {
  --skipping;
}

}  // namespace cosyvoice::testing

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

namespace {

void* counted(std::size_t size) noexcept {
  cosyvoice::testing::count_allocation();
  return std::malloc(size == 0 ? 1 : size);
}

void* counted(std::size_t size, std::align_val_t alignment) noexcept {
  cosyvoice::testing::count_allocation();
  const auto align = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(align, (size + align - 1) / align * align);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The other forms of new and delete call these.
void* operator new(std::size_t size) {
  return or_throw(counted(size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(counted(size, alignment));
}
void* operator new[](std::size_t size) {
  return or_throw(counted(size));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(counted(size, alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#else

// glibc's allocator under the names that it keeps for this purpose; what they return, the usual free() takes back.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

#define COSYVOICE_REPLACES __attribute__((visibility("default")))

COSYVOICE_REPLACES void* malloc(std::size_t size) {
  cosyvoice::testing::count_allocation();
  return __libc_malloc(size);
}

COSYVOICE_REPLACES void* calloc(std::size_t count, std::size_t size) {
  cosyvoice::testing::count_allocation();
  return __libc_calloc(count, size);
}

COSYVOICE_REPLACES void* realloc(void* memory, std::size_t size) {
  cosyvoice::testing::count_allocation();
  return __libc_realloc(memory, size);
}

COSYVOICE_REPLACES void* memalign(std::size_t alignment, std::size_t size) {
  cosyvoice::testing::count_allocation();
  return __libc_memalign(alignment, size);
}

COSYVOICE_REPLACES void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}

COSYVOICE_REPLACES int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void* const taken = memalign(alignment, size);
  if (taken == nullptr) return ENOMEM;
  *memory = taken;
  return 0;
}

}  // extern "C"

#endif
