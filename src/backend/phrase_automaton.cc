#include "backend/phrase_automaton.h"

#include <algorithm>

namespace cosyvoice {

PhraseAutomaton::PhraseAutomaton(const std::vector<std::vector<Symbol>>& phrases) {
  std::vector<std::vector<Symbol>> sorted = phrases;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

  // Level by level: a node is a range of the sorted phrases that agree up to its depth, so its arcs come out in order.
  struct Range {
    std::size_t begin, end;
  };
  std::vector<Range> ranges{{0, sorted.size()}};
  nodes_.emplace_back();
  for (State state = 0; state < nodes_.size(); ++state) {
    const std::uint32_t depth = nodes_[state].depth;
    nodes_[state].first_arc = static_cast<std::uint32_t>(arcs_.size());
    std::size_t i = ranges[state].begin;
    const std::size_t end = ranges[state].end;
    if (i < end && sorted[i].size() == depth) {
      nodes_[state].is_phrase = depth != 0;
      ++i;
    }
    while (i < end) {
      const Symbol symbol = sorted[i][depth];
      std::size_t next = i;
      while (next < end && sorted[next][depth] == symbol) ++next;
      const auto target = static_cast<State>(nodes_.size());
      arcs_.push_back({symbol, target});
      ++nodes_[state].arcs;
      nodes_.emplace_back();
      nodes_[target].depth = depth + 1;
      ranges.push_back({i, next});
      i = next;
    }
    // Its own fallback and those of shallower nodes are set, so those of its children can be.
    for (std::uint32_t arc = 0; arc < nodes_[state].arcs; ++arc) {
      const Arc& to = arcs_[nodes_[state].first_arc + arc];
      nodes_[to.target].fallback = state == kRoot ? kRoot : step(nodes_[state].fallback, to.symbol);
    }
  }
}

PhraseAutomaton::State PhraseAutomaton::child(State state, Symbol symbol) const noexcept {
  const Arc* const first = arcs_.data() + nodes_[state].first_arc;
  const Arc* const last = first + nodes_[state].arcs;
  const Arc* const found =
      std::lower_bound(first, last, symbol, [](const Arc& arc, Symbol wanted) { return arc.symbol < wanted; });
  return found != last && found->symbol == symbol ? found->target : kNone;
}

PhraseAutomaton::State PhraseAutomaton::step(State state, Symbol symbol) const noexcept {
  for (;;) {
    const State next = child(state, symbol);
    if (next != kNone) return next;
    if (state == kRoot) return kRoot;
    state = nodes_[state].fallback;
  }
}

PhraseAutomaton::State PhraseAutomaton::find(const std::vector<Symbol>& phrase) const noexcept {
  State state = kRoot;
  for (const Symbol symbol : phrase) {
    state = child(state, symbol);
    if (state == kNone) return kNone;
  }
  return state;
}

}  // namespace cosyvoice
