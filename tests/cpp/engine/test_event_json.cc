#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "engine/event_json.h"
#include "engine/json_writer.h"
#include "support/allocation_counter.h"

using namespace cosyvoice;

namespace {

Event final_event() {
  Event event;
  event.type = EventType::kFinal;
  event.sid = 7;
  event.session = "desk 4";
  event.seq = 12;
  event.utterance = 3;
  event.text = "hello world";
  event.start_ms = 1'200;
  event.end_ms = 2'960;
  event.heard_ms = 5'770;
  event.words = {{"hello", 1'200, 1'480, 0.93F}, {"world", 1'500, 2'960, 0.90004F}};
  event.confidence = 0.91501F;
  event.reason = Reason::kEndpoint;
  event.delay_ms = 12.40049;
  event.model_name = "en";
  event.model_version = 4;
  return event;
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

std::string json_number(double value, int decimals) {
  std::string out;
  append_json_number(value, decimals, out);
  return out;
}

}  // namespace

TEST_CASE("a final has every field, in the order of the documentation") {
  CHECK(to_json(final_event()) ==
        R"({"schema": 1, "type": "final", "sid": 7, "session": "desk 4", "seq": 12, "utterance": 3, )"
        R"("text": "hello world", "start_ms": 1200, "end_ms": 2960, "words": [)"
        R"({"word": "hello", "start_ms": 1200, "end_ms": 1480, "confidence": 0.93}, )"
        R"({"word": "world", "start_ms": 1500, "end_ms": 2960, "confidence": 0.9}], )"
        R"("confidence": 0.915, "alternatives": [], "reason": "endpoint", "pass": 1, "ended": false, )"
        R"("heard_ms": 5770, "delay_ms": 12.4, "model": {"name": "en", "version": 4}})");
}

TEST_CASE("a partial has no reason") {
  Event event = final_event();
  event.type = EventType::kPartial;
  event.words.resize(1);
  event.text = "hello";
  CHECK(to_json(event) ==
        R"({"schema": 1, "type": "partial", "sid": 7, "session": "desk 4", "seq": 12, "utterance": 3, )"
        R"("text": "hello", "start_ms": 1200, "end_ms": 2960, "words": [)"
        R"({"word": "hello", "start_ms": 1200, "end_ms": 1480, "confidence": 0.93}], )"
        R"("confidence": 0.915, "alternatives": [], "pass": 1, "ended": false, )"
        R"("heard_ms": 5770, "delay_ms": 12.4, "model": {"name": "en", "version": 4}})");
}

TEST_CASE("an empty final that ends its session") {
  Event event;
  event.type = EventType::kFinal;
  event.sid = UINT64_MAX;
  event.seq = 1;
  event.reason = Reason::kFinish;
  event.pass = 2;
  event.ended = true;
  event.model_name = "en-lite";
  event.model_version = 1;
  CHECK(
      to_json(event) ==
      R"({"schema": 1, "type": "final", "sid": 18446744073709551615, "session": "", "seq": 1, "utterance": 0, )"
      R"("text": "", "start_ms": 0, "end_ms": 0, "words": [], "confidence": 0, "alternatives": [], )"
      R"("reason": "finish", "pass": 2, "ended": true, "heard_ms": 0, "delay_ms": 0, "model": {"name": "en-lite", "version": 1}})");
}

TEST_CASE("an error carries code and message, and no words") {
  Event event = final_event();
  event.type = EventType::kError;
  event.code = ErrorCode::kInferenceFailed;
  event.text = "the network \"en\" failed";
  event.reason = Reason::kError;
  event.ended = true;
  CHECK(to_json(event) == R"({"schema": 1, "type": "error", "sid": 7, "session": "desk 4", "seq": 12, "utterance": 3, )"
                          R"("code": "inference_failed", "message": "the network \"en\" failed", "ended": true, )"
                          R"("model": {"name": "en", "version": 4}})");
}

TEST_CASE("dropped audio carries its times and why") {
  Event event = final_event();
  event.type = EventType::kDropped;
  event.reason = Reason::kReset;
  CHECK(to_json(event) ==
        R"({"schema": 1, "type": "dropped", "sid": 7, "session": "desk 4", "seq": 12, "utterance": 3, )"
        R"("start_ms": 1200, "end_ms": 2960, "reason": "reset", "ended": false, )"
        R"("model": {"name": "en", "version": 4}})");
}

TEST_CASE("every reason has its name") {
  const std::pair<Reason, const char*> names[] = {{Reason::kEndpoint, "endpoint"},    {Reason::kFinish, "finish"},
                                                  {Reason::kMaxLength, "max_length"}, {Reason::kReset, "reset"},
                                                  {Reason::kClose, "close"},          {Reason::kError, "error"}};
  for (const auto& [reason, name] : names) {
    Event event = final_event();
    event.reason = reason;
    CHECK(to_json(event).find("\"reason\": \"" + std::string(name) + "\"") != std::string::npos);
  }
}

TEST_CASE("strings are escaped as RFC 8259 asks") {
  CHECK(json_string("") == R"("")");
  CHECK(json_string("a\"b\\c/d") == R"("a\"b\\c/d")");
  CHECK(json_string("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(json_string(std::string_view("\0\x01\x1F\x7F", 4)) == "\"\\u0000\\u0001\\u001f\x7F\"");
  CHECK(json_string("größer 中文 😀") == "\"größer 中文 😀\"");
}

TEST_CASE("ill-formed UTF-8 becomes U+FFFD, one for each maximal piece") {
  const struct {
    std::string_view bytes, expected;
  } rows[] = {
      {"a\x80z", "\"a\uFFFDz\""},                            // a lone continuation
      {"a\xC3", "\"a\uFFFD\""},                              // cut at the end
      {"\xC3(", "\"\uFFFD(\""},                              // cut by another character
      {"\xC0\xAF", "\"\uFFFD\uFFFD\""},                      // overlong
      {"\xE0\x80\x80", "\"\uFFFD\uFFFD\uFFFD\""},            // overlong
      {"\xED\xA0\x80", "\"\uFFFD\uFFFD\uFFFD\""},            // a surrogate
      {"\xF4\x90\x80\x80", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},  // beyond U+10FFFF
      {"\xF0\x9F\x98", "\"\uFFFD\""},                        // three bytes of four
      {"\xF0\x9F\x98\"", "\"\uFFFD\\\"\""},                  // the quote is still escaped
      {"\xE4\xB8\xE4\xB8\xAD", "\"\uFFFD中\""},              // a whole one after a cut one
      {"\xFF\xFE", "\"\uFFFD\uFFFD\""},                      // never valid
  };
  for (const auto& row : rows) CHECK(json_string(row.bytes) == row.expected);
}

TEST_CASE("whatever the bytes, the string has no raw control character, quote or ill-formed sequence") {
  std::mt19937 random(2);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes(random() % 20, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 3 == 0 ? random() % 128 : 128 + random() % 128);
    const std::string once = json_string(bytes);
    REQUIRE(once.size() >= 2);
    const std::string inside = once.substr(1, once.size() - 2);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      REQUIRE(static_cast<unsigned char>(inside[i]) >= 0x20);
      REQUIRE(inside[i] != '"');
      if (inside[i] == '\\') ++i;
    }
    // What came out is well-formed: writing it again changes only the escapes' backslashes and quotes.
    std::string again = json_string(inside), undone;
    for (std::size_t i = 1; i + 1 < again.size(); ++i) {
      if (again[i] == '\\') ++i;
      undone += again[i];
    }
    REQUIRE(undone == inside);
  }
}

TEST_CASE("numbers are rounded, finite and without an exponent") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(json_number(0.0, 4) == "0");
  CHECK(json_number(-0.0, 4) == "0");
  CHECK(json_number(-0.00001, 4) == "0");
  CHECK(json_number(1.0, 4) == "1");
  CHECK(json_number(0.00006, 4) == "0.0001");
  CHECK(json_number(0.99996, 4) == "1");
  CHECK(json_number(0.12345678, 4) == "0.1235");
  CHECK(json_number(1234567.8916, 3) == "1234567.892");
  CHECK(json_number(-1.5, 3) == "-1.5");
  CHECK(json_number(100.0, 0) == "100");
  CHECK(json_number(std::nan(""), 4) == "0");
  CHECK(json_number(infinity, 4) == "0");
  CHECK(json_number(1e300, 3) == "1000000000000");
  CHECK(json_number(-1e300, 3) == "-1000000000000");
  CHECK(json_number(123456789012.123456, 6).substr(0, 16) == "123456789012.123");
}

TEST_CASE("numbers do not depend on the locale") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_NUMERIC, name) != nullptr) CHECK(json_number(1234.5, 3) == "1234.5");
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("a string used again is appended to, and does not allocate") {
  const Event event = final_event();
  std::string out = "x";
  append_json(event, out);
  CHECK(out == "x" + to_json(event));
  const std::uint64_t before = testing::allocations_of_this_thread();
  out.clear();
  append_json(event, out);
  CHECK(testing::allocations_of_this_thread() == before);
}
