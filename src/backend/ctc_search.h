// The search of one session: best path, or beam where there is something for a beam to weigh.
//
// The Back-End thread alone, but for open(). Language model and hotwords may be replaced by any thread while sessions
// run; a search takes the new ones where an utterance has no words yet, so no utterance is judged by two.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/ctc_beam.h"
#include "backend/ctc_greedy.h"
#include "runtime/published.h"

namespace cosyvoice {

/// What a language model's words count beside the network, and the model; without one the weights alone.
struct WeightedLm {
  FusionWeights weights;
  std::shared_ptr<const NgramScorer> scorer;
};

/// Where a search takes from what it weighs. All of it outlives the session.
struct SearchSources {
  const Published<WeightedLm>* lm = nullptr;
  const Published<HotwordList>* hotwords = nullptr;      ///< the engine's, in the model's spelling
  const Published<HotwordList>* own_hotwords = nullptr;  ///< the session's
  std::shared_ptr<const Grammar> grammar;
};

class CtcSearch {
 public:
  CtcSearch(std::byte* memory, std::uint32_t most_hypotheses) noexcept : beam_(memory, most_hypotheses) {}

  /// A new session. `always_beam`: even where there is nothing but the network's output.
  void open(std::uint32_t blank, const TokenTable* tokens, const BeamOptions& options, bool always_beam,
            SearchSources sources);
  /// The session is over: what it held is let go of.
  void close() noexcept;

  void decode(const float* log_probs, std::size_t frames, std::size_t dim, Transcript& transcript,
              BeamScratch& scratch) noexcept;
  /// Silence that did not go through the network.
  void skip(std::size_t frames) noexcept;
  /// The utterance ends here: its final words, and other texts it may have been.
  void finish(Transcript& transcript, Alternatives& alternatives, BeamScratch& scratch) noexcept;
  /// A new utterance.
  void reset() noexcept;
  /// The utterance was cut, and the next goes on there: see CtcGreedy::restart_count.
  void restart_count() noexcept;

  std::int64_t frames() const noexcept { return uses_beam_ ? beam_.frames() : greedy_.frames(); }
  std::int64_t trailing_blanks() const noexcept {
    return uses_beam_ ? beam_.trailing_blanks() : greedy_.trailing_blanks();
  }
  bool nearly_full() const noexcept { return uses_beam_ && beam_.nearly_full(); }
  bool uses_beam() const noexcept { return uses_beam_; }

 private:
  std::uint64_t versions() const noexcept;
  void take_sources() noexcept;

  CtcGreedy greedy_{0};
  CtcBeam beam_;
  std::uint32_t blank_ = 0;
  const TokenTable* tokens_ = nullptr;
  BeamOptions options_;
  SearchSources sources_;
  bool always_beam_ = false, uses_beam_ = false;
  std::uint64_t taken_ = 0;  // versions() of what is in use
};

}  // namespace cosyvoice
