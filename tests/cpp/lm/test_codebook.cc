#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "lm/bit_writer.h"
#include "lm/codebook.h"

using namespace cosyvoice::lm;

TEST_CASE("256 values or fewer are kept as they are") {
  std::vector<float> values;
  for (int i = 0; i < 256; ++i) values.push_back(static_cast<float>(i * i) / -1000.0F);
  const Codebook book(values);
  for (const float value : values) CHECK(book.entries()[book.code(value)] == value);
  const Codebook one({-3.0F, -3.0F});
  CHECK(one.entries()[one.code(-3.0F)] == -3.0F);
  CHECK(Codebook({}).code(-1.0F) < kCodes);
}

TEST_CASE("fixed entries stay first and are never the nearest") {
  const Codebook book({0.001F, -1.0F}, {-0.0F, 0.0F});
  CHECK(std::signbit(book.entries()[0]));
  CHECK(book.entries()[1] == 0.0F);
  CHECK(book.code(0.0F) >= 2);
  CHECK(book.entries()[book.code(0.0F)] == 0.001F);
}

TEST_CASE("of many values each gets the nearest entry") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(-3.0F, 1.0F);
  std::vector<float> values(20'000);
  for (float& value : values) value = normal(random);
  const Codebook book(values, {-0.0F, 0.0F});
  std::set<std::uint8_t> used;
  double sum = 0.0;
  for (const float value : values) {
    const std::uint8_t code = book.code(value);
    used.insert(code);
    const float error = std::abs(value - book.entries()[code]);
    for (std::size_t i = 2; i < kCodes; ++i) REQUIRE(error <= std::abs(value - book.entries()[i]));
    sum += static_cast<double>(error);
  }
  CHECK(used.size() > 240);
  CHECK(sum / 20'000 < 0.008);  // six standard deviations in 254 steps: a quarter of a step is 0.006
}

TEST_CASE("bits come back as they were written, at every offset and width") {
  std::mt19937_64 random(4);
  std::vector<std::pair<std::uint64_t, unsigned>> fields;
  std::string bytes;
  BitWriter writer(bytes);
  for (int i = 0; i < 2'000; ++i) {
    const auto width = static_cast<unsigned>(random() % (kWidestField + 1));
    fields.emplace_back(random() & mask_of(width), width);
    writer.put(fields.back().first, width);
  }
  writer.finish();
  bytes.append(kLoadBytes, '\xff');
  std::uint64_t at = 0;
  for (const auto& [value, width] : fields) {
    REQUIRE(load_bits(reinterpret_cast<const std::byte*>(bytes.data()), at, width) == value);
    at += width;
  }
  CHECK((at + 7) / 8 + kLoadBytes == bytes.size());
  for (const unsigned width : {0U, 1U, 2U, 31U, 32U, 40U}) {
    CHECK(bits_for(mask_of(width)) == width);
    CHECK(bits_for(mask_of(width) + 1) == width + 1);
  }
}
