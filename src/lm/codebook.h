// Many floats as one of 256: what quantised models store.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lm/format.h"

namespace cosyvoice::lm {

class Codebook {
 public:
  /// Chooses the entries for `values`, all finite: equally many values an entry at first, then each entry moves to the
  /// mean of what is nearest to it. The `fixed`, a few, come first and stay; they are for values that must not change.
  explicit Codebook(std::vector<float> values, const std::vector<float>& fixed = {});
  /// The nearest of the entries that are not fixed.
  std::uint8_t code(float value) const noexcept;
  const std::array<float, kCodes>& entries() const noexcept { return entries_; }

 private:
  std::array<float, kCodes> entries_{};  // the free ones ascend
  std::size_t first_ = 0;                // of the free ones
};

}  // namespace cosyvoice::lm
