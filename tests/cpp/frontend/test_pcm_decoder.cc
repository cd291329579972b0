#include "frontend/pcm_decoder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace cosyvoice;

namespace {

int decoded(Encoding encoding, unsigned code) {
  const auto byte = static_cast<std::byte>(code);
  float sample = 0.0F;
  decode_pcm(encoding, &byte, 1, &sample);
  return static_cast<int>(sample * 32768.0F);
}

}  // namespace

TEST_CASE("G.711 mu-law codes decode to the recommendation's values") {
  // Table 2 of G.711 in 14 bits (8031, 7775, 4191, 3999, 2079, 33, 30, 2, 0), times 4.
  CHECK(decoded(Encoding::kMulaw, 0x80) == 32124);
  CHECK(decoded(Encoding::kMulaw, 0x81) == 31100);
  CHECK(decoded(Encoding::kMulaw, 0x8F) == 16764);
  CHECK(decoded(Encoding::kMulaw, 0x90) == 15996);
  CHECK(decoded(Encoding::kMulaw, 0x9F) == 8316);
  CHECK(decoded(Encoding::kMulaw, 0xEF) == 132);
  CHECK(decoded(Encoding::kMulaw, 0xF0) == 120);
  CHECK(decoded(Encoding::kMulaw, 0xFE) == 8);
  CHECK(decoded(Encoding::kMulaw, 0xFF) == 0);
  CHECK(decoded(Encoding::kMulaw, 0x7F) == 0);
  CHECK(decoded(Encoding::kMulaw, 0x00) == -32124);
  CHECK(decoded(Encoding::kMulaw, 0x7E) == -8);
}

TEST_CASE("G.711 A-law codes decode to the recommendation's values") {
  // Table 1 of G.711 in 13 bits (4032, 3904, 2112, 66, 63, 33, 1), times 8; even bits inverted.
  CHECK(decoded(Encoding::kAlaw, 0xFF ^ 0x55) == 32256);
  CHECK(decoded(Encoding::kAlaw, 0xFE ^ 0x55) == 31232);
  CHECK(decoded(Encoding::kAlaw, 0xF0 ^ 0x55) == 16896);
  CHECK(decoded(Encoding::kAlaw, 0xA0 ^ 0x55) == 528);
  CHECK(decoded(Encoding::kAlaw, 0x9F ^ 0x55) == 504);
  CHECK(decoded(Encoding::kAlaw, 0x90 ^ 0x55) == 264);
  CHECK(decoded(Encoding::kAlaw, 0x80 ^ 0x55) == 8);
  CHECK(decoded(Encoding::kAlaw, 0x00 ^ 0x55) == -8);
  CHECK(decoded(Encoding::kAlaw, 0x7F ^ 0x55) == -32256);
}

TEST_CASE("both laws rise with their codes and are symmetric") {
  for (unsigned code = 0; code < 127; ++code) {
    CHECK(decoded(Encoding::kMulaw, code) < decoded(Encoding::kMulaw, code + 1));
    CHECK(decoded(Encoding::kMulaw, code) == -decoded(Encoding::kMulaw, code + 128));
    CHECK(decoded(Encoding::kAlaw, (code + 128) ^ 0x55U) < decoded(Encoding::kAlaw, (code + 129) ^ 0x55U));
    CHECK(decoded(Encoding::kAlaw, code ^ 0x55U) == -decoded(Encoding::kAlaw, (code + 128) ^ 0x55U));
  }
}

TEST_CASE("16-bit and float samples decode, at any address") {
  const std::int16_t words[] = {0, 1, -1, 32767, -32768, 16384};
  std::vector<std::byte> bytes(1 + sizeof(words));
  std::memcpy(bytes.data() + 1, words, sizeof(words));
  float out[6];
  decode_pcm(Encoding::kS16le, bytes.data() + 1, 6, out);
  CHECK(out[0] == 0.0F);
  CHECK(out[1] == 1.0F / 32768.0F);
  CHECK(out[2] == -1.0F / 32768.0F);
  CHECK(out[3] == 32767.0F / 32768.0F);
  CHECK(out[4] == -1.0F);
  CHECK(out[5] == 0.5F);
  float same[6];
  decode_pcm(Encoding::kF32le, reinterpret_cast<const std::byte*>(out), 6, same);
  CHECK(std::memcmp(out, same, sizeof(out)) == 0);
  CHECK(bytes_per_sample(Encoding::kS16le) == 2);
  CHECK(bytes_per_sample(Encoding::kF32le) == 4);
  CHECK(bytes_per_sample(Encoding::kMulaw) == 1);
  CHECK(bytes_per_sample(Encoding::kAlaw) == 1);
}

TEST_CASE("every 16-bit sample survives the way to float and back") {
  std::vector<std::int16_t> words, back(65536);
  for (int i = -32768; i < 32768; ++i) words.push_back(static_cast<std::int16_t>(i));
  std::vector<float> floats(words.size());
  s16_to_float(words.data(), words.size(), floats.data());
  float_to_s16(floats.data(), floats.size(), back.data());
  CHECK(words == back);
}

TEST_CASE("floats become 16-bit rounded and saturated") {
  const float in[] = {1.0F, 2.0F, -1.5F, 1.4F / 32768.0F, -1.6F / 32768.0F, 1e30F, -1e30F};
  std::int16_t out[7];
  float_to_s16(in, 7, out);
  CHECK(std::vector<std::int16_t>(out, out + 7) ==
        std::vector<std::int16_t>{32767, 32767, -32768, 1, -2, 32767, -32768});
}

TEST_CASE("a value that is not finite is seen wherever it stands") {
  for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t place = 0; place < 37; ++place) {
      std::vector<float> samples(37, std::numeric_limits<float>::max());
      CHECK(all_finite(samples.data(), samples.size()));
      samples[place] = bad;
      CHECK_FALSE(all_finite(samples.data(), samples.size()));
    }
  }
  CHECK(all_finite(nullptr, 0));
}
