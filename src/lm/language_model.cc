#include "lm/language_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bundle/sha256.h"
#include "lm/header_check.h"
#include "lm/level.h"
#include "lm/word_table.h"
#include "runtime/mapped_file.h"

namespace cosyvoice::lm {
namespace {

constexpr float kLowest = -100.0F;  // log10: what a damaged file's infinities and NaN become

/// Whether a history that ends in an n-gram of this back-off must be remembered (format.h).
bool matters(float backoff) noexcept {
  return backoff != 0.0F || !std::signbit(backoff);
}

std::string_view text_of(const MappedFile& file) noexcept {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

Facts facts_of(const Header& header, std::uint64_t bytes) {
  Facts facts;
  facts.order = static_cast<int>(header.order);
  std::copy_n(header.ngrams.begin(), header.order, facts.ngrams.begin());
  facts.unit = static_cast<Unit>(header.unit);
  const auto& hash = header.tokens_sha256;
  if (std::any_of(hash.begin(), hash.end(), [](std::uint8_t byte) { return byte != 0; })) {
    facts.tokens_sha256 = hexadecimal(hash);
  }
  facts.quantised = header.quantised != 0;
  facts.unknown_missing = header.unknown_missing != 0;
  facts.bytes = bytes;
  return facts;
}

}  // namespace

struct LanguageModel::Parts {
  explicit Parts(const std::string& at) : Parts(MappedFile(at), {}, at) {}
  Parts(MappedFile mapped, std::string_view memory, const std::string& at)
      : path(at),
        file(std::move(mapped)),
        bytes(file.data() == nullptr ? memory : text_of(file)),
        header(checked_header(bytes, path)) {
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    const Layout layout(header);
    for (std::size_t i = 0; i < header.order; ++i) {
      const bool coded = header.quantised != 0 && i != 0;
      const std::byte* codebook = data + layout.codebooks + (coded ? codebook_floats(i) * sizeof(float) : 0);
      levels[i] = Level(data, layout.levels[i], coded ? codebook : nullptr);
    }
    words =
        WordTable(data + layout.offsets, data + layout.texts, header.text_bytes, static_cast<WordId>(header.ngrams[0]));
    facts = facts_of(header, bytes.size());
    score(State(), header.begin_word, begin);
  }

  float score(const State& from, WordId word, State& to) const noexcept;

  std::string path;
  MappedFile file;
  std::string_view bytes;  // all of the model
  Header header;
  std::array<Level, kMaxOrder> levels{};
  WordTable words;
  Facts facts;
  State begin;
};

float LanguageModel::Parts::score(const State& from, WordId word, State& to) const noexcept {
  const std::size_t order = header.order;
  const std::size_t length = std::min<std::size_t>(from.length, order - 1);
  if (word >= words.size()) word = kUnknown;
  State next;
  Level::Entry entry;
  std::uint64_t place = word;
  std::size_t matched = 0;  // words of the n-gram that was found, `word` among them
  for (;;) {
    entry = levels[matched].at(place);
    if (matched + 1 < order) {
      next.words[matched] = matched == 0 ? word : from.words[matched - 1];
      next.backoff[matched] = entry.backoff;
      if (matters(entry.backoff)) next.length = static_cast<std::uint8_t>(matched + 1);
    }
    ++matched;
    if (matched > length) break;
    place = levels[matched].find(entry.first, entry.last, from.words[matched - 1]);
    if (place == levels[matched].count()) break;
  }
  float sum = entry.probability;
  for (std::size_t i = matched; i <= length; ++i) sum += from.backoff[i - 1];
  std::fill(next.words.begin() + next.length, next.words.end(), kUnknown);
  std::fill(next.backoff.begin() + next.length, next.backoff.end(), 0.0F);
  to = next;
  return std::isfinite(sum) ? sum : kLowest;
}

LanguageModel::LanguageModel(std::unique_ptr<const Parts> parts) noexcept : parts_(std::move(parts)) {}
LanguageModel::~LanguageModel() = default;

std::shared_ptr<const LanguageModel> LanguageModel::open(const std::string& path) {
  return std::shared_ptr<const LanguageModel>(new LanguageModel(std::make_unique<const Parts>(path)));
}

std::shared_ptr<const LanguageModel> LanguageModel::view(std::string_view bytes, const std::string& name) {
  return std::shared_ptr<const LanguageModel>(
      new LanguageModel(std::make_unique<const Parts>(MappedFile(), bytes, name)));
}

WordId LanguageModel::find(std::string_view word) const noexcept {
  const WordId id = parts_->words.lower_bound(word, std::string_view::npos, false);
  return id < words() && parts_->words.text(id) == word ? id : kUnknown;
}

std::string_view LanguageModel::word(WordId id) const noexcept {
  return parts_->words.text(id);
}

WordId LanguageModel::words() const noexcept {
  return parts_->words.size();
}

LanguageModel::Range LanguageModel::with_prefix(std::string_view prefix) const noexcept {
  const WordTable& table = parts_->words;
  return {table.lower_bound(prefix, prefix.size(), false), table.lower_bound(prefix, prefix.size(), true)};
}

State LanguageModel::begin() const noexcept {
  return parts_->begin;
}

float LanguageModel::score(const State& from, WordId word, State& to) const noexcept {
  return parts_->score(from, word, to);
}

float LanguageModel::end(const State& from) const noexcept {
  State ignored;
  return parts_->score(from, parts_->header.end_word, ignored);
}

bool LanguageModel::verify() const {
  const std::string_view hashed = parts_->bytes.substr(kHashedFrom);
  return sha256_of_bytes(hashed.data(), hashed.size()) == parts_->header.sha256;
}

const Facts& LanguageModel::facts() const noexcept {
  return parts_->facts;
}

const std::string& LanguageModel::path() const noexcept {
  return parts_->path;
}

}  // namespace cosyvoice::lm
