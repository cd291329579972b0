// Part of lane_kernels.inc.h: what comes before the transform (window) and after it (mel filters, logarithm).

namespace cosyvoice {
namespace {

/// Lays the frames side by side; lanes without a frame are zeros.
inline void gather_frames(const LogMelPlan& plan, const float* const* frames, std::size_t count, float* samples) {
  for (std::size_t lane = 0; lane < count; ++lane) {
    const float* frame = frames[lane];
    for (std::size_t i = 0; i < plan.window; ++i) samples[i * kLaneCount + lane] = frame[i];
  }
  for (std::size_t lane = count; lane % kWidth != 0; ++lane) {
    for (std::size_t i = 0; i < plan.window; ++i) samples[i * kLaneCount + lane] = 0.0F;
  }
}

/// Mean, pre-emphasis and window in place, then zeros up to the transform's length.
inline void window_frames(const LogMelPlan& plan, float* samples) {
  Vec mean = {};
  if (plan.remove_dc) {
    for (std::size_t i = 0; i < plan.window; ++i) mean += load(row_of(samples, i));
    mean /= static_cast<float>(plan.window);
  }
  Vec before = load(samples) - mean;
  for (std::size_t i = 0; i < plan.window; ++i) {
    const Vec sample = load(row_of(samples, i)) - mean;
    store(row_of(samples, i), (sample - plan.pre_emphasis * before) * plan.window_weights[i]);
    before = sample;
  }
  for (std::size_t i = plan.window; i < kFftSize; ++i) store(row_of(samples, i), Vec{});
}

/// Natural logarithm of normal positive floats, within 2 units in the last place of max(1, |result|).
inline Vec natural_log(Vec x) {
  // x = m · 2^e with m in [√½, √2): then ln x = e ln 2 + 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172, and the first
  // term left out of artanh's series is below 1e-9.
  constexpr std::int32_t kRootHalf = 0x3F3504F3;
  const IntVec bits = reinterpret_cast<IntVec&>(x);
  const IntVec exponent = (bits - kRootHalf) >> 23;
  IntVec mantissa_bits = bits - (exponent << 23);
  const Vec mantissa = reinterpret_cast<Vec&>(mantissa_bits);
  const Vec s = (mantissa - 1.0F) / (mantissa + 1.0F);
  const Vec s2 = s * s;
  const Vec series = s2 * (0.333333333F + s2 * (0.2F + s2 * (0.142857143F + s2 * 0.111111111F)));
  const Vec e = __builtin_convertvector(exponent, Vec);
  return e * 0.693147181F + (s + s * series) * 2.0F;
}

/// Spectrum → [bins] rows of finished features.
inline void mel_log(const LogMelPlan& plan, const float* spectrum, float* features) {
  for (std::size_t bin = 0; bin < plan.bins; ++bin) {
    const MelFilter& filter = plan.filters[bin];
    const float* weights = plan.mel_weights + filter.offset;
    const float* first = row_of(spectrum, filter.first);
    Vec mel = {};
    for (std::size_t k = 0; k < filter.count; ++k) mel += weights[k] * load(row_of(first, k));
    mel = mel > plan.floor ? mel : Vec{} + plan.floor;
    Vec y = natural_log(mel) * plan.log_scale + plan.log_offset;
    if (plan.cmvn_mean != nullptr) y = (y - plan.cmvn_mean[bin]) * plan.cmvn_inverse_deviation[bin];
    store(row_of(features, bin), y);
  }
}

inline void scatter_rows(const LogMelPlan& plan, const float* features, std::size_t count, float* const* rows) {
  for (std::size_t lane = 0; lane < count; ++lane) {
    float* row = rows[lane];
    for (std::size_t bin = 0; bin < plan.bins; ++bin) row[bin] = features[bin * kLaneCount + lane];
  }
}

}  // namespace
}  // namespace cosyvoice
