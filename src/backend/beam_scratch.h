// Scratch space of the beam search. One serves all searches of a thread.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/ctc_beam.h"

namespace cosyvoice {

/// What a hypothesis can become with the next frame.
struct CtcBeam::Candidate {
  static constexpr std::uint32_t kStays = UINT32_MAX;
  float score = 0.0F;        // with what Fusion adds
  std::uint32_t source = 0;  // hypothesis
  std::uint32_t token = kStays;
  float log_prob = 0.0F;  // of the token
  float blank = 0.0F, label = 0.0F;
  std::uint32_t context = 0;                   // in `contexts`
  PrefixTree::Index node = PrefixTree::kNone;  // where the prefix is in the tree already
};

class BeamScratch {
 public:
  BeamScratch() {
    tokens.reserve(kTokens);
    candidates.reserve(kCandidates);
    contexts.reserve(kCandidates);
    order.reserve(kCandidates);
    path.reserve(CtcBeam::kMostPieces);
    words.reserve(CtcBeam::kMostPieces);
    texts.reserve(CtcBeam::kMostHypotheses);
  }

 private:
  friend class CtcBeam;
  static constexpr std::size_t kTokens = 65536;  // a frame's pieces before the best are chosen
  static constexpr std::size_t kCandidates = CtcBeam::kMostHypotheses * (CtcBeam::kMostTokens + 1);

  struct Token {
    std::uint32_t id;
    float log_prob;
  };
  /// A piece of a prefix that is written out.
  struct Piece {
    std::uint32_t token;
    AlignedPiece seen;
    bool begins_word;
    bool unknown;  // of a word that is shown as [unk]
  };
  struct Word {
    std::size_t first_piece;
    float cost_before;
    Grammar::Words state;
  };
  /// What several hypotheses may spell.
  struct Text {
    std::uint64_t hash;
    std::uint32_t hypothesis;
    float score;  // of all of them
    float best;   // of the hypothesis
  };

  float blank = 0.0F;       // of this frame
  bool has_room = true;     // for prefixes that grow
  float best_score = 0.0F;  // of a candidate
  std::vector<Token> tokens;
  std::vector<CtcBeam::Candidate> candidates;
  std::vector<FusionState> contexts;
  std::vector<std::uint32_t> order;
  std::vector<Piece> path;
  std::vector<Word> words;
  std::vector<Text> texts;
  Transcript other;  // for alternatives
};

}  // namespace cosyvoice
