// Silence that does not go through the network: which chunks of a session are silent, and where speech begins.
//
//   frames:   … speech │ hang-over │ silent │ silent │ pre-roll │ speech …
//   chunks:   … heard    heard       skipped  skipped  heard      heard
//
// A chunk is skipped where neither it nor the pre-roll after it holds speech, the hang-over included, and the network
// has said nothing for as long as it may be late. Every decision depends on a fixed stretch of audio, never on how the
// audio came, so that any packet size gives the same words. The Front-End thread alone.
// docs/decisions/018-silence-skip.md says why it is so.
#pragma once

#include <cstdint>
#include <memory>

#include "cosyvoice/engine.h"
#include "engine/silero_ears.h"
#include "engine/slot.h"

namespace cosyvoice {

/// Feature frames that may be kept back before speech.
std::uint32_t pre_roll_frames(const Manifest& manifest, const EngineOptions& options) noexcept;

class SilenceSkip {
 public:
  explicit SilenceSkip(const EngineOptions& options);
  bool on() const noexcept { return kind_ != VadKind::kOff; }

  /// A new session in a slot whose model is set and whose stream keeps `rows`. Throws kInvalidArgument.
  void open(Slot& slot, std::size_t rows);
  /// The slot's stream was restarted.
  void restart(Slot& slot) noexcept;
  /// What these slots were fed was read; null is no slot.
  void hear(Slot* const* slots, std::size_t count) noexcept {
    if (silero_) silero_->hear(slots, count);
  }
  /// Judges the frames that have come, up to this one; stops where speech began, until that was told.
  void listen(Slot& slot, std::uint64_t until) noexcept { listen(slot, until, false); }

  enum class Fate : std::uint8_t {
    kHear,
    kSkip,
    kWait  ///< more audio must tell
  };
  struct Judgement {
    Fate fate = Fate::kHear;
    std::uint64_t frames = 0;  ///< of the stream that it took
  };
  /// What becomes of the next chunk, which is complete. `no_more`: all audio before a mark is there.
  Judgement judge(Slot& slot, bool no_more) noexcept;

 private:
  /// `ahead`: of what follows a chunk only whether it holds speech matters, so the first frame of it is enough.
  void listen(Slot& slot, std::uint64_t until, bool ahead) noexcept;
  /// The detector's next judgement goes into the slot's track; false: it has none yet.
  bool listen_on(Slot& slot, std::uint64_t until, bool ahead) noexcept;

  const VadKind kind_;
  const float threshold_;
  std::unique_ptr<SileroEars> silero_;
  const std::int32_t hangover_ms_, pre_roll_ms_;
};

}  // namespace cosyvoice
