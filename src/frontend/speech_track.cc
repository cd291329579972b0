#include "frontend/speech_track.h"

namespace cosyvoice {
namespace {

constexpr std::uint64_t kGapWeight = 2;  // a frame of a gap takes so many frames of speech back

}  // namespace

void SpeechTrack::open(std::uint64_t hangover, std::uint64_t sure) noexcept {
  hangover_ = hangover;
  sure_ = sure;
  restart();
}

void SpeechTrack::restart() noexcept {
  known_ = last_speech_ = 0;
  next_utterance();
}

void SpeechTrack::next_utterance() noexcept {
  run_ = 0;
  speaking_ = untold_ = false;
}

void SpeechTrack::add(bool speech, std::uint64_t count) noexcept {
  if (speech) {
    if (run_ == 0) onset_.first = known_;
    known_ += count;
    run_ += count;
    last_speech_ = known_;
    if (run_ >= sure_ && !speaking_) {
      speaking_ = untold_ = true;
      onset_.sure = known_;
    }
    return;
  }
  known_ += count;
  const std::uint64_t taken = kGapWeight * count;
  if (!speaking_) run_ = run_ > taken ? run_ - taken : 0;
  if (speaking_ && silent_from(known_)) {
    speaking_ = untold_ = false;
    run_ = 0;
  }
}

}  // namespace cosyvoice
