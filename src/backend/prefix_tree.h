// The prefixes of one search: sequences of pieces, parted into words, that share their beginnings, as a tree in fixed
// memory.
//
// A prefix is a node; it lives while the search holds it or a longer one. The root is the empty prefix. A prefix that
// was let go of and comes again while a longer one lives is the same node again, so no two nodes have the same pieces
// in the same words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "backend/node_pool.h"
#include "backend/transcript.h"

namespace cosyvoice {

class PrefixTree {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = UINT32_MAX;
  static constexpr Index kRoot = 0;
  static constexpr std::size_t kLongestWord = 256;  ///< bytes; a longer one is no word of any language model

  struct Node {
    Index parent = kNone;
    std::uint32_t token = 0;
    Index first_child = kNone, next_sibling = kNone;
    std::uint32_t holder = kNone;  ///< the search's number for it; kNone: it is not held
    Index word = kRoot;            ///< the node of its last word's first piece; kRoot: it has no word
    std::uint32_t depth = 0;       ///< pieces
    float cost_before = 0.0F;      ///< of a word's first piece: Grammar's cost of the words before
  };

  static constexpr std::size_t bytes_needed(std::uint32_t capacity) noexcept {
    return NodePool<Node>::bytes_needed(capacity);
  }
  PrefixTree(std::byte* memory, std::uint32_t capacity) noexcept : nodes_(memory, capacity) {}

  /// The empty prefix alone, held as `holder`; `token` is the piece that the utterance before ended in.
  void start(std::uint32_t token, std::uint32_t holder) noexcept;
  bool begins_word(Index node) const noexcept { return nodes_[node].word == node; }
  Node& operator[](Index node) noexcept { return nodes_[node]; }
  const Node& operator[](Index node) const noexcept { return nodes_[node]; }
  std::uint32_t available() const noexcept { return nodes_.available(); }

  Index find_child(Index parent, std::uint32_t token, bool begins_word) const noexcept;
  /// kNone: there is no room. The caller holds it at once.
  Index add(Index parent, std::uint32_t token, bool begins_word, float cost_before) noexcept;
  /// Frees the node, and those before it, as far as nobody needs them.
  void let_go(Index node) noexcept;

  /// The text of the prefix's last word, written to the end of `buffer`; "" where it has more than kLongestWord bytes.
  std::string_view last_word(Index node, const TokenTable& tokens, char (&buffer)[kLongestWord]) const noexcept;
  /// Grammar's cost `words` words before the prefix's end, which is the end of a word.
  float cost_before(Index node, std::uint32_t words) const noexcept;

 private:
  NodePool<Node> nodes_;
};

}  // namespace cosyvoice
