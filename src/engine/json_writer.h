// The few pieces of JSON that events are made of. Whatever the bytes, what comes out is valid JSON in UTF-8, and
// numbers do not depend on the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cosyvoice {

/// The bytes of text as a JSON string with its quotes (RFC 8259); each maximal ill-formed piece becomes U+FFFD.
void append_json_string(std::string_view text, std::string& out);
void append_json_number(std::int64_t value, std::string& out);
void append_json_number(std::uint64_t value, std::string& out);
/// Rounded to `decimals` (0 to 6), without trailing zeros. What is not finite becomes 0, what is beyond 1e12 is held
/// there.
void append_json_number(double value, int decimals, std::string& out);

}  // namespace cosyvoice
