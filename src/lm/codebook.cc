#include "lm/codebook.h"

#include <algorithm>

namespace cosyvoice::lm {
namespace {

constexpr int kRounds = 20;  // of moving; the error hardly falls after ten

float mean(const std::vector<float>& values, std::size_t begin, std::size_t end) {
  double sum = 0.0;
  for (std::size_t i = begin; i < end; ++i) sum += static_cast<double>(values[i]);
  return static_cast<float>(sum / static_cast<double>(end - begin));
}

}  // namespace

Codebook::Codebook(std::vector<float> values, const std::vector<float>& fixed) : first_(fixed.size()) {
  std::copy(fixed.begin(), fixed.end(), entries_.begin());
  const std::size_t free = kCodes - first_;
  float* entries = entries_.data() + first_;
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < values.size(); ++i) distinct += values[i] != values[i - 1] ? 1 : 0;
  if (distinct <= free) {  // each value is an entry, nothing is lost
    float* end = std::unique_copy(values.begin(), values.end(), entries);
    std::fill(end, entries + free, values.back());
    return;
  }
  std::array<std::size_t, kCodes + 1> begin{};
  for (std::size_t i = 0; i <= free; ++i) begin[i] = values.size() * i / free;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < free; ++i) {
      if (begin[i] < begin[i + 1]) {
        entries[i] = mean(values, begin[i], begin[i + 1]);
      } else if (i > 0) {
        entries[i] = entries[i - 1];
      }
    }
    for (std::size_t i = 1; i < free; ++i) {
      const float border = entries[i - 1] + (entries[i] - entries[i - 1]) / 2;
      begin[i] = static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), border) - values.begin());
    }
  }
}

std::uint8_t Codebook::code(float value) const noexcept {
  const float* begin = entries_.data() + first_;
  const float* end = entries_.data() + kCodes;
  const float* above = std::lower_bound(begin, end, value);
  if (above == end || (above != begin && value - above[-1] <= *above - value)) --above;  // the nearer of the two
  return static_cast<std::uint8_t>(above - entries_.data());
}

}  // namespace cosyvoice::lm
