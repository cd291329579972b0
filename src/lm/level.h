// One level of the mapped trie. Safe on any bytes: an index is checked against the level's count, so whatever a record
// says, reads stay inside the section.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lm/format.h"

namespace cosyvoice::lm {

class Level {
 public:
  struct Entry {
    float probability = 0.0F, backoff = 0.0F;
    std::uint64_t first = 0, last = 0;  ///< its children in the level below, `last` exclusive
  };

  Level() = default;
  /// `codebook`: kCodes probabilities, then kCodes back-offs; null where the records hold floats.
  Level(const std::byte* file, const LevelLayout& layout, const std::byte* codebook) noexcept
      : records_(file + layout.offset), codebook_(codebook), layout_(layout), bits_(layout.record_bits()) {}

  std::uint64_t count() const noexcept { return layout_.count; }

  /// `index` must be below count().
  Entry at(std::uint64_t index) const noexcept {
    Entry entry;
    std::uint64_t bit = index * bits_ + layout_.word;
    entry.probability = value(bit, layout_.probability, 0);
    bit += layout_.probability;
    if (layout_.backoff == 0) return entry;
    entry.backoff = value(bit, layout_.backoff, kCodes);
    bit += layout_.backoff;
    entry.first = load_bits(records_, bit, layout_.next);
    entry.last = load_bits(records_, bit + bits_, layout_.next);
    return entry;
  }

  /// The record of `word` among first … last - 1; count() where there is none.
  std::uint64_t find(std::uint64_t first, std::uint64_t last, WordId word) const noexcept {
    last = std::min(last, layout_.count);
    while (first < last) {
      const std::uint64_t middle = first + (last - first) / 2;
      const std::uint64_t found = load_bits(records_, middle * bits_, layout_.word);
      if (found == word) return middle;
      if (found < word) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return layout_.count;
  }

 private:
  /// `book`: where the field's part of the codebook begins.
  float value(std::uint64_t bit, unsigned width, std::size_t book) const noexcept {
    const std::uint64_t bits = load_bits(records_, bit, width);
    if (width == kFloatBits) return float_of(bits);
    float entry = 0.0F;
    std::memcpy(&entry, codebook_ + (book + bits) * sizeof(float), sizeof entry);
    return entry;
  }

  const std::byte* records_ = nullptr;
  const std::byte* codebook_ = nullptr;
  LevelLayout layout_;
  unsigned bits_ = 0;
};

}  // namespace cosyvoice::lm
