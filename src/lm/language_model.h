// A compiled back-off n-gram model: a file that is mapped, never read whole, and shared between processes.
//
// `cosyvoice lm build` writes it (lm/build.h); lm/format.h has a picture of its bytes. Any number of threads may ask
// one model; no call allocates once it is open. All probabilities are log10, as in ARPA files.
//
// open() looks at the first pages alone, so it takes no longer for a large file. Whatever the rest of the file holds,
// no call reads outside it and every score is finite; whether the scores are those that were written is what verify()
// says. To replace a file that may be open, write another and rename it, as the builder does: bytes that change or
// vanish under a mapping would end the process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lm/state.h"

namespace cosyvoice::lm {

/// What the "words" of a model are.
enum class Unit : std::uint8_t {
  kWord,  ///< words as a transcript shows them
  kToken  ///< pieces of a bundle's tokens.txt, for languages without spaces
};

struct Facts {
  int order = 0;                                  ///< 1 to kMaxOrder
  std::array<std::uint64_t, kMaxOrder> ngrams{};  ///< of each order, the file's own beside what back-off added
  Unit unit = Unit::kWord;
  std::string tokens_sha256;  ///< of the tokens.txt that it was built for, 64 hexadecimal digits; empty: none was given
  bool quantised = false;     ///< probabilities of order 2 and more are one of 256
  bool unknown_missing = false;  ///< the ARPA file had no <unk>: an unknown word has log10 P = -100
  std::uint64_t bytes = 0;       ///< of the file
};

class LanguageModel {
 public:
  /// Throws Error: kModelNotFound where there is no such file, kInvalidModel where it is no model of this version.
  static std::shared_ptr<const LanguageModel> open(const std::string& path);
  /// The same for a model that is in memory, which must outlive it; `name` is its path() and what messages call it.
  static std::shared_ptr<const LanguageModel> view(std::string_view bytes, const std::string& name);
  ~LanguageModel();
  LanguageModel(const LanguageModel&) = delete;
  LanguageModel& operator=(const LanguageModel&) = delete;

  /// kUnknown where the model does not have the word.
  WordId find(std::string_view word) const noexcept;
  /// "" for an id that is not below words().
  std::string_view word(WordId id) const noexcept;
  /// How many ids there are, from 0; all but kUnknown are in the order of the words' bytes.
  WordId words() const noexcept;
  /// The words that begin with `prefix`: ids from `first`, below `last`. <s> and </s> count as words.
  struct Range {
    WordId first = 0, last = 0;
  };
  Range with_prefix(std::string_view prefix) const noexcept;

  /// The start of a sentence.
  State begin() const noexcept;
  /// log10 P(word | from), back-off included; `to` is the history after it, and may be `from` itself.
  float score(const State& from, WordId word, State& to) const noexcept;
  /// log10 P(</s> | from).
  float end(const State& from) const noexcept;

  /// Whether the file is what was written, by its SHA-256. Reads all of it: for a thread that may wait.
  bool verify() const;

  const Facts& facts() const noexcept;
  const std::string& path() const noexcept;

 private:
  struct Parts;
  explicit LanguageModel(std::unique_ptr<const Parts> parts) noexcept;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace cosyvoice::lm
