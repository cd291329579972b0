#include "backend/fusion.h"

#include <algorithm>
#include <utility>

namespace cosyvoice {
namespace {

constexpr float kLn10 = 2.302585F;
/// A language model may call a word impossible; for speech nothing is.
constexpr float kLowestLog10 = -10.0F;

}  // namespace

Fusion::Fusion(const TokenTable* tokens, FusionSources sources) : tokens_(tokens), sources_(std::move(sources)) {
  const bool has_lm = sources_.lm != nullptr && sources_.grammar == nullptr;
  per_token_ = has_lm && sources_.lm->scores_tokens();
  per_word_ = has_lm && !per_token_;
  if (has_lm) highest_gain_ = std::max(0.0F, sources_.weights.word_bonus);
  for (const auto* list : {sources_.hotwords.get(), sources_.own_hotwords.get()}) {
    // A piece may hold the end of one phrase and most of the next.
    if (list != nullptr) highest_gain_ += 2.0F * list->highest_boost();
  }
}

FusionState Fusion::start() const noexcept {
  FusionState state;
  if (sources_.hotwords != nullptr) state.hotwords = sources_.hotwords->start();
  if (sources_.own_hotwords != nullptr) state.own_hotwords = sources_.own_hotwords->start();
  if (per_token_ || per_word_) state.lm = sources_.lm->begin();
  return state;
}

FusionState Fusion::go_on(const FusionState& ended) const noexcept {
  FusionState state = start();
  state.lm = ended.lm;
  return state;
}

FusionState Fusion::add(const FusionState& from, std::uint32_t token) const noexcept {
  FusionState to = from;
  const std::string_view text = tokens_->text(token);
  to.word_bytes += static_cast<std::uint32_t>(text.size());
  if (per_token_) {
    to.settled += scored(sources_.lm->score(from.lm, sources_.lm->token(token), to.lm)) + sources_.weights.word_bonus;
  }
  if (sources_.hotwords != nullptr) to.hotwords = sources_.hotwords->read(from.hotwords, text, to.settled);
  if (sources_.own_hotwords != nullptr) {
    to.own_hotwords = sources_.own_hotwords->read(from.own_hotwords, text, to.settled);
  }
  if (sources_.grammar != nullptr) to.letters = sources_.grammar->spell(from.letters, text);
  weigh(to);
  return to;
}

FusionState Fusion::ended(const FusionState& from, std::string_view word) const noexcept {
  FusionState to = from;
  to.word_bytes = 0;
  if (per_word_) {
    to.settled += scored(sources_.lm->score(from.lm, sources_.lm->find(word), to.lm)) + sources_.weights.word_bonus;
  }
  if (!tokens_->has_words()) return to;
  if (sources_.hotwords != nullptr) to.hotwords = sources_.hotwords->read(from.hotwords, " ", to.settled);
  if (sources_.own_hotwords != nullptr) {
    to.own_hotwords = sources_.own_hotwords->read(from.own_hotwords, " ", to.settled);
  }
  return to;
}

void Fusion::weigh(FusionState& state) const noexcept {
  state.pending = 0.0F;
  if (sources_.hotwords != nullptr) state.pending += sources_.hotwords->share(state.hotwords);
  if (sources_.own_hotwords != nullptr) state.pending += sources_.own_hotwords->share(state.own_hotwords);
  if (sources_.grammar == nullptr) return;
  const bool unknown = state.letters == Grammar::kOff;
  if (!unknown) {
    state.pending -= state.cost.open;
  } else {
    state.pending -=
        sources_.grammar->unknown_words() ? state.cost.whole + Grammar::kUnknownCost : Grammar::kImpossible;
  }
}

float Fusion::finish(const FusionState& ended) const noexcept {
  float total = ended.settled;
  if (per_token_ || per_word_) total += scored(sources_.lm->end(ended.lm));
  if (sources_.grammar != nullptr) total -= ended.cost.whole;
  return total;
}

float Fusion::scored(float log10_probability) const noexcept {
  return sources_.weights.lm_weight * kLn10 * std::max(log10_probability, kLowestLog10);
}

}  // namespace cosyvoice
