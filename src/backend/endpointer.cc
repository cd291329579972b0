#include "backend/endpointer.h"

namespace cosyvoice {

Cut judge(const EndpointOptions& options, std::int64_t duration_ms, std::int64_t silence_ms, bool has_words,
          bool transcript_nearly_full) noexcept {
  if (!has_words) return Cut::kNone;
  if (silence_ms >= options.partial_timeout_ms) return Cut::kSilence;
  if (duration_ms >= options.max_utterance_ms && silence_ms >= options.pause_ms) return Cut::kPause;
  if (duration_ms >= options.hard_limit_ms || transcript_nearly_full) return Cut::kHard;
  return Cut::kNone;
}

}  // namespace cosyvoice
