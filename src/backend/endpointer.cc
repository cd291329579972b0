#include "backend/endpointer.h"

#include <algorithm>

namespace cosyvoice {

Endpointer::Endpointer(const EndpointOptions& options)
    : rules_{{{options.start_timeout_ms > 0 ? Cut::kNoSpeech : Cut::kNone, false, options.start_timeout_ms, 0},
              {Cut::kSilence, true, options.partial_timeout_ms, 0},
              {Cut::kPause, true, options.pause_ms, options.max_utterance_ms},
              {Cut::kHard, true, 0, options.hard_limit_ms}}} {}

Cut Endpointer::judge(const UtteranceSoFar& so_far) const noexcept {
  for (const EndRule& rule : rules_) {
    if (rule.cut == Cut::kNone || rule.has_words != so_far.has_words) continue;
    const bool long_enough = so_far.length_ms >= rule.length_ms || (rule.cut == Cut::kHard && so_far.nearly_full);
    if (so_far.silence_ms >= rule.silence_ms && long_enough) return rule.cut;
  }
  return Cut::kNone;
}

std::int64_t Endpointer::silence_left_ms(const UtteranceSoFar& so_far) const noexcept {
  std::int64_t least = INT64_MAX;
  for (const EndRule& rule : rules_) {
    if (rule.cut == Cut::kNone || rule.has_words != so_far.has_words) continue;
    // Silence lengthens the utterance as well.
    const std::int64_t left =
        std::max({rule.silence_ms - so_far.silence_ms, rule.length_ms - so_far.length_ms, std::int64_t{0}});
    least = std::min(least, left);
  }
  return least;
}

}  // namespace cosyvoice
