// Places of equal size in memory that the caller has mapped, given out by number. What was given back last is given out
// first, so pages that are not needed are never touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace cosyvoice {

template <class Node>
class NodePool {
  static_assert(std::is_trivially_destructible_v<Node> && sizeof(Node) >= sizeof(std::uint32_t));

 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static constexpr std::size_t bytes_needed(std::uint32_t capacity) noexcept { return capacity * sizeof(Node); }
  NodePool(std::byte* memory, std::uint32_t capacity) noexcept
      : nodes_(reinterpret_cast<Node*>(memory)), capacity_(capacity) {}

  Node& operator[](std::uint32_t index) noexcept { return nodes_[index]; }
  const Node& operator[](std::uint32_t index) const noexcept { return nodes_[index]; }
  std::uint32_t available() const noexcept { return capacity_ - used_; }

  /// kNone: all are in use.
  std::uint32_t take() noexcept {
    std::uint32_t index = free_;
    if (index != kNone) {
      free_ = *reinterpret_cast<const std::uint32_t*>(&nodes_[index]);
    } else if (touched_ < capacity_) {
      index = touched_++;
    } else {
      return kNone;
    }
    ++used_;
    new (&nodes_[index]) Node();
    return index;
  }
  void give_back(std::uint32_t index) noexcept {
    new (&nodes_[index]) std::uint32_t(free_);
    free_ = index;
    --used_;
  }
  /// All of them.
  void clear() noexcept {
    free_ = kNone;
    touched_ = used_ = 0;
  }

 private:
  Node* nodes_;
  std::uint32_t capacity_;
  std::uint32_t free_ = kNone;
  std::uint32_t touched_ = 0, used_ = 0;
};

}  // namespace cosyvoice
