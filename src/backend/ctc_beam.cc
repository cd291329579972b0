#include "backend/ctc_beam.h"

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "backend/beam_scratch.h"
#include "backend/log_sum.h"

namespace cosyvoice {
namespace {

constexpr std::uint32_t kNodes = 2 * CtcBeam::kMostPieces;
constexpr std::uint32_t kLinks = 3 * CtcBeam::kMostPieces;  // two alignments of the best hypothesis, and room to grow
constexpr std::uint32_t kNoToken = UINT32_MAX;
/// A node whose hypothesis is about to be let go of: it goes with that, not before.
constexpr std::uint32_t kLeaving = UINT32_MAX - 1;

}  // namespace

std::size_t CtcBeam::bytes_needed(std::uint32_t most_hypotheses) {
  static_assert(std::is_trivially_destructible_v<Hypothesis> && alignof(Hypothesis) <= 8);
  const std::size_t bytes =
      PrefixTree::bytes_needed(kNodes) + AlignmentPool::bytes_needed(kLinks) + 2 * most_hypotheses * sizeof(Hypothesis);
  return (bytes + 63) / 64 * 64;
}

CtcBeam::CtcBeam(std::byte* memory, std::uint32_t most_hypotheses) noexcept
    : tree_(memory, kNodes), alignments_(memory + PrefixTree::bytes_needed(kNodes), kLinks) {
  std::byte* const rest = memory + PrefixTree::bytes_needed(kNodes) + AlignmentPool::bytes_needed(kLinks);
  hypotheses_ = reinterpret_cast<Hypothesis*>(rest);
  next_ = hypotheses_ + most_hypotheses;
}

void CtcBeam::start(std::uint32_t blank, const BeamOptions& options, Fusion fusion) noexcept {
  blank_ = blank;
  options_ = options;
  fusion_ = std::move(fusion);
  tokens_ = fusion_.tokens();
  start();
}

void CtcBeam::start() noexcept {
  begin(fusion_.start(), kNoToken, 0.0F, kNever);
}

void CtcBeam::go_on() noexcept {
  Hypothesis& best = hypotheses_[best_];
  begin(fusion_.go_on(ended(best)), tree_[best.node].token, best.blank.sum, best.label.sum);
}

void CtcBeam::begin(const FusionState& context, std::uint32_t held_piece, float blank, float label) noexcept {
  frame_ = trailing_blanks_ = 0;
  scale_ = 0.0;
  best_ = 0;
  alignments_.clear();
  tree_.start(held_piece, 0);
  Hypothesis& empty = *new (&hypotheses_[0]) Hypothesis();
  empty.sum = log_sum(blank, label);
  empty.blank.sum = empty.blank.viterbi = blank - empty.sum;
  empty.label.sum = empty.label.viterbi = label - empty.sum;
  empty.sum = 0.0F;
  empty.context = context;
  empty.score = context.score();
  count_ = 1;
}

void CtcBeam::decode(const float* log_probs, std::size_t frames, std::size_t dim, BeamScratch& scratch) noexcept {
  for (std::size_t t = 0; t < frames; ++t, ++frame_) step(log_probs + t * dim, dim, scratch);
}

void CtcBeam::skip(std::size_t frames) noexcept {
  frame_ += static_cast<std::int64_t>(frames);
  trailing_blanks_ += static_cast<std::int64_t>(frames);
  for (std::uint32_t i = 0; i < count_; ++i) {
    Hypothesis& each = hypotheses_[i];
    const Ending better = each.better();
    alignments_.hold(better.before);
    alignments_.let_go(each.blank.before);
    alignments_.let_go(each.label.before);
    each.blank = better;
    each.blank.sum = each.sum;
    each.blank.link = AlignmentPool::kNone;
    each.label = Ending{};
    each.label.sum = each.label.viterbi = kNever;
  }
}

void CtcBeam::step(const float* row, std::size_t dim, BeamScratch& scratch) noexcept {
  float highest = kNever;
  for (std::size_t id = 0; id < dim; ++id) highest = row[id] > highest ? row[id] : highest;
  trailing_blanks_ = row[blank_] >= highest ? trailing_blanks_ + 1 : 0;

  auto& tokens = scratch.tokens;
  tokens.clear();
  const float lowest = highest - options_.token_threshold;
  for (std::size_t id = 0; id < dim; ++id) {
    if (row[id] >= lowest && row[id] > kNever && id != blank_ && tokens.size() < BeamScratch::kTokens) {
      tokens.push_back({static_cast<std::uint32_t>(id), log_probability_of(row[id])});
    }
  }
  if (tokens.size() > kMostTokens) {
    const auto better = [](const BeamScratch::Token& a, const BeamScratch::Token& b) {
      return a.log_prob != b.log_prob ? a.log_prob > b.log_prob : a.id < b.id;
    };
    std::nth_element(tokens.begin(), tokens.begin() + kMostTokens, tokens.end(), better);
    tokens.resize(kMostTokens);
    std::sort(tokens.begin(), tokens.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  }

  if (!has_room()) keep_best_alone();
  scratch.has_room = has_room();
  scratch.blank = log_probability_of(row[blank_]) - options_.blank_penalty;
  scratch.candidates.clear();
  scratch.contexts.clear();
  scratch.best_score = kNever;
  stay(row, dim, scratch);
  if (scratch.has_room) grow(scratch);
  select(scratch);
}

void CtcBeam::stay(const float* row, std::size_t dim, BeamScratch& scratch) noexcept {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Hypothesis& from = hypotheses_[i];
    Candidate to;
    to.source = i;
    to.blank = from.sum + scratch.blank;
    to.label = kNever;
    const std::uint32_t token = tree_[from.node].token;
    if (token < dim) {
      to.log_prob = log_probability_of(row[token]);
      to.label = from.label.sum + to.log_prob;
      if (const Hypothesis* parent = grows_into(from); parent != nullptr) {
        to.label = log_sum(to.label, (repeats(*parent, token) ? parent->blank.sum : parent->sum) + to.log_prob);
      }
    }
    to.score = log_sum(to.blank, to.label) + from.context.score();
    scratch.best_score = std::max(scratch.best_score, to.score);
    scratch.candidates.push_back(to);
  }
}

void CtcBeam::grow(BeamScratch& scratch) noexcept {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Hypothesis& from = hypotheses_[i];
    for (const auto [token, log_prob] : scratch.tokens) {
      Candidate to;
      to.label = (repeats(from, token) ? from.blank.sum : from.sum) + log_prob;
      const float lowest = scratch.best_score - options_.score_threshold;
      if (!(to.label + from.context.score() + fusion_.highest_gain() > lowest)) continue;
      const bool begins = begins_word(from, token);
      to.node = tree_.find_child(from.node, token, begins);
      if (to.node != PrefixTree::kNone && tree_[to.node].holder != PrefixTree::kNone) continue;  // it stays
      const FusionState context = fusion_.add(begins ? ended(from) : from.context, token);
      to.score = to.label + context.score();
      if (!(to.score > lowest)) continue;
      to.source = i;
      to.token = token;
      to.log_prob = log_prob;
      to.blank = kNever;
      to.context = static_cast<std::uint32_t>(scratch.contexts.size());
      scratch.contexts.push_back(context);
      scratch.best_score = std::max(scratch.best_score, to.score);
      scratch.candidates.push_back(to);
    }
  }
}

void CtcBeam::select(BeamScratch& scratch) noexcept {
  auto& order = scratch.order;
  order.clear();
  const auto& candidates = scratch.candidates;
  const float lowest = scratch.best_score - options_.score_threshold;
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].score >= lowest && candidates[i].score > kNever) order.push_back(i);
  }
  if (order.empty()) return;  // nothing is possible: the frame is as if it had not been
  const std::size_t kept = std::min<std::size_t>(order.size(), options_.beam_size);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return candidates[a].score != candidates[b].score ? candidates[a].score > candidates[b].score
                                                                        : a < b;
                    });

  float highest = kNever;
  for (std::size_t i = 0; i < kept; ++i) {
    Hypothesis& to = *new (&next_[i]) Hypothesis();
    keep(candidates[order[i]], scratch, to);
    highest = std::max(highest, to.sum);
  }
  for (std::uint32_t i = 0; i < count_; ++i) tree_[hypotheses_[i].node].holder = kLeaving;
  for (std::uint32_t i = 0; i < kept; ++i) tree_[next_[i].node].holder = i;
  for (std::uint32_t i = 0; i < count_; ++i) let_go(hypotheses_[i], kLeaving);
  std::swap(hypotheses_, next_);
  count_ = static_cast<std::uint32_t>(kept);
  // Sums of hours would lose their last digits.
  scale_ += static_cast<double>(highest);
  for (std::uint32_t i = 0; i < count_; ++i) {
    Hypothesis& each = hypotheses_[i];
    for (float* value : {&each.sum, &each.blank.sum, &each.blank.viterbi, &each.label.sum, &each.label.viterbi}) {
      *value -= highest;
    }
    each.score = each.sum + each.context.score();
  }
}

void CtcBeam::keep(const Candidate& candidate, BeamScratch& scratch, Hypothesis& to) noexcept {
  Hypothesis& from = hypotheses_[candidate.source];
  to.blank.sum = candidate.blank;
  to.label.sum = candidate.label;
  to.sum = log_sum(candidate.blank, candidate.label);
  if (candidate.token == Candidate::kStays) {
    to.node = from.node;
    to.context = from.context;
    to.ended = from.ended;
    to.has_ended = from.has_ended;
    align_staying(from, candidate, scratch, to);
    return;
  }
  const bool begins = begins_word(from, candidate.token);
  to.node = candidate.node != PrefixTree::kNone
                ? candidate.node
                : tree_.add(from.node, candidate.token, begins, begins ? ended(from).cost.whole : 0.0F);
  to.context = scratch.contexts[candidate.context];
  to.blank.viterbi = kNever;
  align_grown(from, candidate.token, candidate.log_prob, to.label);
}

void CtcBeam::align_staying(const Hypothesis& from, const Candidate& candidate, const BeamScratch& scratch,
                            Hypothesis& to) noexcept {
  const Ending& better = from.better();
  to.blank.viterbi = better.viterbi + scratch.blank;
  to.blank.piece = better.piece;
  to.blank.before = better.before;
  alignments_.hold(better.before);

  const std::uint32_t token = tree_[from.node].token;
  const float repeated = from.label.viterbi + candidate.log_prob;
  Hypothesis* const parent = grows_into(from);
  if (parent != nullptr && scratch.has_room) {
    const Ending& ending = repeats(*parent, token) ? parent->blank : parent->better();
    if (ending.viterbi + candidate.log_prob > repeated) {
      align_grown(*parent, token, candidate.log_prob, to.label);
      return;
    }
  }
  to.label.viterbi = candidate.label == kNever ? kNever : repeated;
  to.label.piece = from.label.piece;
  to.label.piece.end = static_cast<std::int32_t>(frame_) + 1;
  to.label.piece.log_probability = std::max(to.label.piece.log_probability, candidate.log_prob);
  to.label.before = from.label.before;
  alignments_.hold(from.label.before);
}

void CtcBeam::align_grown(Hypothesis& from, std::uint32_t token, float log_prob, Ending& label) noexcept {
  Ending& ending = repeats(from, token) || from.blank.viterbi >= from.label.viterbi ? from.blank : from.label;
  label.viterbi = ending.viterbi + log_prob;
  label.piece = {static_cast<std::int32_t>(frame_), static_cast<std::int32_t>(frame_) + 1, log_prob};
  if (from.node == PrefixTree::kRoot) return;
  if (ending.link == AlignmentPool::kNone) ending.link = alignments_.add(ending.piece, ending.before);
  label.before = ending.link;
  alignments_.hold(label.before);
}

void CtcBeam::let_go(const Hypothesis& hypothesis, std::uint32_t holder) noexcept {
  alignments_.let_go(hypothesis.blank.before);
  alignments_.let_go(hypothesis.label.before);
  if (tree_[hypothesis.node].holder != holder) return;  // the prefix stays
  tree_[hypothesis.node].holder = PrefixTree::kNone;
  tree_.let_go(hypothesis.node);
}

void CtcBeam::keep_best_alone() noexcept {
  for (std::uint32_t i = 1; i < count_; ++i) let_go(hypotheses_[i], i);
  count_ = 1;
}

bool CtcBeam::has_room() const noexcept {
  return tree_.available() >= options_.beam_size && alignments_.available() >= 2 * options_.beam_size;
}

bool CtcBeam::nearly_full() const noexcept {
  return tree_[hypotheses_[0].node].depth + Transcript::kLongestChunk > kMostPieces;
}

CtcBeam::Hypothesis* CtcBeam::parent_of(const Hypothesis& hypothesis) noexcept {
  if (hypothesis.node == PrefixTree::kRoot) return nullptr;
  const std::uint32_t holder = tree_[tree_[hypothesis.node].parent].holder;
  return holder == PrefixTree::kNone ? nullptr : &hypotheses_[holder];
}

bool CtcBeam::repeats(const Hypothesis& hypothesis, std::uint32_t token) const noexcept {
  return tree_[hypothesis.node].token == token;
}

bool CtcBeam::begins_word(const Hypothesis& from, std::uint32_t token) const noexcept {
  if (from.node == PrefixTree::kRoot) return true;
  if (from.context.word_bytes == 0) return false;
  return tokens_->begins_word(token) || tokens_->is_pause(frame_ - from.better().piece.end);
}

CtcBeam::Hypothesis* CtcBeam::grows_into(const Hypothesis& hypothesis) noexcept {
  Hypothesis* const parent = parent_of(hypothesis);
  if (parent == nullptr) return nullptr;
  const bool same_words = begins_word(*parent, tree_[hypothesis.node].token) == tree_.begins_word(hypothesis.node);
  return same_words ? parent : nullptr;
}

const FusionState& CtcBeam::ended(Hypothesis& hypothesis) noexcept {
  if (hypothesis.context.word_bytes == 0) return hypothesis.context;
  if (!hypothesis.has_ended) {
    char buffer[PrefixTree::kLongestWord];
    hypothesis.ended = fusion_.end_word(hypothesis.context, tree_.last_word(hypothesis.node, *tokens_, buffer),
                                        [&](std::uint32_t words) { return tree_.cost_before(hypothesis.node, words); });
    hypothesis.has_ended = true;
  }
  return hypothesis.ended;
}

}  // namespace cosyvoice
