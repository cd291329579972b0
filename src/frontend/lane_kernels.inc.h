// The body of every variant (see lane_kernels.h), written once over vectors of COSYVOICE_LANE_WIDTH floats.
#include "frontend/lane_kernels.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kWidth = COSYVOICE_LANE_WIDTH;
typedef float Vec __attribute__((vector_size(kWidth * sizeof(float)), may_alias));
typedef std::int32_t IntVec __attribute__((vector_size(kWidth * sizeof(float)), may_alias));
typedef float LooseVec __attribute__((vector_size(kWidth * sizeof(float)), may_alias, aligned(4)));

inline Vec load(const float* aligned) {
  return *reinterpret_cast<const Vec*>(aligned);
}
inline Vec load_loose(const float* any) {
  return *reinterpret_cast<const LooseVec*>(any);
}
inline void store(float* aligned, Vec value) {
  *reinterpret_cast<Vec*>(aligned) = value;
}
inline float* row_of(float* rows, std::size_t row) {
  return rows + row * kLaneCount;
}
inline const float* row_of(const float* rows, std::size_t row) {
  return rows + row * kLaneCount;
}

}  // namespace
}  // namespace cosyvoice

#include "frontend/lane_fft.inc.h"
#include "frontend/lane_mel.inc.h"
#include "frontend/lane_polyphase.inc.h"

namespace cosyvoice {
namespace {

void log_mel(const LogMelPlan& plan, LogMelScratch& scratch, const float* const* frames, std::size_t count,
             float* const* rows) {
  gather_frames(plan, frames, count, scratch.samples);
  for (std::size_t lane = 0; lane < count; lane += kWidth) {  // whole vectors of unused lanes are left out
    window_frames(plan, scratch.samples + lane);
    complex_fft(plan.fft_twiddles, scratch.samples + lane);
    split_spectrum(plan, scratch.samples + lane, scratch.spectrum + lane);
    // The samples are done with; their first rows take the result.
    mel_log(plan, scratch.spectrum + lane, scratch.samples + lane);
  }
  scatter_rows(plan, scratch.samples, count, rows);
}

}  // namespace

extern const LaneKernels COSYVOICE_LANE_TABLE;
const LaneKernels COSYVOICE_LANE_TABLE = {COSYVOICE_LANE_NAME, log_mel, polyphase};

}  // namespace cosyvoice
