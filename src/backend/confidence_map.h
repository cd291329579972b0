// Mean probability of a word's pieces → how often such words are right.
//
// A straight line between logits, fitted on utterances that were not trained on (recipes/common/calibrate.py) and kept
// in the bundle's manifest. It rises, so it changes no order among words; the default changes nothing.
#pragma once

#include <algorithm>
#include <cmath>

namespace cosyvoice {

struct ConfidenceMap {
  float scale = 1.0F, offset = 0.0F;

  float operator()(float probability) const noexcept {
    if (scale == 1.0F && offset == 0.0F) return probability;
    constexpr float kLeast = 1e-4F;  // a certain word, too, keeps a finite logit
    const float kept = std::clamp(probability, kLeast, 1.0F - kLeast);
    return 1.0F / (1.0F + std::exp(-(scale * std::log(kept / (1.0F - kept)) + offset)));
  }
};

}  // namespace cosyvoice
