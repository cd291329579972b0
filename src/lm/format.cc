#include "lm/format.h"

namespace cosyvoice::lm {
namespace {

constexpr std::uint64_t padded(std::uint64_t bytes) noexcept {
  return (bytes + 7) / 8 * 8;
}

}  // namespace

Layout::Layout(const Header& header) noexcept {
  const std::size_t order = header.order;
  const bool quantised = header.quantised != 0;
  const unsigned word_bits = bits_for(header.ngrams[0] == 0 ? 0 : header.ngrams[0] - 1);
  std::uint64_t end = sizeof(Header);
  codebooks = end;
  if (quantised) end += codebook_floats(order) * sizeof(float);
  for (std::size_t i = 0; i < order; ++i) {
    LevelLayout& level = levels[i];
    const bool is_last = i + 1 == order;
    const unsigned value_bits = i != 0 && quantised ? kCodeBits : kFloatBits;
    level.offset = end;
    level.count = header.ngrams[i];
    level.word = i == 0 ? 0 : word_bits;
    level.probability = value_bits;
    level.backoff = is_last ? 0 : value_bits;
    level.next = is_last ? 0 : bits_for(header.ngrams[i + 1]);
    end += padded(((level.count + 1) * level.record_bits() + 7) / 8) + kLoadBytes;
  }
  offsets = end;
  end += padded((header.ngrams[0] + 1) * sizeof(std::uint32_t));
  texts = end;
  file_bytes = end + padded(header.text_bytes);
}

}  // namespace cosyvoice::lm
