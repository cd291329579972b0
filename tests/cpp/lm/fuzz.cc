#include "fuzz.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "cosyvoice/engine.h"
#include "lm/arpa.h"
#include "lm/complete.h"
#include "lm/format.h"
#include "lm/language_model.h"
#include "sample_models.h"

namespace cosyvoice::testing {
namespace {

using lm::Header;
using lm::kMaxOrder;
using lm::LanguageModel;
using lm::State;
using lm::WordId;

constexpr std::size_t kLargest = 1U << 16U;  // bytes of an input; beyond it nothing new happens

Header header_of(const std::string& bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), std::min(sizeof header, bytes.size()));
  return header;
}

void set_header(std::string& bytes, const Header& header) {
  std::memcpy(bytes.data(), &header, std::min(sizeof header, bytes.size()));
}

}  // namespace

LmFuzzer::LmFuzzer(std::uint64_t seed) : random_(seed) {
  std::mt19937 models(static_cast<std::uint32_t>(seed));
  for (int order = 1; order <= kMaxOrder; ++order) {
    texts_.push_back(random_model(models, order, 5 + order, 30).arpa());
    lm::BuildOptions options;
    models_.push_back(compiled(texts_.back(), options));
    options.quantise = true;
    models_.push_back(compiled(texts_.back(), options));
  }
}

std::size_t LmFuzzer::below(std::size_t bound) {
  return bound == 0 ? 0 : random_() % bound;
}

std::uint64_t LmFuzzer::interesting() {
  const std::uint64_t power = std::uint64_t{1} << below(64);
  switch (below(6)) {
    case 0:
      return below(300);
    case 1:
      return power;
    case 2:
      return power - 1;
    case 3:
      return power + 1;
    case 4:
      return ~std::uint64_t{0} - below(3);
    default:
      return random_();
  }
}

void LmFuzzer::step() {
  if (below(10) == 0) {
    build(damaged_text());
  } else {
    ask(damaged_model());
  }
}

std::string LmFuzzer::damaged_model() {
  std::string bytes = models_[below(models_.size())];
  const std::size_t after_header = std::min(sizeof(Header), bytes.size());
  if (below(3) == 0) {  // other facts, and as many bytes as they ask for, so that open() takes them
    Header header = header_of(bytes);
    for (std::size_t i = 1 + below(3); i-- > 0;) {
      switch (below(6)) {
        case 0:
          header.order = static_cast<std::uint32_t>(1 + below(kMaxOrder));
          break;
        case 1:
          header.quantised ^= 1U;
          break;
        case 2:
          header.ngrams[below(kMaxOrder)] = below(2) == 0 ? below(200) : interesting();
          break;
        case 3:
          header.text_bytes = below(2) == 0 ? below(200) : interesting() >> 32U;
          break;
        case 4:
          header.begin_word = static_cast<std::uint32_t>(below(20));
          break;
        default:
          header.end_word = static_cast<std::uint32_t>(below(20));
          break;
      }
    }
    set_header(bytes, header);
    if (header.order >= 1 && header.order <= kMaxOrder) {
      const bool small = std::all_of(header.ngrams.begin(), header.ngrams.end(), [](auto n) { return n < kLargest; });
      if (small && header.text_bytes < kLargest) {
        bytes.resize(std::min<std::size_t>(lm::Layout(header).file_bytes, 8 * kLargest), static_cast<char>(below(256)));
      }
    }
  }
  for (std::size_t i = below(12); i-- > 0 && !bytes.empty();) {
    // Damage behind the header is seen by what reads it; damage in the header mostly by open().
    const std::size_t from = below(4) == 0 ? 0 : std::min(after_header, bytes.size() - 1);
    const std::size_t at = from + below(bytes.size() - from);
    const std::size_t room = bytes.size() - at;
    switch (below(7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random_());
        break;
      case 2: {
        const std::uint64_t value = interesting();
        std::memcpy(&bytes[at], &value, std::min<std::size_t>(room, std::size_t{1} << below(4)));
        break;
      }
      case 3:
        std::memset(&bytes[at], below(2) == 0 ? 0 : 0xFF, below(std::min<std::size_t>(room, 64)));
        break;
      case 4: {
        const std::size_t other = below(bytes.size());
        std::memmove(&bytes[at], &bytes[other], below(std::min({room, bytes.size() - other, std::size_t{64}})));
        break;
      }
      case 5:
        for (std::size_t j = below(std::min<std::size_t>(room, 64)); j-- > 0;)
          bytes[at + j] = static_cast<char>(random_());
        break;
      default:
        if (below(8) == 0) bytes.resize(below(4) == 0 ? bytes.size() + below(100) : at);
        break;
    }
  }
  return bytes;
}

void LmFuzzer::ask(const std::string& bytes) {
  ++tally_.models;
  const std::unique_ptr<char[]> exact(new char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  std::shared_ptr<const LanguageModel> model;
  try {
    model = LanguageModel::view({exact.get(), bytes.size()}, "fuzz");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidModel) throw;
    return;
  }
  ++tally_.opened;
  std::size_t letters = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string word = "w" + std::to_string(below(12));
    letters += model->word(model->find(word)).size();
    const LanguageModel::Range range = model->with_prefix(std::string_view(word).substr(0, below(3)));
    if (range.first > model->words() || range.last > model->words()) ++tally_.faults;
    // Each letter is read: a view outside the file must not go unseen.
    for (const char letter : model->word(static_cast<WordId>(below(2) == 0 ? below(20) : interesting()))) {
      letters += letter == 'w' ? 1 : 0;
    }
  }
  if (below(32) == 0) letters += model->verify() ? 1 : 0;
  for (int sentence = 0; sentence < 3; ++sentence) {
    State state = sentence == 0 ? State() : model->begin();
    for (int i = 0; i < 12; ++i) {
      const auto word = static_cast<WordId>(below(16) == 0 ? interesting() : below(14));
      const float score = model->score(state, word, state);
      if (!std::isfinite(score) || !std::isfinite(model->end(state)) || state.length >= model->facts().order) {
        ++tally_.faults;
      }
      ++tally_.scores;
    }
  }
  if (letters == SIZE_MAX) ++tally_.faults;  // so that no read is left out as useless
}

std::string LmFuzzer::damaged_text() {
  std::string text = texts_[below(texts_.size())];
  static const char* const kPieces[] = {"\\end\\", "\\data\\", "\\2-grams:", "\n\n", "ngram 1=1", "nan", "-1e400",
                                        "inf",     "<s>",      "<unk>",      "\t\t", "ngram 6=",  "0",   "\r\n"};
  for (std::size_t i = 1 + below(4); i-- > 0 && !text.empty();) {
    const std::size_t at = below(text.size());
    const std::size_t line_end = std::min(text.find('\n', at), text.size() - 1) + 1;
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(random_());
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.erase(at, 1 + below(20));
        break;
      case 3:
        text.insert(line_end, text.substr(at, line_end - at));
        break;
      case 4:
        text.erase(at, line_end - at);
        break;
      default:
        text.resize(below(8) == 0 ? at : text.size());
        break;
    }
  }
  return text;
}

void LmFuzzer::build(const std::string& text) {
  ++tally_.texts;
  try {
    lm::Ngrams model = lm::read_arpa(source_of(text, 1 + below(200)), "fuzz");
    lm::complete(model, "fuzz");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidModel) throw;
    return;
  }
  ++tally_.read;
}

}  // namespace cosyvoice::testing
