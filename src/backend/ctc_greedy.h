// CTC best-path search: the most probable piece of every frame, repeats and blanks collapsed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/transcript.h"

namespace cosyvoice {

class CtcGreedy {
 public:
  explicit CtcGreedy(std::uint32_t blank) : blank_(blank) {}
  /// Reads `frames` rows of `dim` log-probabilities, which follow those of earlier calls, and appends emitted pieces to
  /// `transcript` with their frame (counted from the last reset) and log-probability.
  void decode(const float* log_probs, std::size_t frames, std::size_t dim, Transcript& transcript) noexcept;
  /// `frames` that were not decoded because they were silent: blank.
  void skip(std::size_t frames) noexcept;
  /// A new utterance: the frame count restarts, no piece is held.
  void reset() noexcept;
  /// A hard cut: the frame count restarts, but a piece held over the cut is not emitted twice.
  void restart_count() noexcept;
  /// So many frames, so many of them blank at the end, came before those that are decoded next.
  void count_on(std::int64_t frames, std::int64_t trailing_blanks) noexcept {
    frame_ = frames;
    trailing_blanks_ = trailing_blanks;
  }
  std::int64_t frames() const noexcept { return frame_; }
  /// Blank frames at the end of what was decoded, since the last non-blank one (or since reset).
  std::int64_t trailing_blanks() const noexcept { return trailing_blanks_; }

 private:
  std::uint32_t blank_;
  std::uint32_t previous_ = UINT32_MAX;
  std::int64_t frame_ = 0;
  std::int64_t trailing_blanks_ = 0;
};

}  // namespace cosyvoice
