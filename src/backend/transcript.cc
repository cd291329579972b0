#include "backend/transcript.h"

#include <algorithm>
#include <cmath>

namespace cosyvoice {
namespace {

/// 0 for NaN, and never above 1 where rounding put a log-probability above 0.
float probability(float log_probability) noexcept {
  return std::isnan(log_probability) ? 0.0F : std::exp(std::min(log_probability, 0.0F));
}

}  // namespace

TokenTable::TokenTable(const std::vector<std::string>& tokens, std::string_view word_boundary, WordOptions words)
    : words_(words) {
  text_.reserve(tokens.size());
  begins_word_.reserve(tokens.size());
  for (const std::string& token : tokens) {
    const bool begins = !word_boundary.empty() && token.compare(0, word_boundary.size(), word_boundary) == 0;
    text_.push_back(begins ? token.substr(word_boundary.size()) : token);
    begins_word_.push_back(begins ? 1 : 0);
    has_words_ = has_words_ || begins;
    longest_ = std::max(longest_, text_.back().size());
  }
}

Transcript::Transcript(const TokenTable* tokens) : tokens_(tokens) {
  text_.reserve(kMaxText);
  words_.reserve(kMaxWords);
}

bool Transcript::fits(std::size_t bytes, bool new_word) const noexcept {
  const std::size_t space = new_word && !text_.empty() ? 1 : 0;
  return text_.size() + space + bytes <= kMaxText && (!new_word || words_.size() < kMaxWords);
}

void Transcript::add_piece(std::uint32_t id, std::int32_t frame, float log_probability) noexcept {
  left_out_ = true;
  if (tokens_ == nullptr || id >= tokens_->size()) return;
  add_text(tokens_->text(id), tokens_->begins_word(id), frame, log_probability);
}

bool Transcript::begins_word(bool marked, std::int32_t frame) const noexcept {
  if (marked) return true;
  if (is_open_) return tokens_->is_pause(frame - opened_.end_frame);
  return words_.empty() || tokens_->is_pause(frame - words_.back().end_frame);
}

void Transcript::add_text(std::string_view piece, bool marked, std::int32_t frame, float log_probability) noexcept {
  left_out_ = true;
  if (begins_word(marked, frame)) {
    opened_ = TranscriptWord{};
    const std::int32_t free_from = words_.empty() ? 0 : std::min(words_.back().end_frame, frame);
    opened_.start_frame = std::max(frame - tokens_->words().lead_frames, free_from);
    is_open_ = true;
  }
  if (!piece.empty() && !fits(piece.size(), is_open_)) return;
  left_out_ = false;
  if (is_open_ && !piece.empty()) {
    if (!text_.empty()) text_ += ' ';
    opened_.text_begin = static_cast<std::uint32_t>(text_.size());
    words_.push_back(opened_);
    is_open_ = false;
  }
  TranscriptWord& word = is_open_ ? opened_ : words_.back();
  text_ += piece;
  word.text_size += static_cast<std::uint32_t>(piece.size());
  word.end_frame = frame + 1;
  word.probability_sum += probability(log_probability);
  ++word.pieces;
  word.mapped = tokens_->words().confidence(word.probability_sum / static_cast<float>(word.pieces));
}

void Transcript::extend_last(std::int32_t frame) noexcept {
  if (left_out_) return;
  if (is_open_) {
    opened_.end_frame = frame + 1;
  } else if (!words_.empty()) {
    words_.back().end_frame = frame + 1;
  }
}

void Transcript::clear() noexcept {
  text_.clear();
  words_.clear();
  is_open_ = false;
  left_out_ = false;
}

bool Transcript::nearly_full() const noexcept {
  // A table of absurdly long pieces must not make every transcript nearly full: half the text is kept in any case.
  const std::size_t longest = tokens_ == nullptr ? 0 : tokens_->longest();
  const std::size_t chunk = std::min(kLongestChunk * (longest + 1), kMaxText / 2);
  return text_.size() + chunk > kMaxText || words_.size() + kLongestChunk > kMaxWords;
}

float Transcript::confidence() const noexcept {
  if (words_.empty()) return 0.0F;
  float sum = 0.0F;
  for (const TranscriptWord& word : words_) sum += word.confidence();
  return sum / static_cast<float>(words_.size());
}

}  // namespace cosyvoice
