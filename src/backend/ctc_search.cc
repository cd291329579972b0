#include "backend/ctc_search.h"

#include <utility>

#include "backend/beam_scratch.h"

namespace cosyvoice {

void CtcSearch::open(std::uint32_t blank, const TokenTable* tokens, const BeamOptions& options, bool always_beam,
                     SearchSources sources) {
  blank_ = blank;
  tokens_ = tokens;
  options_ = options;
  always_beam_ = always_beam;
  sources_ = std::move(sources);
  greedy_ = CtcGreedy(blank);
  uses_beam_ = false;
  take_sources();
}

void CtcSearch::close() noexcept {
  beam_.start(blank_, options_, Fusion());
  sources_ = SearchSources{};
}

void CtcSearch::decode(const float* log_probs, std::size_t frames, std::size_t dim, Transcript& transcript,
                       BeamScratch& scratch) noexcept {
  if (transcript.empty() && taken_ != versions()) take_sources();
  if (!uses_beam_) {
    greedy_.decode(log_probs, frames, dim, transcript);
    return;
  }
  beam_.decode(log_probs, frames, dim, scratch);
  beam_.write(transcript, scratch);
}

void CtcSearch::skip(std::size_t frames) noexcept {
  if (uses_beam_) {
    beam_.skip(frames);
  } else {
    greedy_.skip(frames);
  }
}

void CtcSearch::finish(Transcript& transcript, Alternatives& alternatives, BeamScratch& scratch) noexcept {
  alternatives.clear();
  if (uses_beam_) beam_.finish(transcript, alternatives, scratch);
}

void CtcSearch::reset() noexcept {
  if (uses_beam_) {
    beam_.start();
  } else {
    greedy_.reset();
  }
}

void CtcSearch::restart_count() noexcept {
  if (uses_beam_) {
    beam_.go_on();
  } else {
    greedy_.restart_count();
  }
}

std::uint64_t CtcSearch::versions() const noexcept {
  // Each only grows, so the sum tells whether any has changed.
  std::uint64_t sum = 0;
  if (sources_.lm != nullptr) sum += sources_.lm->version();
  if (sources_.hotwords != nullptr) sum += sources_.hotwords->version();
  if (sources_.own_hotwords != nullptr) sum += sources_.own_hotwords->version();
  return sum;
}

void CtcSearch::take_sources() noexcept {
  const std::int64_t frames_so_far = frames(), blanks = trailing_blanks();
  taken_ = versions();
  FusionSources sources;
  if (const auto lm = sources_.lm != nullptr ? sources_.lm->get() : nullptr; lm != nullptr) {
    sources.weights = lm->weights;
    sources.lm = lm->scorer;
  }
  if (sources_.hotwords != nullptr) sources.hotwords = sources_.hotwords->get();
  if (sources_.own_hotwords != nullptr) sources.own_hotwords = sources_.own_hotwords->get();
  sources.grammar = sources_.grammar;
  uses_beam_ = always_beam_ || sources.lm != nullptr || sources.hotwords != nullptr ||
               sources.own_hotwords != nullptr || sources.grammar != nullptr;
  // The utterance has no words, so it begins afresh, but its time goes on.
  if (uses_beam_) {
    beam_.start(blank_, options_, Fusion(tokens_, std::move(sources)));
    beam_.count_on(frames_so_far, blanks);
  } else {
    greedy_.reset();
    greedy_.count_on(frames_so_far, blanks);
  }
}

}  // namespace cosyvoice
