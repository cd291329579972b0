// What a back-off n-gram model remembers of a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cosyvoice::lm {

using WordId = std::uint32_t;  ///< of one model; another model, or another version of it, has other ids
inline constexpr WordId kUnknown = 0;
inline constexpr int kMaxOrder = 5;

/// The shortest history that still matters to what follows: two sentences of equal state get equal scores from here on.
/// Made by LanguageModel alone; of one model. The empty state has no history, not even the start of a sentence.
struct State {
  std::array<WordId, kMaxOrder - 1> words{};   ///< the latest first; 0 from `length` on
  std::array<float, kMaxOrder - 1> backoff{};  ///< log10, of the latest 1, 2 … words; they follow from `words`
  std::uint8_t length = 0;

  friend bool operator==(const State& a, const State& b) noexcept { return a.length == b.length && a.words == b.words; }
  friend bool operator!=(const State& a, const State& b) noexcept { return !(a == b); }
};

}  // namespace cosyvoice::lm

template <>
struct std::hash<cosyvoice::lm::State> {
  std::size_t operator()(const cosyvoice::lm::State& state) const noexcept {
    std::uint64_t mixed = state.length;
    for (const cosyvoice::lm::WordId word : state.words) {
      mixed = (mixed ^ word) * 0x9E3779B97F4A7C15U;
      mixed ^= mixed >> 32U;
    }
    return static_cast<std::size_t>(mixed);
  }
};
