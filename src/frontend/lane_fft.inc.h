// Part of lane_kernels.inc.h: the transform that lane_fft.h describes, over kWidth lanes.

namespace cosyvoice {
namespace {

struct Complex {
  Vec re, im;
};

inline Complex load_complex(const float* samples, std::size_t index) {
  return {load(row_of(samples, 2 * index)), load(row_of(samples, 2 * index + 1))};
}
inline void store_complex(float* samples, std::size_t index, Complex value) {
  store(row_of(samples, 2 * index), value.re);
  store(row_of(samples, 2 * index + 1), value.im);
}
inline Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
inline Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
/// b turned by -90°, that is times -i.
inline Complex turned(Complex b) {
  return {b.im, -b.re};
}
/// Times the root at w = (re, im), the same in every lane.
inline Complex times(Complex a, const float* w) {
  return {a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
}

struct Butterfly {
  Complex y0, y1, y2, y3;
};
inline Butterfly butterfly(Complex a, Complex b, Complex c, Complex d) {
  const Complex s0 = a + c, s1 = a - c, s2 = b + d, s3 = turned(b - d);
  return {s0 + s2, s1 + s3, s0 - s2, s1 - s3};
}

/// In place; result k lies at order[k].
inline void complex_fft(const float* twiddles, float* samples) {
  constexpr std::size_t kPoints = kFftSize / 2;
  for (std::size_t points = kPoints; points > 4; points /= 4) {
    const std::size_t quarter = points / 4;
    for (std::size_t n = 0; n < quarter; ++n, twiddles += 6) {
      for (std::size_t i = n; i < kPoints; i += points) {
        const Butterfly y = butterfly(load_complex(samples, i), load_complex(samples, i + quarter),
                                      load_complex(samples, i + 2 * quarter), load_complex(samples, i + 3 * quarter));
        store_complex(samples, i, y.y0);
        store_complex(samples, i + quarter, times(y.y1, twiddles));
        store_complex(samples, i + 2 * quarter, times(y.y2, twiddles + 2));
        store_complex(samples, i + 3 * quarter, times(y.y3, twiddles + 4));
      }
    }
  }
  for (std::size_t i = 0; i < kPoints; i += 4) {
    const Butterfly y = butterfly(load_complex(samples, i), load_complex(samples, i + 1), load_complex(samples, i + 2),
                                  load_complex(samples, i + 3));
    store_complex(samples, i, y.y0);
    store_complex(samples, i + 1, y.y1);
    store_complex(samples, i + 2, y.y2);
    store_complex(samples, i + 3, y.y3);
  }
}

inline Vec square_root(Vec value) {
  Vec root;
  for (std::size_t i = 0; i < kWidth; ++i) root[i] = __builtin_sqrtf(value[i]);
  return root;
}

/// Power or magnitude of the real signal's 257 bins, from its 256-point transform.
inline void split_spectrum(const LogMelPlan& plan, const float* samples, float* spectrum) {
  constexpr std::size_t kPoints = kFftSize / 2;
  const Complex zero = load_complex(samples, plan.fft_order[0]);
  const Vec sum = zero.re + zero.im, difference = zero.re - zero.im;
  store(row_of(spectrum, 0), sum * sum);
  store(row_of(spectrum, kPoints), difference * difference);
  for (std::size_t k = 1; k <= kPoints / 2; ++k) {
    const Complex a = load_complex(samples, plan.fft_order[k]);
    const Complex b = load_complex(samples, plan.fft_order[kPoints - k]);
    // Even samples' transform E = (a + b*) / 2, odd samples' O = -i (a - b*) / 2; bin k is E + w O, bin 256 - k (E - w
    // O)*.
    const Complex even = {(a.re + b.re) * 0.5F, (a.im - b.im) * 0.5F};
    const Complex odd = {(a.im + b.im) * 0.5F, (b.re - a.re) * 0.5F};
    const Complex shifted = times(odd, plan.split_twiddles + 2 * k);
    const Complex low = even + shifted, high = even - shifted;
    store(row_of(spectrum, k), low.re * low.re + low.im * low.im);
    store(row_of(spectrum, kPoints - k), high.re * high.re + high.im * high.im);
  }
  if (plan.magnitude) {
    for (std::size_t k = 0; k < kSpectrumBins; ++k) store(row_of(spectrum, k), square_root(load(row_of(spectrum, k))));
  }
}

}  // namespace
}  // namespace cosyvoice
