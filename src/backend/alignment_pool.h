// Where the pieces of prefixes were seen: chains of pieces that share their beginnings, in fixed memory.
//
// A link is a piece and the link before it. It lives while somebody holds it or a link that comes after.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/node_pool.h"

namespace cosyvoice {

struct AlignedPiece {
  std::int32_t start = 0, end = 0;  ///< output frames, end exclusive
  float log_probability = 0.0F;     ///< the highest of these frames
};

class AlignmentPool {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  struct Link {
    Index before = kNone;
    std::uint32_t holders = 0;
    AlignedPiece piece;
  };

  static constexpr std::size_t bytes_needed(std::uint32_t capacity) noexcept {
    return NodePool<Link>::bytes_needed(capacity);
  }
  AlignmentPool(std::byte* memory, std::uint32_t capacity) noexcept : links_(memory, capacity) {}

  const Link& operator[](Index link) const noexcept { return links_[link]; }
  std::uint32_t available() const noexcept { return links_.available(); }
  void clear() noexcept { links_.clear(); }

  /// A link that nobody holds yet; there must be one available.
  Index add(const AlignedPiece& piece, Index before) noexcept {
    const Index index = links_.take();
    links_[index].piece = piece;
    links_[index].before = before;
    hold(before);
    return index;
  }
  void hold(Index link) noexcept {
    if (link != kNone) ++links_[link].holders;
  }
  void let_go(Index link) noexcept {
    while (link != kNone && --links_[link].holders == 0) {
      const Index before = links_[link].before;
      links_.give_back(link);
      link = before;
    }
  }

 private:
  NodePool<Link> links_;
};

}  // namespace cosyvoice
