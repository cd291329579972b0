// Part of lane_kernels.inc.h: the resampler's dot products.

namespace cosyvoice {
namespace {

/// The order of the sum depends on `taps` alone, never on where `x` lies.
inline float dot(const float* coefficients, const float* x, std::size_t taps) {
  constexpr std::size_t kParts = kTapBlock / kWidth;
  Vec sums[kParts] = {};
  for (std::size_t k = 0; k < taps; k += kTapBlock) {
    for (std::size_t p = 0; p < kParts; ++p) {
      sums[p] += load_loose(coefficients + k + p * kWidth) * load_loose(x + k + p * kWidth);
    }
  }
  for (std::size_t p = 1; p < kParts; ++p) sums[0] += sums[p];
  float sum = 0.0F;
  for (std::size_t i = 0; i < kWidth; ++i) sum += sums[0][i];
  return sum;
}

std::size_t polyphase(const PolyphasePlan& plan, const float* history, std::size_t filled, PolyphasePosition& position,
                      float* out) {
  const std::uint32_t whole = plan.step / plan.phases, rest = plan.step % plan.phases;
  std::size_t start = position.start, written = 0;
  std::uint32_t phase = position.phase;
  while (start + plan.taps <= filled) {
    out[written++] = dot(plan.coefficients + phase * plan.taps, history + start, plan.taps);
    start += whole;
    phase += rest;
    if (phase >= plan.phases) {
      phase -= plan.phases;
      ++start;
    }
  }
  position = {start, phase};
  return written;
}

}  // namespace
}  // namespace cosyvoice
