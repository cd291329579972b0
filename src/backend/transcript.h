// Pieces → words with times and confidence, in storage of fixed size.
//
// Owned by one slot, touched by the Back-End thread alone. A piece that begins with the bundle's word boundary starts a
// word, and so does the first piece of an utterance; the word's start is its first piece's frame less the bundle's
// lead, as far as the word before leaves room, its end the frame after the last frame in which its last piece was seen.
// No word holds a pause: what is seen long after a word's last piece begins another.
// A piece that is the boundary mark alone opens a word that has no text yet; such a word shows only once a piece gives
// it text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/confidence_map.h"

namespace cosyvoice {

/// What a bundle says of its words beside their pieces.
struct WordOptions {
  ConfidenceMap confidence;
  std::int32_t lead_frames = 0;   ///< of the word that were over when its first piece was seen
  std::int32_t pause_frames = 0;  ///< no word goes on after as many; 0: all do
};

/// The bundle's pieces, split once into text and "begins a word", and what their probabilities are worth.
class TokenTable {
 public:
  TokenTable(const std::vector<std::string>& tokens, std::string_view word_boundary, WordOptions words = {});
  std::string_view text(std::uint32_t id) const noexcept { return text_[id]; }
  bool begins_word(std::uint32_t id) const noexcept { return begins_word_[id] != 0; }
  std::size_t size() const noexcept { return text_.size(); }
  std::size_t longest() const noexcept { return longest_; }  ///< bytes of text
  const WordOptions& words() const noexcept { return words_; }
  bool has_words() const noexcept { return has_words_; }  ///< some piece begins a word
  /// So many frames after its last piece, a word is over.
  bool is_pause(std::int64_t frames) const noexcept {
    return has_words_ && words_.pause_frames > 0 && frames >= words_.pause_frames;
  }

 private:
  std::vector<std::string> text_;
  std::vector<std::uint8_t> begins_word_;
  std::size_t longest_ = 0;
  WordOptions words_;
  bool has_words_ = false;
};

struct TranscriptWord {
  std::uint32_t text_begin = 0, text_size = 0;  ///< in Transcript::text()
  std::int32_t start_frame = 0, end_frame = 0;  ///< output frames from the utterance's start, end exclusive
  float probability_sum = 0.0F;
  std::uint32_t pieces = 0;
  float mapped = 0.0F;  // of the mean over the pieces so far
  float confidence() const noexcept { return mapped; }
};

class Transcript {
 public:
  static constexpr std::size_t kMaxWords = 512;
  static constexpr std::size_t kMaxText = 4096;
  static constexpr std::size_t kLongestChunk = 64;  ///< output frames, each of which adds one piece at most

  /// Reserves the storage; nothing allocates afterwards.
  explicit Transcript(const TokenTable* tokens = nullptr);
  void set_tokens(const TokenTable* tokens) noexcept { tokens_ = tokens; }
  /// A piece that fits no more is left out (the caller cuts the utterance before, see nearly_full), as is an id the
  /// table does not have.
  void add_piece(std::uint32_t id, std::int32_t frame, float log_probability) noexcept;
  /// A piece of this text, whichever piece it is; `marked`: with the word boundary.
  void add_text(std::string_view piece, bool marked, std::int32_t frame, float log_probability) noexcept;
  /// The piece added last is seen in this frame too (CTC repeats): its word ends later.
  void extend_last(std::int32_t frame) noexcept;
  void clear() noexcept;

  bool empty() const noexcept { return words_.empty(); }
  /// Another chunk of kLongestChunk longest pieces might not fit: the caller cuts the utterance.
  bool nearly_full() const noexcept;
  std::string_view text() const noexcept { return text_; }  ///< words joined by one space
  const std::vector<TranscriptWord>& words() const noexcept { return words_; }
  float confidence() const noexcept;  ///< mean of the words' confidence

 private:
  bool fits(std::size_t bytes, bool new_word) const noexcept;
  bool begins_word(bool marked, std::int32_t frame) const noexcept;

  const TokenTable* tokens_;
  std::string text_;
  std::vector<TranscriptWord> words_;
  TranscriptWord opened_;  // a word without text, while is_open_
  bool is_open_ = false;
  bool left_out_ = false;  // the piece added last is in no word
};

}  // namespace cosyvoice
