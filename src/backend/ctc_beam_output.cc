// What the beam search has found, as words.
#include <algorithm>
#include <cmath>

#include "backend/beam_scratch.h"
#include "backend/ctc_beam.h"
#include "backend/log_sum.h"

namespace cosyvoice {

void CtcBeam::write(Transcript& transcript, BeamScratch& scratch) const noexcept {
  write(hypotheses_[0], false, transcript, scratch);
}

void CtcBeam::finish(Transcript& transcript, Alternatives& alternatives, BeamScratch& scratch) noexcept {
  alternatives.clear();
  auto& texts = scratch.texts;
  texts.clear();
  for (std::uint32_t i = 0; i < count_; ++i) {
    const float score = hypotheses_[i].sum + fusion_.finish(ended(hypotheses_[i]));
    if (score == kNever) continue;
    const std::uint64_t hash = text_hash(hypotheses_[i].node);
    const auto same = std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text.hash == hash; });
    if (same == texts.end()) {
      texts.push_back({hash, i, score, score});
      continue;
    }
    same->score = log_sum(same->score, score);
    if (score > same->best) {
      same->best = score;
      same->hypothesis = i;
    }
  }
  std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) {
    return a.score != b.score ? a.score > b.score : a.hypothesis < b.hypothesis;
  });
  best_ = texts.empty() ? 0 : texts[0].hypothesis;
  write(hypotheses_[best_], true, transcript, scratch);

  float total = kNever;
  for (const auto& text : texts) total = log_sum(total, text.score);
  for (std::size_t i = 1; i < texts.size() && alternatives.size() < options_.alternatives; ++i) {
    write(hypotheses_[texts[i].hypothesis], true, scratch.other, scratch);
    const std::string_view text = scratch.other.text();
    // With unknown words, texts that were told apart may look the same.
    bool told = text == transcript.text();
    for (std::size_t k = 0; k < alternatives.size(); ++k) {
      told = told || text == alternatives.text().substr(alternatives[k].text_begin, alternatives[k].text_size);
    }
    if (!told && !alternatives.add(text, std::exp(texts[i].score - total))) return;
  }
}

void CtcBeam::write(const Hypothesis& hypothesis, bool is_final, Transcript& transcript,
                    BeamScratch& scratch) const noexcept {
  auto& path = scratch.path;
  path.clear();
  // From the end to the beginning.
  const Ending& ending = hypothesis.better();
  AlignedPiece piece = ending.piece;
  AlignmentPool::Index link = ending.before;
  for (PrefixTree::Index node = hypothesis.node; node != PrefixTree::kRoot && path.size() < kMostPieces;
       node = tree_[node].parent) {
    path.push_back({tree_[node].token, piece, tree_.begins_word(node), false});
    if (link == AlignmentPool::kNone) continue;
    piece = alignments_[link].piece;
    link = alignments_[link].before;
  }
  std::reverse(path.begin(), path.end());
  if (fusion_.sources().grammar != nullptr) apply_grammar(hypothesis, is_final, scratch);

  transcript.clear();
  transcript.set_tokens(tokens_);
  for (const auto& each : path) {
    if (!each.unknown) {
      transcript.add_text(tokens_->text(each.token), each.begins_word, each.seen.start, each.seen.log_probability);
    } else {
      transcript.add_text(each.begins_word ? Grammar::kUnknown : std::string_view{}, each.begins_word, each.seen.start,
                          each.seen.log_probability);
    }
    transcript.extend_last(each.seen.end - 1);
  }
}

void CtcBeam::apply_grammar(const Hypothesis& hypothesis, bool is_final, BeamScratch& scratch) const noexcept {
  const Grammar& grammar = *fusion_.sources().grammar;
  auto& path = scratch.path;
  auto& words = scratch.words;
  words.clear();
  PrefixTree::Index node = hypothesis.node;
  for (std::size_t i = path.size(); i-- > 0; node = tree_[node].parent) {
    if (path[i].begins_word) words.push_back({i, tree_[node].cost_before, 0});
  }
  std::reverse(words.begin(), words.end());
  if (hypothesis.context.word_bytes == 0 && !words.empty()) {  // the last one is a boundary without text
    path.resize(words.back().first_piece);
    words.pop_back();
  }
  const auto end_of = [&](std::size_t word) {
    return word + 1 < words.size() ? words[word + 1].first_piece : path.size();
  };

  // Forwards: what the automaton has read at each word's end, and whether the last one is a word yet.
  Grammar::Words state = 0;
  Grammar::Letters letters = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    letters = 0;
    for (std::size_t p = words[i].first_piece; p < end_of(i); ++p) {
      letters = grammar.spell(letters, tokens_->text(path[p].token));
    }
    state = grammar.read(state, letters);
    words[i].state = state;
  }
  std::size_t left = words.size();
  const auto before = [&](std::uint32_t k) { return words[left - k].cost_before; };
  if (!is_final && left != 0 && letters != Grammar::kOff) {
    // The open word, and those before it that may be the beginning of a phrase, are shown as they are.
    --left;
    if (left != 0) left -= grammar.begun(words[left - 1].state, words[left].cost_before, before);
  } else if (is_final) {
    // A phrase that is not complete was not said.
    while (left != 0 && grammar.cost(words[left - 1].state, before).whole == Grammar::kImpossible) --left;
    if (left != words.size()) path.resize(words[left].first_piece);
  }

  // Backwards: each word is the end of a phrase, or unknown.
  while (left != 0) {
    const std::uint32_t length = grammar.phrase_length(words[left - 1].state, before);
    if (length == 0) {
      for (std::size_t p = words[left - 1].first_piece; p < end_of(left - 1) && p < path.size(); ++p) {
        path[p].unknown = true;
      }
    }
    left -= std::max(length, 1U);
  }
}

std::uint64_t CtcBeam::text_hash(PrefixTree::Index node) const noexcept {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&](char byte) { hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL; };
  bool any = false, space = false;
  for (; node != PrefixTree::kRoot; node = tree_[node].parent) {
    const std::string_view piece = tokens_->text(tree_[node].token);
    if (!piece.empty()) {
      if (space) add(' ');
      space = false;
      any = true;
      for (std::size_t i = piece.size(); i-- > 0;) add(piece[i]);
    }
    space = any && (space || tree_.begins_word(node));
  }
  return hash;
}

std::vector<CtcBeam::Seen> CtcBeam::hypotheses() {
  std::vector<Seen> all;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Seen seen{{},
              scale_ + static_cast<double>(hypotheses_[i].sum),
              hypotheses_[i].context.score(),
              fusion_.finish(ended(hypotheses_[i]))};
    for (PrefixTree::Index node = hypotheses_[i].node; node != PrefixTree::kRoot; node = tree_[node].parent) {
      seen.pieces.insert(seen.pieces.begin(), tree_[node].token);
    }
    all.push_back(std::move(seen));
  }
  return all;
}

}  // namespace cosyvoice
