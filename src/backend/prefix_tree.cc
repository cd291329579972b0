#include "backend/prefix_tree.h"

#include <cstring>
#include <limits>

namespace cosyvoice {

void PrefixTree::start(std::uint32_t token, std::uint32_t holder) noexcept {
  nodes_.clear();
  Node& root = nodes_[nodes_.take()];
  root.token = token;
  root.holder = holder;
}

PrefixTree::Index PrefixTree::find_child(Index parent, std::uint32_t token, bool begins_word) const noexcept {
  const auto is_wanted = [&](Index child) {
    return nodes_[child].token == token && this->begins_word(child) == begins_word;
  };
  Index child = nodes_[parent].first_child;
  while (child != kNone && !is_wanted(child)) child = nodes_[child].next_sibling;
  return child;
}

PrefixTree::Index PrefixTree::add(Index parent, std::uint32_t token, bool begins_word, float cost_before) noexcept {
  const Index index = nodes_.take();
  if (index == kNone) return kNone;
  Node& node = nodes_[index];
  node.parent = parent;
  node.token = token;
  node.next_sibling = nodes_[parent].first_child;
  nodes_[parent].first_child = index;
  node.word = begins_word ? index : nodes_[parent].word;
  node.depth = nodes_[parent].depth + 1;
  node.cost_before = cost_before;
  return index;
}

void PrefixTree::let_go(Index node) noexcept {
  while (node != kRoot && nodes_[node].holder == kNone && nodes_[node].first_child == kNone) {
    const Index parent = nodes_[node].parent;
    Index* link = &nodes_[parent].first_child;
    while (*link != node) link = &nodes_[*link].next_sibling;
    *link = nodes_[node].next_sibling;
    nodes_.give_back(node);
    node = parent;
  }
}

std::string_view PrefixTree::last_word(Index node, const TokenTable& tokens,
                                       char (&buffer)[kLongestWord]) const noexcept {
  const Index word = nodes_[node].word;
  std::size_t begin = kLongestWord;
  for (; node != kRoot; node = nodes_[node].parent) {
    const std::string_view piece = tokens.text(nodes_[node].token);
    if (piece.size() > begin) return {};
    begin -= piece.size();
    std::memcpy(buffer + begin, piece.data(), piece.size());
    if (node == word) break;
  }
  return {buffer + begin, kLongestWord - begin};
}

float PrefixTree::cost_before(Index node, std::uint32_t words) const noexcept {
  Index word = nodes_[node].word;
  for (; words > 1 && word != kRoot; --words) word = nodes_[nodes_[word].parent].word;
  return word == kRoot ? std::numeric_limits<float>::infinity() : nodes_[word].cost_before;
}

}  // namespace cosyvoice
