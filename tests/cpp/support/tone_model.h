// A recogniser of tones with the engine's model contract and no inference library: what the pipeline's tests run on.
//
// Each 40 ms output frame says the loudest of eight bands ("a" … "h", each a word of its own), or blank when it is
// quiet. So a test writes audio whose words it knows: tone(3, 200 ms), silence(400 ms) … The model also checks what the
// contract promises an encoder: positions that continue, a fresh start after a reset, features that nobody changes
// while it reads them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "cosyvoice/engine.h"

namespace cosyvoice::testing {

constexpr std::uint32_t kTones = 8;
constexpr std::uint32_t kMostLate = 8;

struct ToneFaults {
  std::atomic<std::uint64_t> contract_violations{0};
  std::atomic<std::uint32_t> failing_tone{UINT32_MAX};  ///< a chunk that holds this tone fails
  std::atomic<std::uint32_t> late_frames{0};            ///< output frames (kMostLate at most) by which it answers late
};

/// chunks of 160 and 320 ms, look-ahead of one frame, 320 ms of tail padding.
Manifest tone_manifest();
std::shared_ptr<LoadedModel> make_tone_model(std::uint32_t slots, std::shared_ptr<ToneFaults> faults);

/// 16-bit audio, 16 kHz unless said otherwise.
std::vector<std::int16_t> tone(std::uint32_t which, int ms, int rate = 16000);
std::vector<std::int16_t> silence(int ms, int rate = 16000);
std::vector<std::int16_t> join(const std::vector<std::vector<std::int16_t>>& parts);
/// "a" for tone 0.
std::string tone_word(std::uint32_t which);

}  // namespace cosyvoice::testing
