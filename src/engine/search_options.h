// The engine's options of the search, as the Back-End takes them.
#pragma once

#include <cstdint>

#include "backend/ctc_beam.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {

/// Hypotheses that each session has memory for. Also where the best path is the rule: hotwords may come.
inline std::uint32_t most_hypotheses(const EngineOptions& options) noexcept {
  return options.beam_size != 0 ? options.beam_size : BeamOptions{}.beam_size;
}

/// A beam even where there is nothing for it to weigh but the network's output.
inline bool always_beam(const EngineOptions& options) noexcept {
  return options.beam_size != 0 || options.alternatives != 0 || options.blank_penalty != 0.0;
}

inline FusionWeights fusion_weights(const EngineOptions& options) noexcept {
  return {static_cast<float>(options.lm_weight), static_cast<float>(options.word_bonus)};
}

inline BeamOptions beam_options(const EngineOptions& options) noexcept {
  BeamOptions beam;
  beam.beam_size = most_hypotheses(options);
  beam.token_threshold = static_cast<float>(options.token_threshold);
  beam.score_threshold = static_cast<float>(options.score_threshold);
  beam.blank_penalty = static_cast<float>(options.blank_penalty);
  beam.alternatives = options.alternatives;
  return beam;
}

}  // namespace cosyvoice
