#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "cosyvoice/engine.h"
#include "lm/format.h"
#include "lm/language_model.h"
#include "sample_models.h"
#include "support/temporary_directory.h"

using namespace cosyvoice::lm;
using cosyvoice::Error;
using cosyvoice::ErrorCode;
using cosyvoice::testing::compiled;
using cosyvoice::testing::kSmallArpa;

namespace {

std::string refusal(const std::string& bytes) {
  try {
    LanguageModel::view(bytes, "lm.bin");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidModel);
    return error.what();
  }
  return "";
}

template <class Change>
std::string with_header(std::string bytes, const Change& change) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

bool says(const std::string& message, const char* part) {
  CAPTURE(message);
  return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a file that ends early, or goes on, is refused at every length") {
  BuildOptions options;
  options.quantise = true;
  for (const std::string& bytes : {compiled(kSmallArpa), compiled(kSmallArpa, options)}) {
    CHECK(refusal(bytes).empty());
    for (std::size_t size = 0; size < bytes.size(); ++size) REQUIRE_FALSE(refusal(bytes.substr(0, size)).empty());
    CHECK(says(refusal(bytes.substr(0, bytes.size() - 1)), "it is only half copied or half written, copy it again"));
    CHECK(says(refusal(bytes + '\0'), ("expected " + std::to_string(bytes.size()) + " bytes, found ").c_str()));
  }
}

TEST_CASE("files of other kinds are named") {
  CHECK(says(refusal(kSmallArpa), "lm.bin: this is an ARPA file; compile it first: cosyvoice lm build"));
  CHECK(says(refusal("\x1f\x8b\x08..."), "this is a gzip file"));
  CHECK(says(refusal("mmap lm http://kheafield.com/code format version 5\n"), "this is KenLM's own format"));
  CHECK(says(refusal(""), "this is no compiled language model"));
  CHECK(says(refusal(std::string(5'000, '\0')), "this is no compiled language model"));
}

TEST_CASE("a header that cannot be true is refused") {
  const std::string bytes = compiled(kSmallArpa);
  const auto damaged = [&](auto change) { return refusal(with_header(bytes, change)); };
  CHECK(says(damaged([](Header& h) { h.version = 2; }), "expected version 1 of the format, found 2; build it again"));
  CHECK(says(damaged([](Header& h) { h.byte_order = 0x04030201; }), "expected little-endian numbers"));
  CHECK(says(damaged([](Header& h) { h.order = 0; }), "expected an order from 1 to 5, found 0"));
  CHECK(says(damaged([](Header& h) { h.order = 6; }), "expected an order from 1 to 5, found 6"));
  CHECK(says(damaged([](Header& h) { h.unit = 2; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.quantised = 2; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.ngrams[0] = 0; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.ngrams[0] = UINT64_MAX; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.ngrams[2] = kMostNgrams + 1; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.ngrams[2] = kMostNgrams; }), "half copied"));
  CHECK(says(damaged([](Header& h) { h.begin_word = 6; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.end_word = UINT32_MAX; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.text_bytes = UINT64_MAX; }), "contradict"));
  CHECK(says(damaged([](Header& h) { h.sha256.fill(0); }), "its writing was never finished"));
}

TEST_CASE("a changed byte is no error of open() but of verify()") {
  const std::string bytes = compiled(kSmallArpa);
  CHECK(LanguageModel::view(bytes, "x")->verify());
  for (std::size_t at = sizeof(Header); at < bytes.size(); at += 11) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_FALSE(LanguageModel::view(changed, "x")->verify());
  }
  std::string changed = bytes;
  changed[offsetof(Header, sha256)] = static_cast<char>(changed[offsetof(Header, sha256)] ^ 1);
  CHECK_FALSE(LanguageModel::view(changed, "x")->verify());
}

TEST_CASE("a file that is not there, and what is no file") {
  const cosyvoice::testing::TemporaryDirectory directory;
  const auto code = [](const std::string& path) {
    try {
      LanguageModel::open(path);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kOk;
  };
  CHECK(code(directory.path() + "/absent") == ErrorCode::kModelNotFound);
  CHECK(code(directory.path() + "/absent/lm.bin") == ErrorCode::kModelNotFound);
  CHECK(code(directory.path()) == ErrorCode::kInvalidModel);
  directory.write("empty", "");
  CHECK(code(directory.path() + "/empty") == ErrorCode::kInvalidModel);
}
