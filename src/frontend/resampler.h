// Polyphase windowed-sinc resampling, streamed, its delay compensated: output sample 0 is input time 0.
//
// A Filter (one for each pair of rates) is shared and constant; a Resampler is one session's history, owned by the Front-End thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cosyvoice {

struct ResamplerFilter;
/// Thread-safe, cached by the pair of rates. Rates 8000 to 48000 Hz.
std::shared_ptr<const ResamplerFilter> resampler_filter(std::uint32_t from_hz, std::uint32_t to_hz);

class Resampler {
 public:
  /// Largest `count` of one process() call.
  static constexpr std::size_t kMaxInput = 1024;
  /// Reserves its history once, for any pair of rates; nothing allocates afterwards.
  Resampler();
  void open(std::shared_ptr<const ResamplerFilter> filter);   ///< null: rates are equal, samples pass through; resets
  void reset() noexcept;                                       ///< a new stream: sample 0 comes next
  /// Most outputs that `count` further inputs can give.
  std::size_t max_output(std::size_t count) const noexcept;
  /// Takes all `count` inputs, writes the outputs they complete, returns how many.
  std::size_t process(const float* in, std::size_t count, float* out) noexcept;
  /// How many inputs (counted since reset) must have come for output sample `output` to be complete.
  std::uint64_t inputs_needed(std::uint64_t output) const noexcept;
  /// After `inputs` inputs in all, the number of outputs that cover the same time: ceil(inputs × to / from). Silence is fed
  /// until so many have come out (flush).
  std::uint64_t outputs_covering(std::uint64_t inputs) const noexcept;
  // ... private members are the implementer's
};

}  // namespace cosyvoice
