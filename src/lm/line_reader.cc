#include "lm/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cosyvoice/engine.h"

namespace cosyvoice::lm {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20U;
constexpr std::size_t kLongestLine = 1U << 16U;

}  // namespace

LineReader::LineReader(TextSource source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(kBufferBytes, '\0') {}

bool LineReader::next(std::string_view& line) {
  std::size_t scanned = begin_;
  for (;;) {
    const std::size_t end = std::string_view(buffer_.data(), end_).find('\n', scanned);
    if (end != std::string_view::npos || end_ - begin_ > kLongestLine) {
      ++number_;
      if (end == std::string_view::npos || end - begin_ > kLongestLine) {
        refuse("a line of more than " + std::to_string(kLongestLine) + " bytes; is this a text file?");
      }
      line = std::string_view(buffer_.data() + begin_, end - begin_);
      begin_ = end + 1;
      break;
    }
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    scanned = end_;
    const std::size_t got = source_(buffer_.data() + end_, buffer_.size() - end_);
    if (got == 0) {
      if (end_ == 0) return false;
      ++number_;
      line = std::string_view(buffer_.data(), end_);
      begin_ = end_;
      break;
    }
    end_ += std::min(got, buffer_.size() - end_);
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

void LineReader::refuse(const std::string& what) const {
  throw Error(ErrorCode::kInvalidModel, name_ + ":" + std::to_string(number_) + ": " + what);
}

}  // namespace cosyvoice::lm
