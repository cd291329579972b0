// A session's audio since a while before its open utterance, at 16 kHz and 16 bits: what a second pass hears. Owned by
// one slot, touched by the Front-End thread alone.
//
//   memory:  │ forgotten │ kept, contiguous │ free │
//
// Times are milliseconds of the session. Pages that are not needed any more go back to the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "frontend/resampler.h"

namespace cosyvoice {

class UtteranceAudio {
 public:
  static constexpr std::uint32_t kRate = 16000;
  /// Bytes, whole pages, for utterances of `max_utterance_ms`, what lies before and what is read ahead.
  static std::size_t bytes_needed(std::int32_t max_utterance_ms);

  /// `memory` of `bytes`, page-aligned, is the caller's; 0 bytes: keeps nothing.
  UtteranceAudio(std::byte* memory, std::size_t bytes);
  bool enabled() const noexcept { return capacity_ != 0; }

  /// A new session.
  void open(std::uint32_t sample_rate);
  /// The session's next samples, as decoded; Resampler::kMaxInput at most. Where there is no room the oldest audio
  /// goes.
  void append(const float* samples, std::size_t count) noexcept;
  /// The samples up to this one, at the session's rate, were discarded; nothing before is kept.
  void skip_to(std::uint64_t sample) noexcept;
  void forget_before(std::int64_t ms) noexcept;

  struct Span {
    const std::int16_t* samples = nullptr;  ///< null: the beginning is not there
    std::size_t count = 0;
  };
  /// May end a little early: the resampler holds back the newest samples.
  Span between(std::int64_t begin_ms, std::int64_t end_ms) const noexcept;

 private:
  static constexpr std::uint64_t kPerMs = kRate / 1000;

  void make_room(std::size_t count) noexcept;
  void move_to_front() noexcept;

  std::int16_t* const samples_;
  const std::size_t capacity_;
  std::uint32_t rate_ = kRate;
  std::optional<Resampler> resampler_;
  std::uint64_t position_ = 0;  // of samples_[begin_], since the session began
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace cosyvoice
