// Lines of a text that comes in pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cosyvoice::lm {

/// Writes at most `size` bytes (never 0) to `to` and says how many; 0 at the end. What it throws goes through.
using TextSource = std::function<std::size_t(char* to, std::size_t size)>;

class LineReader {
 public:
  /// `name` stands for the text in messages.
  LineReader(TextSource source, std::string name);
  /// The next line without its end ("\n" or "\r\n"), valid until the next call; false at the end of the text.
  /// Throws Error(kInvalidModel) where a line is too long for any text.
  bool next(std::string_view& line);
  std::size_t number() const noexcept { return number_; }  ///< of the last line, from 1
  /// Throws Error(kInvalidModel): name, line, what.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  TextSource source_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer was read and not given yet
  std::size_t number_ = 0;
};

}  // namespace cosyvoice::lm
