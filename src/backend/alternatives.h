// Other texts that an utterance may have been, best first, in storage of fixed size.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cosyvoice {

struct AlternativeText {
  std::uint32_t text_begin = 0, text_size = 0;  ///< in Alternatives::text()
  float confidence = 0.0F;                      ///< its share of the probability of all texts that were left
};

class Alternatives {
 public:
  static constexpr std::size_t kMost = 10;
  static constexpr std::size_t kMaxText = 2048;  ///< bytes of all of them; those beyond are left out

  Alternatives() { text_.reserve(kMaxText); }
  /// False: it does not fit.
  bool add(std::string_view text, float confidence) noexcept {
    if (count_ == kMost || text_.size() + text.size() > kMaxText) return false;
    list_[count_++] = {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size()), confidence};
    text_ += text;
    return true;
  }
  void clear() noexcept {
    text_.clear();
    count_ = 0;
  }
  std::string_view text() const noexcept { return text_; }
  const AlternativeText* data() const noexcept { return list_.data(); }
  std::size_t size() const noexcept { return count_; }
  const AlternativeText& operator[](std::size_t i) const noexcept { return list_[i]; }

 private:
  std::string text_;
  std::array<AlternativeText, kMost> list_;
  std::size_t count_ = 0;
};

}  // namespace cosyvoice
