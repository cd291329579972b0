#include "lm/header_check.h"

#include <algorithm>
#include <cstring>

#include "cosyvoice/engine.h"

namespace cosyvoice::lm {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::kInvalidModel, name + ": " + what);
}

/// What a file that is none of ours seems to be.
std::string guess(std::string_view start) {
  const std::string build = "compile it first: cosyvoice lm build IN.arpa OUT.bin";
  if (start.find("\\data\\") != std::string_view::npos) return "this is an ARPA file; " + build;
  if (start.substr(0, 2) == "\x1f\x8b") return "this is a gzip file; if an ARPA file is in it, " + build;
  if (start.substr(0, 15) == "mmap lm http://") return "this is KenLM's own format; " + build + " from its ARPA file";
  return "this is no compiled language model; " + build;
}

}  // namespace

Header checked_header(std::string_view bytes, const std::string& name) {
  const std::string half = "; it is only half copied or half written, copy it again";
  if (bytes.substr(0, kMagic.size()) != std::string_view(kMagic.data(), kMagic.size())) {
    refuse(name, guess(bytes.substr(0, 4096)));
  }
  if (bytes.size() < sizeof(Header)) {
    refuse(name, "expected at least " + std::to_string(sizeof(Header)) + " bytes, found " +
                     std::to_string(bytes.size()) + half);
  }
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kVersion) {
    refuse(name, "expected version " + std::to_string(kVersion) + " of the format, found " +
                     std::to_string(header.version) + "; build it again with this version's `cosyvoice lm build`");
  }
  const std::string damaged = ": the header is damaged; copy the file again, or build it again";
  if (header.byte_order != kByteOrder) refuse(name, "expected little-endian numbers" + damaged);
  if (header.order < 1 || header.order > kMaxOrder) {
    refuse(name, "expected an order from 1 to " + std::to_string(kMaxOrder) + ", found " +
                     std::to_string(header.order) + damaged);
  }
  const bool sane =
      header.unit <= 1 && header.quantised <= 1 && header.unknown_missing <= 1 && header.ngrams[0] >= 1 &&
      header.ngrams[0] <= kMostWords && header.begin_word < header.ngrams[0] && header.end_word < header.ngrams[0] &&
      header.text_bytes < (std::uint64_t{1} << 32U) &&
      std::all_of(header.ngrams.begin(), header.ngrams.end(), [](std::uint64_t count) { return count <= kMostNgrams; });
  if (!sane) refuse(name, "its counts contradict each other" + damaged);
  const std::uint64_t expected = Layout(header).file_bytes;
  if (expected != bytes.size()) {
    refuse(name, "expected " + std::to_string(expected) + " bytes, found " + std::to_string(bytes.size()) + half);
  }
  if (std::all_of(header.sha256.begin(), header.sha256.end(), [](std::uint8_t byte) { return byte == 0; })) {
    refuse(name, "its writing was never finished; build it again");
  }
  return header;
}

}  // namespace cosyvoice::lm
