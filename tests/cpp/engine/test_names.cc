#include <doctest/doctest.h>

#include <set>
#include <string>

#include "cosyvoice/engine.h"

using namespace cosyvoice;

TEST_CASE("every error code has a name of its own") {
  std::set<std::string> names;
  const int last = static_cast<int>(ErrorCode::kInternal);
  for (int code = 0; code <= last; ++code) names.insert(to_string(static_cast<ErrorCode>(code)));
  CHECK(names.size() == static_cast<std::size_t>(last) + 1);
  CHECK(std::string(to_string(ErrorCode::kBufferFull)) == "buffer_full");
  CHECK(std::string(to_string(static_cast<ErrorCode>(200))) == "internal");
}

TEST_CASE("names are parsed, and an unknown one is answered with those that are known") {
  CHECK(parse_encoding("s16le") == Encoding::kS16le);
  CHECK(parse_encoding("f32le") == Encoding::kF32le);
  CHECK(parse_encoding("mulaw") == Encoding::kMulaw);
  CHECK(parse_encoding("alaw") == Encoding::kAlaw);
  CHECK(parse_priority("live") == Priority::kLive);
  CHECK(parse_priority("batch") == Priority::kBatch);
  CHECK(parse_back_pressure("block") == BackPressure::kBlock);
  CHECK(parse_back_pressure("reject") == BackPressure::kReject);
  CHECK(parse_simd("avx2") == Simd::kAvx2);
  CHECK(parse_precision("int8") == Precision::kInt8);
  CHECK(parse_log_level("warning") == LogLevel::kWarning);
  CHECK(std::string(to_string(BackPressure::kReject)) == "reject");
  CHECK(std::string(to_string(Simd::kAuto)) == "auto");
  CHECK(std::string(to_string(LogLevel::kError)) == "error");
  try {
    parse_encoding("S16LE");
    FAIL("parsed");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    CHECK(std::string(error.what()) == "encoding is 'S16LE', expected one of: s16le, f32le, mulaw, alaw");
  }
  CHECK_THROWS_AS(parse_priority(""), Error);
  CHECK_THROWS_AS(parse_back_pressure("drop"), Error);
}
