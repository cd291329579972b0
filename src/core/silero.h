// Silero's voice-activity network (MIT, docs/guides/end-pointing.md says where it comes from): windows of many sessions
// at once → the probability of speech in each. The Front-End thread alone.
//
// A row is 64 samples that were heard before and 512 new ones, at 16 kHz; a session's two states of 128 values go in
// and come out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cosyvoice {

class Silero {
 public:
  static constexpr std::uint32_t kRate = 16000;
  static constexpr std::size_t kContext = 64, kWindow = 512;
  static constexpr std::size_t kMostRows = 32;  ///< of one inference
  using State = std::array<float, 2 * 128>;

  /// Throws kModelNotFound, kInvalidModel.
  explicit Silero(const std::string& file);
  ~Silero();

  struct Row {
    const float* samples = nullptr;  ///< [kContext + kWindow]
    State* state = nullptr;          ///< advanced
    float probability = 0.0F;        ///< set
  };
  /// `count` ≤ kMostRows. False where the library failed: the states stay, the probabilities are 1.
  bool run(Row* rows, std::size_t count) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cosyvoice
