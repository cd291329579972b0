// CTC prefix beam search, frame by frame, with what Fusion adds.
//
// A hypothesis is a prefix (a sequence of pieces) with the probability of all alignments that spell it, split by
// whether the last frame was blank, because only after a blank the same piece can come again:
//
//   stays     blank  ← (blank + label) · P(blank)
//             label  ← label · P(its last piece)
//   grows     label of prefix+piece ← (blank + label) · P(piece), blank alone where it repeats the last piece
//
// After a pause, a piece that only goes on with a word begins one of its own: the same pieces, another prefix.
//
// Prefixes that become equal are one: their probabilities add up. After each frame the best `beam_size` are kept,
// ranked by that probability and by what Fusion makes of the prefix. Beside the sum each hypothesis carries its single
// most probable alignment, from which words have their times.
//
// Owned by one slot, in memory mapped at start; scratch space is the Back-End thread's. Nothing allocates. Should a
// prefix tree outgrow its memory, only the best hypothesis is kept, and the search goes on from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/alignment_pool.h"
#include "backend/alternatives.h"
#include "backend/fusion.h"
#include "backend/prefix_tree.h"
#include "backend/transcript.h"

namespace cosyvoice {

struct BeamOptions {
  std::uint32_t beam_size = 32;    ///< hypotheses kept after each frame
  float token_threshold = 12.0F;   ///< pieces so much below the frame's best (in ln) are not looked at
  float score_threshold = 20.0F;   ///< hypotheses so much below the best are dropped
  float blank_penalty = 0.0F;      ///< taken from the log-probability of blank
  std::uint32_t alternatives = 0;  ///< other texts that finals carry
};

class BeamScratch;

class CtcBeam {
 public:
  static constexpr std::uint32_t kMostHypotheses = 128;
  static constexpr std::uint32_t kMostTokens = 64;    ///< looked at in one frame
  static constexpr std::uint32_t kMostPieces = 1024;  ///< of an utterance; it is cut before

  static std::size_t bytes_needed(std::uint32_t most_hypotheses);
  /// `beam_size` of its searches is at most `most_hypotheses`.
  CtcBeam(std::byte* memory, std::uint32_t most_hypotheses) noexcept;

  /// A new utterance.
  void start(std::uint32_t blank, const BeamOptions& options, Fusion fusion) noexcept;
  /// The same with the same sources.
  void start() noexcept;
  /// An utterance that goes on where the one before was cut: the best hypothesis's last piece is held, not told again.
  void go_on() noexcept;
  /// So many frames, so many of them blank at the end, came before those that are decoded next.
  void count_on(std::int64_t frames, std::int64_t trailing_blanks) noexcept {
    frame_ = frames;
    trailing_blanks_ = trailing_blanks;
  }
  void decode(const float* log_probs, std::size_t frames, std::size_t dim, BeamScratch& scratch) noexcept;
  /// So many frames of certain blank: silence that did not go through the network.
  void skip(std::size_t frames) noexcept;

  /// The best hypothesis so far.
  void write(Transcript& transcript, BeamScratch& scratch) const noexcept;
  /// The utterance has ended: its best text, and others. Texts that several hypotheses spell count together.
  void finish(Transcript& transcript, Alternatives& alternatives, BeamScratch& scratch) noexcept;

  /// The utterance must be cut: another chunk's pieces might not fit.
  bool nearly_full() const noexcept;
  /// No piece is in the best hypothesis.
  bool is_empty() const noexcept { return tree_[hypotheses_[0].node].depth == 0; }
  std::int64_t frames() const noexcept { return frame_; }
  std::int64_t trailing_blanks() const noexcept { return trailing_blanks_; }
  const Fusion& fusion() const noexcept { return fusion_; }

  /// For tests: the hypotheses, best first, with ln of the sum over their alignments and what Fusion adds.
  struct Seen {
    std::vector<std::uint32_t> pieces;
    double log_probability;
    float fusion, finish;
  };
  std::vector<Seen> hypotheses();

 private:
  friend class BeamScratch;

  /// The alignments of a prefix that end in blank, or in its last piece.
  struct Ending {
    float sum = 0.0F;      // ln of the probability of all
    float viterbi = 0.0F;  // of the best one, in which the last piece …
    AlignedPiece piece;
    AlignmentPool::Index before = AlignmentPool::kNone;  // … comes after these
    AlignmentPool::Index link = AlignmentPool::kNone;    // for this frame: the piece as a link
  };
  struct Hypothesis {
    PrefixTree::Index node = PrefixTree::kRoot;
    Ending blank, label;
    float sum = 0.0F;  // of both
    float score = 0.0F;
    bool has_ended = false;  // `ended` was computed
    FusionState context, ended;
    const Ending& better() const noexcept { return blank.viterbi >= label.viterbi ? blank : label; }
  };
  struct Candidate;

  void step(const float* row, std::size_t dim, BeamScratch& scratch) noexcept;
  void stay(const float* row, std::size_t dim, BeamScratch& scratch) noexcept;
  void grow(BeamScratch& scratch) noexcept;
  void select(BeamScratch& scratch) noexcept;
  void keep(const Candidate& candidate, BeamScratch& scratch, Hypothesis& to) noexcept;
  void align_staying(const Hypothesis& from, const Candidate& candidate, const BeamScratch& scratch,
                     Hypothesis& to) noexcept;
  void align_grown(Hypothesis& from, std::uint32_t token, float log_prob, Ending& label) noexcept;
  /// Its prefix too, where `holder` holds it still.
  void let_go(const Hypothesis& hypothesis, std::uint32_t holder) noexcept;
  void keep_best_alone() noexcept;
  bool has_room() const noexcept;
  void begin(const FusionState& context, std::uint32_t held_piece, float blank, float label) noexcept;

  Hypothesis* parent_of(const Hypothesis& hypothesis) noexcept;
  bool repeats(const Hypothesis& hypothesis, std::uint32_t token) const noexcept;
  bool begins_word(const Hypothesis& from, std::uint32_t token) const noexcept;
  /// The parent of a hypothesis that is seen once more in this frame: nullptr where there is none, or where a pause
  /// would lie in a word.
  Hypothesis* grows_into(const Hypothesis& hypothesis) noexcept;
  /// The hypothesis with its last word ended.
  const FusionState& ended(Hypothesis& hypothesis) noexcept;

  void write(const Hypothesis& hypothesis, bool is_final, Transcript& transcript, BeamScratch& scratch) const noexcept;
  /// Marks the unknown words of the path that is being written, and ends it where its last whole phrase ends.
  void apply_grammar(const Hypothesis& hypothesis, bool is_final, BeamScratch& scratch) const noexcept;
  std::uint64_t text_hash(PrefixTree::Index node) const noexcept;

  PrefixTree tree_;
  AlignmentPool alignments_;
  Hypothesis* hypotheses_;  // best first
  Hypothesis* next_;
  std::uint32_t count_ = 0;
  std::uint32_t best_ = 0;  // of finish()
  std::uint32_t blank_ = 0;
  BeamOptions options_;
  Fusion fusion_;
  const TokenTable* tokens_ = nullptr;
  double scale_ = 0.0;  // was taken from all sums since the utterance began
  std::int64_t frame_ = 0, trailing_blanks_ = 0;
};

}  // namespace cosyvoice
