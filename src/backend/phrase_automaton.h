// Aho–Corasick: which of many phrases end, or have begun, at any place of a sequence of symbols.
//
// Built once, off the engine's threads, then read by any number of them. A state is the longest end of what was read
// that begins some phrase; state 0 is "none". Symbols are numbers: bytes of text, or ids of words.
#pragma once

#include <cstdint>
#include <vector>

namespace cosyvoice {

class PhraseAutomaton {
 public:
  using State = std::uint32_t;
  using Symbol = std::uint32_t;
  static constexpr State kRoot = 0;
  static constexpr State kNone = UINT32_MAX;

  /// No phrase is empty; equal ones are one.
  explicit PhraseAutomaton(const std::vector<std::vector<Symbol>>& phrases);

  State step(State state, Symbol symbol) const noexcept;
  /// The same without falling back to a shorter end: kNone where no phrase goes on.
  State child(State state, Symbol symbol) const noexcept;
  /// The longest proper end of this state's symbols that begins a phrase.
  State fallback(State state) const noexcept { return nodes_[state].fallback; }
  std::uint32_t depth(State state) const noexcept { return nodes_[state].depth; }
  /// A whole phrase, as a whole.
  bool is_phrase(State state) const noexcept { return nodes_[state].is_phrase; }
  /// Each state's number is higher than those of its parent and its fallback.
  std::uint32_t states() const noexcept { return static_cast<std::uint32_t>(nodes_.size()); }
  /// The state that spells a phrase of the list.
  State find(const std::vector<Symbol>& phrase) const noexcept;

 private:
  struct Node {
    std::uint32_t first_arc = 0, arcs = 0;
    State fallback = kRoot;
    std::uint32_t depth = 0;
    bool is_phrase = false;
  };
  struct Arc {
    Symbol symbol = 0;
    State target = kRoot;
  };

  std::vector<Node> nodes_;
  std::vector<Arc> arcs_;  // of each node together, by symbol
};

}  // namespace cosyvoice
