// Where an utterance ends, judged after every chunk by audio time. The Back-End thread alone.
#pragma once

#include <cstdint>

namespace cosyvoice {

struct EndpointOptions {
  std::int32_t partial_timeout_ms = 2800;  ///< silence after a word
  std::int32_t max_utterance_ms = 30000;   ///< from here on a pause of `pause_ms` is enough
  std::int32_t pause_ms = 100;
  std::int32_t hard_limit_ms = 35000;  ///< cut in any case
};

enum class Cut : std::uint8_t {
  kNone,
  kSilence,  ///< partial_timeout of silence after words
  kPause,    ///< past max_utterance, at a pause
  kHard,     ///< no pause came: states are carried on
};

/// `duration_ms`: audio of this utterance so far, counted from its first word's start where it has one.
/// `silence_ms`: blank at its end. `has_words`: before the first word silence makes no event, so nothing is cut.
Cut judge(const EndpointOptions& options, std::int64_t duration_ms, std::int64_t silence_ms, bool has_words,
          bool transcript_nearly_full) noexcept;

}  // namespace cosyvoice
