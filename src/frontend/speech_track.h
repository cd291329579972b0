// A detector's judgement of each feature frame of a stream → what the engine asks: is this stretch silent, has speech
// begun? One for each session, the Front-End's alone. Frames count from the stream's restart.
#pragma once

#include <cstdint>

namespace cosyvoice {

class SpeechTrack {
 public:
  /// A new session. For `hangover` frames after speech it counts as speech still; so many frames of it (`sure`), with
  /// short gaps, make sure that it is no click.
  void open(std::uint64_t hangover, std::uint64_t sure) noexcept;
  /// The stream was restarted: what begins now counts as if speech had just ended.
  void restart() noexcept;
  /// An utterance ended: speech that goes on is the next one's and begins anew.
  void next_utterance() noexcept;
  /// The judgement of the next `count` frames.
  void add(bool speech, std::uint64_t count = 1) noexcept;

  std::uint64_t known() const noexcept { return known_; }  ///< frames judged
  /// No speech, hang-over included, from this frame to the last one known.
  bool silent_from(std::uint64_t frame) const noexcept { return last_speech_ + hangover_ <= frame; }
  bool speaking() const noexcept { return speaking_; }  ///< for sure, and the hang-over has not passed

  struct Onset {
    std::uint64_t first = 0;  ///< frame of speech
    std::uint64_t sure = 0;   ///< one past the frame that made it sure
  };
  /// Speech began, and this was not told before. Null: it did not.
  const Onset* onset() const noexcept { return untold_ ? &onset_ : nullptr; }
  void told() noexcept { untold_ = false; }

 private:
  std::uint64_t hangover_ = 0, sure_ = 1;
  std::uint64_t known_ = 0;
  std::uint64_t last_speech_ = 0;  // one past the last frame of speech
  std::uint64_t run_ = 0;          // frames of speech, less those of the gaps
  bool speaking_ = false, untold_ = false;
  Onset onset_;
};

}  // namespace cosyvoice
