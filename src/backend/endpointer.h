// Where an utterance ends, judged after every chunk by audio time. The Back-End thread alone.
//
// Each way to end is one rule: which utterances it is for, how much silence at their end and what length it asks for.
// All conditions of a rule must hold; the first rule that holds decides, so the gentler cut stands before the harder.
//
//   cut        words   silence at least     length at least
//   no speech  none    start_timeout        0                  (where start_timeout is set)
//   silence    some    partial_timeout      0
//   pause      some    pause                max_utterance
//   hard       some    0                    hard_limit, or no room for more words
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cosyvoice {

struct EndpointOptions {
  std::int32_t start_timeout_ms = 0;       ///< silence before the first word; 0: never ends anything
  std::int32_t partial_timeout_ms = 2800;  ///< silence after a word
  std::int32_t max_utterance_ms = 30000;   ///< from here on a pause of `pause_ms` is enough
  std::int32_t pause_ms = 100;
  std::int32_t hard_limit_ms = 35000;  ///< cut in any case
};

enum class Cut : std::uint8_t {
  kNone,
  kNoSpeech,  ///< start_timeout of silence, and no word
  kSilence,   ///< partial_timeout of silence after words
  kPause,     ///< past max_utterance, at a pause
  kHard,      ///< no pause came: states are carried on
};

struct EndRule {
  Cut cut = Cut::kNone;  ///< kNone: the rule is off
  bool has_words = true;
  std::int64_t silence_ms = 0;
  std::int64_t length_ms = 0;
};

/// The open utterance. Length counts from its first word, or where it has none from its beginning. Silence is what lies
/// at its end and was blank to the network, or skipped.
struct UtteranceSoFar {
  std::int64_t length_ms = 0;
  std::int64_t silence_ms = 0;
  bool has_words = false;
  bool nearly_full = false;  ///< another chunk's words might not fit
};

class Endpointer {
 public:
  explicit Endpointer(const EndpointOptions& options);
  Cut judge(const UtteranceSoFar& so_far) const noexcept;
  /// How much longer the utterance may be silent before it ends; INT64_MAX: for ever.
  std::int64_t silence_left_ms(const UtteranceSoFar& so_far) const noexcept;

 private:
  std::array<EndRule, 4> rules_;
};

}  // namespace cosyvoice
