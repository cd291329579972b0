#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cosyvoice {

/// Index of the first byte that begins no well-formed UTF-8 character (overlong forms and surrogates are malformed);
/// text.size() when all is well.
std::size_t first_malformed_utf8(std::string_view text) noexcept;

/// `text` fit for one line of a message: at most 240 bytes, in quotes, control characters and malformed bytes as \xNN.
std::string in_quotes(std::string_view text);

}  // namespace cosyvoice
