// Anonymous memory mapped once, as one piece, for what every slot owns. Pages cost nothing until they are first
// touched.
#pragma once

#include <cstddef>

namespace cosyvoice {

class Slab {
 public:
  Slab() = default;
  /// `huge_pages` asks for transparent huge pages; where the kernel has none, nothing is lost.
  /// Throws Error(kInvalidArgument) naming `what`, the bytes asked for and the remedy when the system refuses.
  Slab(std::size_t bytes, const char* what, bool huge_pages = false);
  ~Slab();
  Slab(Slab&& other) noexcept;
  Slab& operator=(Slab&& other) noexcept;
  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cosyvoice
