#include "lm/write.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "bundle/sha256.h"
#include "cosyvoice/engine.h"
#include "lm/bit_writer.h"
#include "lm/codebook.h"
#include "lm/format.h"
#include "runtime/mapped_file.h"
#include "runtime/new_file.h"

namespace cosyvoice::lm {
namespace {

constexpr std::size_t kPieceBytes = 1U << 20U;
constexpr std::uint8_t kNothingFollows = 0, kNothingPaid = 1;  // codes of the back-offs -0.0 and +0.0

template <class Pod>
std::string_view bytes_of(const Pod& value, std::size_t count = 1) {
  return {reinterpret_cast<const char*>(&value), count * sizeof value};
}

/// How the back-off is stored: -0.0 where nothing follows the n-gram and nothing is paid.
float stored_backoff(const Ngram& ngram) noexcept {
  if (ngram.backoff != 0.0F) return ngram.backoff;
  return ngram.extends ? 0.0F : -0.0F;
}

struct Codebooks {
  explicit Codebooks(const std::vector<Ngram>& ngrams)
      : probability(probabilities(ngrams)), backoff(backoffs(ngrams), {-0.0F, 0.0F}) {}

  static std::vector<float> probabilities(const std::vector<Ngram>& ngrams) {
    std::vector<float> values;
    values.reserve(ngrams.size());
    for (const Ngram& ngram : ngrams) values.push_back(ngram.probability);
    return values;
  }

  static std::vector<float> backoffs(const std::vector<Ngram>& ngrams) {
    std::vector<float> values;
    for (const Ngram& ngram : ngrams) {
      if (ngram.backoff != 0.0F) values.push_back(ngram.backoff);
    }
    return values;
  }

  std::uint8_t backoff_code(const Ngram& ngram) const noexcept {
    if (ngram.backoff != 0.0F) return backoff.code(ngram.backoff);
    return ngram.extends ? kNothingPaid : kNothingFollows;
  }

  Codebook probability, backoff;
};

class Writer {
 public:
  Writer(const Ngrams& model, const std::string& out, const BuildOptions& options)
      : model_(model), header_(header_of(model, options)), layout_(header_), file_(out) {}

  void write() {
    file_.append(bytes_of(header_));
    std::vector<std::optional<Codebooks>> books(header_.order);
    if (header_.quantised != 0) write_codebooks(books);
    for (std::size_t i = 0; i < header_.order; ++i) write_level(i, books[i]);
    write_words();
    const MappedFile written(file_.unfinished());
    const Sha256 digest = sha256_of_bytes(written.data() + kHashedFrom, written.size() - kHashedFrom);
    file_.overwrite(offsetof(Header, sha256), bytes_of(digest));
    file_.put_in_place();
  }

 private:
  static Header header_of(const Ngrams& model, const BuildOptions& options) {
    Header header;
    header.magic = kMagic;
    header.version = kVersion;
    header.byte_order = kByteOrder;
    header.order = static_cast<std::uint32_t>(model.order);
    header.unit = static_cast<std::uint32_t>(options.unit);
    header.quantised = options.quantise ? 1 : 0;
    header.unknown_missing = model.unknown_missing ? 1 : 0;
    header.begin_word = model.begin_word;
    header.end_word = model.end_word;
    for (std::size_t i = 0; i < header.order; ++i) header.ngrams[i] = model.of_order[i].size();
    for (const std::string& word : model.words) header.text_bytes += word.size();
    if (header.text_bytes >> 32U != 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  "the words have " + std::to_string(header.text_bytes) + " bytes of text; 4294967295 are possible");
    }
    if (!options.tokens_path.empty()) {
      const MappedFile tokens(options.tokens_path);
      header.tokens_sha256 = sha256_of_bytes(tokens.data(), tokens.size());
    }
    return header;
  }

  void write_codebooks(std::vector<std::optional<Codebooks>>& books) {
    for (std::size_t i = 1; i < books.size(); ++i) {
      books[i].emplace(model_.of_order[i]);
      file_.append(bytes_of(books[i]->probability.entries()));
      file_.append(bytes_of(books[i]->backoff.entries()));
    }
  }

  void write_level(std::size_t i, const std::optional<Codebooks>& books) {
    const LevelLayout& level = layout_.levels[i];
    const std::vector<Ngram>* below = i + 1 < header_.order ? &model_.of_order[i + 1] : nullptr;
    std::uint64_t next = 0;  // the first record below that is no child of those written
    std::string piece;
    std::uint64_t written = 0;
    BitWriter bits(piece);
    for (const Ngram& ngram : model_.of_order[i]) {
      bits.put(i == 0 ? 0 : ngram.words[i], level.word);
      bits.put(books ? books->probability.code(ngram.probability) : bits_of(ngram.probability), level.probability);
      if (below != nullptr) {
        bits.put(books ? books->backoff_code(ngram) : bits_of(stored_backoff(ngram)), level.backoff);
        bits.put(next, level.next);
        const auto is_child = [&](const Ngram& one) {
          return std::equal(ngram.words.begin(), ngram.words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                            one.words.begin());
        };
        while (next < below->size() && is_child((*below)[next])) ++next;
      }
      if (piece.size() >= kPieceBytes) written += flush(piece);
    }
    bits.put(0, level.word);
    bits.put(0, level.probability);
    bits.put(0, level.backoff);
    bits.put(next, level.next);
    bits.finish();
    written += flush(piece);
    const std::uint64_t end = i + 1 < header_.order ? layout_.levels[i + 1].offset : layout_.offsets;
    file_.append(std::string(end - level.offset - written, '\0'));
  }

  std::uint64_t flush(std::string& piece) {
    const std::uint64_t size = piece.size();
    file_.append(piece);
    piece.clear();
    return size;
  }

  void write_words() {
    std::vector<std::uint32_t> offsets = {0};
    std::string texts;
    for (const std::string& word : model_.words) {
      texts += word;
      offsets.push_back(static_cast<std::uint32_t>(texts.size()));
    }
    file_.append(bytes_of(offsets.front(), offsets.size()));
    file_.append(std::string(layout_.texts - layout_.offsets - offsets.size() * sizeof(std::uint32_t), '\0'));
    file_.append(texts);
    file_.append(std::string(layout_.file_bytes - layout_.texts - texts.size(), '\0'));
  }

  const Ngrams& model_;
  const Header header_;
  const Layout layout_;
  NewFile file_;
};

}  // namespace

void write(const Ngrams& model, const std::string& out, const BuildOptions& options) {
  Writer(model, out, options).write();
}

}  // namespace cosyvoice::lm
