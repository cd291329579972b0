#include "backend/ctc_greedy.h"

#include <limits>

namespace cosyvoice {
namespace {

/// The lowest id of the highest value; 0 where no value is above minus infinity.
std::uint32_t best_piece(const float* row, std::size_t dim) noexcept {
  std::uint32_t best = 0;
  float highest = -std::numeric_limits<float>::infinity();
  for (std::size_t id = 0; id < dim; ++id) {
    if (row[id] > highest) {
      highest = row[id];
      best = static_cast<std::uint32_t>(id);
    }
  }
  return best;
}

}  // namespace

void CtcGreedy::decode(const float* log_probs, std::size_t frames, std::size_t dim, Transcript& transcript) noexcept {
  for (std::size_t t = 0; t < frames; ++t, ++frame_) {
    const float* row = log_probs + t * dim;
    const std::uint32_t piece = best_piece(row, dim);
    const auto frame = static_cast<std::int32_t>(frame_);
    if (piece == blank_) {
      ++trailing_blanks_;
    } else {
      trailing_blanks_ = 0;
      if (piece == previous_) {
        transcript.extend_last(frame);
      } else {
        transcript.add_piece(piece, frame, row[piece]);
      }
    }
    previous_ = piece;
  }
}

void CtcGreedy::skip(std::size_t frames) noexcept {
  frame_ += static_cast<std::int64_t>(frames);
  trailing_blanks_ += static_cast<std::int64_t>(frames);
  previous_ = blank_;
}

void CtcGreedy::reset() noexcept {
  restart_count();
  previous_ = UINT32_MAX;
}

void CtcGreedy::restart_count() noexcept {
  frame_ = 0;
  trailing_blanks_ = 0;
}

}  // namespace cosyvoice
