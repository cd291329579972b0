// The mapped words of a model: id 0 is <unk>, the others are in the order of their bytes. Safe on any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lm/state.h"

namespace cosyvoice::lm {

class WordTable {
 public:
  WordTable() = default;
  WordTable(const std::byte* offsets, const std::byte* texts, std::uint64_t text_bytes, WordId count) noexcept
      : offsets_(offsets), texts_(reinterpret_cast<const char*>(texts)), text_bytes_(text_bytes), count_(count) {}

  WordId size() const noexcept { return count_; }

  std::string_view text(WordId id) const noexcept {
    if (id >= count_) return {};
    const std::uint32_t begin = offset(id), end = offset(std::uint64_t{id} + 1);
    if (begin > end || end > text_bytes_) return {};
    return {texts_ + begin, end - begin};
  }

  /// The first id from 1 on whose text is not below `bound` in the first `length` bytes; `above`: whose text is above
  /// it.
  WordId lower_bound(std::string_view bound, std::size_t length, bool above) const noexcept {
    WordId first = count_ == 0 ? 0 : 1, last = count_;
    while (first < last) {
      const WordId middle = first + (last - first) / 2;
      const int order = text(middle).substr(0, length).compare(bound);
      if (order < 0 || (above && order == 0)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

 private:
  std::uint32_t offset(std::uint64_t id) const noexcept {
    std::uint32_t value = 0;
    std::memcpy(&value, offsets_ + id * sizeof value, sizeof value);
    return value;
  }

  const std::byte* offsets_ = nullptr;
  const char* texts_ = nullptr;
  std::uint64_t text_bytes_ = 0;
  WordId count_ = 0;
};

}  // namespace cosyvoice::lm
