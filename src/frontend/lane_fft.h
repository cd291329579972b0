// Tables of the 512-point real transform over lanes.
//
// 512 real samples are 256 complex ones (even samples real, odd ones imaginary). These go through four radix-4 passes
// in place, decimating in frequency, which leaves result k at the place whose base-4 digits are k's in reverse; a last
// pass takes results k and 256 - k, wherever they lie, and splits them into spectrum bins k and 256 - k of the real
// signal.
#pragma once

#include <cstdint>
#include <vector>

namespace cosyvoice {

struct LaneFft {
  LaneFft();
  std::vector<float> twiddles;        ///< for passes of 256, 64 and 16 points: [points / 4][w, w², w³ as (re, im)]
  std::vector<float> split_twiddles;  ///< [129][(re, im)] of exp(-2πi k / 512)
  std::vector<std::uint16_t> order;   ///< [256] place of result k
};

}  // namespace cosyvoice
