// The bytes of a compiled model. Numbers are little-endian; every section begins at a multiple of 8 bytes, padded by 0.
//
//   Header       256 bytes, below
//   codebooks    only where quantised: for each order from 2 on, 256 floats for probabilities, then 256 for back-offs
//   level 1      a record for each word, by id: | probability 32 | back-off 32 | next |
//   level 2 …    a record for each n-gram:      | word | probability 32 or 8 | back-off 32 or 8 | next |
//   level N      the highest order:             | word | probability 32 or 8 |
//   offsets      words + 1 numbers of 32 bits: where each word's text begins, and where the last one ends
//   texts        "<unk>", then all other words in the order of their bytes, end to end
//
// The levels are a trie that is read backwards: from P(c | a b) one finds `c` in level 1, below it `b`, below that `a`.
// The children of record i are the records next(i) … next(i + 1) - 1 of the level below, in the order of their `word`;
// so each level ends with one more record, of which only `next` counts. `word` and `next` have as many bits as the
// largest needs, and records lie bit by bit, without gaps (bit_records.h). After the last come 8 bytes that a load may
// touch.
//
// A back-off of -0.0 says: no n-gram goes on from here and nothing would be paid, so a history need not go so far back.
// In codebooks it is entry 0, and entry 1 is +0.0. Where the n-gram `a b c` is there but `b c` is not, `b c` is added
// with the probability that backing off gives it, since the way to `a b c` leads through it.
//
// What a model's facts do not say is not stored: widths and places of sections follow from the header's counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lm/bit_records.h"
#include "lm/state.h"

namespace cosyvoice::lm {

struct Header {
  std::array<char, 8> magic{};                    ///< kMagic
  std::array<std::uint8_t, 32> sha256{};          ///< of every byte after this field; zeros until all are written
  std::uint32_t version = 0;                      ///< kVersion
  std::uint32_t byte_order = 0;                   ///< kByteOrder
  std::uint32_t order = 0;                        ///< 1 to kMaxOrder
  std::uint32_t unit = 0;                         ///< Unit
  std::uint32_t quantised = 0;                    ///< 0 or 1
  std::uint32_t unknown_missing = 0;              ///< 0 or 1
  std::uint32_t begin_word = 0;                   ///< the id of <s>
  std::uint32_t end_word = 0;                     ///< the id of </s>
  std::array<std::uint64_t, kMaxOrder> ngrams{};  ///< records of each level but the one more; level 1: words
  std::uint64_t text_bytes = 0;                   ///< of the section `texts`
  std::array<std::uint8_t, 32> tokens_sha256{};   ///< of the tokens.txt that it was built for; zeros: none
  std::array<std::uint8_t, 104> reserved{};       ///< zeros
};
static_assert(sizeof(Header) == 256);

inline constexpr std::array<char, 8> kMagic = {'C', 'V', '-', 'n', 'g', 'r', 'a', 'm'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint64_t kHashedFrom = offsetof(Header, version);
inline constexpr std::uint64_t kMostNgrams = std::uint64_t{1} << 40U;  ///< of one order
inline constexpr std::uint64_t kMostWords = (std::uint64_t{1} << 32U) - 2;
inline constexpr std::size_t kCodes = 256;
inline constexpr unsigned kCodeBits = 8;
inline constexpr unsigned kFloatBits = 32;

/// Where one level's records are, and the widths of their fields in bits; 0: no such field.
struct LevelLayout {
  std::uint64_t offset = 0, count = 0;
  unsigned word = 0, probability = 0, backoff = 0, next = 0;
  unsigned record_bits() const noexcept { return word + probability + backoff + next; }
};

/// Where the sections are. Computed for any header whose order is 1 to kMaxOrder, with ngrams up to kMostNgrams, words
/// up to kMostWords and fewer than 2^32 text_bytes; nothing overflows.
struct Layout {
  explicit Layout(const Header& header) noexcept;
  std::array<LevelLayout, kMaxOrder> levels{};
  std::uint64_t codebooks = 0, offsets = 0, texts = 0, file_bytes = 0;
};

/// Floats before the codebook of `level` (1 is that of order 2), its probabilities first.
constexpr std::size_t codebook_floats(std::size_t level) noexcept {
  return (level - 1) * 2 * kCodes;
}

}  // namespace cosyvoice::lm
