// Polyphase windowed-sinc resampling, streamed, its delay compensated: output sample 0 is input time 0.
//
// A filter (one for each pair of rates) is shared and constant; a Resampler is one session's history, owned by the
// Front-End thread. With to / from = L / M in lowest terms, output j lies at input time j·M / L. It is the sum over the
// inputs i within half_width of it, x[i] · h(j·M / L - i), where h is a sinc under a Kaiser window: flat up to 0.91 of
// the lower rate's Nyquist frequency, 85 dB down from that frequency on. Inputs before the first are zeros. Every
// output's sum has one order, so results are the same bits however the input is cut into calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/lane_kernels.h"

namespace cosyvoice {

struct ResamplerFilter;
/// Thread-safe, cached by the pair of rates; null where they are equal. Rates 8000 to 48000 Hz, else
/// Error(kInvalidArgument).
std::shared_ptr<const ResamplerFilter> resampler_filter(std::uint32_t from_hz, std::uint32_t to_hz);

class Resampler {
 public:
  /// Largest `count` of one process() call.
  static constexpr std::size_t kMaxInput = 1024;
  /// Reserves its history once, for any pair of rates; nothing allocates afterwards.
  Resampler();
  void open(std::shared_ptr<const ResamplerFilter> filter);  ///< null: rates are equal, samples pass through; resets
  void reset() noexcept;                                     ///< a new stream: sample 0 comes next
  /// Most outputs that `count` further inputs can give.
  std::size_t max_output(std::size_t count) const noexcept;
  /// Most inputs, kMaxInput at most, whose max_output is `room` or less.
  std::size_t inputs_fitting(std::size_t room) const noexcept;
  /// Takes all `count` inputs, writes the outputs they complete, returns how many.
  std::size_t process(const float* in, std::size_t count, float* out) noexcept;
  /// How many inputs (counted since reset) must have come for output sample `output` to be complete.
  std::uint64_t inputs_needed(std::uint64_t output) const noexcept;
  /// After `inputs` inputs in all, the number of outputs that cover the same time: ceil(inputs × to / from). Silence is
  /// fed until so many have come out (flush).
  std::uint64_t outputs_covering(std::uint64_t inputs) const noexcept;

 private:
  std::shared_ptr<const ResamplerFilter> filter_;
  std::vector<float> history_;  // the inputs that outputs still need, oldest first
  std::size_t filled_ = 0;
  PolyphasePosition position_;
};

}  // namespace cosyvoice
