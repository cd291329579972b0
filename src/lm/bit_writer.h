// Writes records as bit_records.h reads them.
#pragma once

#include <cstdint>
#include <string>

#include "lm/bit_records.h"

namespace cosyvoice::lm {

class BitWriter {
 public:
  /// Bytes are appended to `out` once they are whole.
  explicit BitWriter(std::string& out) : out_(out) {}
  /// `value` must fit in `bits`, kWidestField at most.
  void put(std::uint64_t value, unsigned bits) {
    held_ |= value << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, held_ >>= 8U) out_.push_back(static_cast<char>(held_ & 0xFFU));
  }
  /// Fills the last byte up with zeros.
  void finish() {
    if (count_ != 0) put(0, 8 - count_);
  }

 private:
  std::string& out_;
  std::uint64_t held_ = 0;
  unsigned count_ = 0;  // bits of held_, below 8 between calls
};

}  // namespace cosyvoice::lm
