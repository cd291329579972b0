#include "lm/arpa.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "bundle/utf8.h"

namespace cosyvoice::lm {
namespace {

constexpr std::string_view kUnknownText = "<unk>", kBeginText = "<s>", kEndText = "</s>";
constexpr float kMissingUnknown = -100.0F;
constexpr std::size_t kReserveAtMost = std::size_t{1} << 24U;  // a file may promise more than it holds

class ArpaReader {
 public:
  ArpaReader(TextSource source, const std::string& name) : lines_(std::move(source), name) {}

  Ngrams read() {
    read_counts();
    for (std::size_t n = 1; n <= static_cast<std::size_t>(model_.order); ++n) read_section(n);
    if (line_ != "\\end\\") lines_.refuse("expected \\end\\, found " + in_quotes(line_));
    return std::move(model_);
  }

 private:
  /// The next line that is not empty.
  void advance(const char* expected) {
    do {
      if (!lines_.next(line_)) {
        lines_.refuse(std::string("the text ends where ") + expected +
                      " was expected; is it only half copied, or no ARPA file?");
      }
    } while (line_.find_first_not_of(" \t") == std::string_view::npos);
  }

  /// The next field of the line, without the spaces around it; "" at its end.
  static std::string_view take(std::string_view& rest) {
    const std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
    const std::size_t end = std::min(rest.find_first_of(" \t", begin), rest.size());
    const std::string_view field = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return field;
  }

  template <class Number>
  static bool parse(std::string_view field, Number& value) {
    if (!field.empty() && field.front() == '+') field.remove_prefix(1);
    const auto [stop, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
    return fault == std::errc{} && stop == field.data() + field.size();
  }

  float number(std::string_view field, const char* what) const {
    float value = 0.0F;
    if (!parse(field, value) || !std::isfinite(value)) {
      lines_.refuse(std::string("expected ") + what + " (log10, a finite number), found " + in_quotes(field));
    }
    return value;
  }

  void read_counts() {
    do advance("\\data\\");
    while (line_ != "\\data\\");  // what comes before it is a comment
    for (advance("ngram 1=COUNT"); line_.substr(0, 6) == "ngram "; advance("\\1-grams:")) {
      const std::size_t equals = std::min(line_.find('='), line_.size() - 1);
      std::string_view left = line_.substr(6, equals - std::min<std::size_t>(equals, 6));
      std::string_view right = line_.substr(equals + 1);
      const auto expected = static_cast<std::uint64_t>(model_.order) + 1;
      std::uint64_t order = 0, count = 0;
      if (!parse(take(left), order) || !parse(take(right), count) || order != expected || !take(right).empty()) {
        lines_.refuse("expected \"ngram " + std::to_string(expected) + "=COUNT\", found " + in_quotes(line_));
      }
      if (order > kMaxOrder) {
        lines_.refuse("expected an order of at most " + std::to_string(kMaxOrder) + ", found " + std::to_string(order) +
                      "; train with -n " + std::to_string(kMaxOrder));
      }
      counts_[order - 1] = count;
      ++model_.order;
    }
    if (model_.order == 0) lines_.refuse("expected \"ngram 1=COUNT\", found " + in_quotes(line_));
  }

  void read_section(std::size_t n) {
    const std::string title = "\\" + std::to_string(n) + "-grams:";
    if (line_ != title) lines_.refuse("expected " + title + ", found " + in_quotes(line_));
    std::vector<Ngram>& ngrams = model_.of_order[n - 1];
    ngrams.reserve(std::min<std::size_t>(counts_[n - 1], kReserveAtMost));
    for (advance("an n-gram or \\end\\"); line_.front() != '\\'; advance("an n-gram or \\end\\")) {
      ngrams.push_back(n == 1 ? read_word() : read_ngram(n));
    }
    if (ngrams.size() != counts_[n - 1]) {
      lines_.refuse("expected " + std::to_string(counts_[n - 1]) + " n-grams of order " + std::to_string(n) +
                    " as the head of the file says, found " + std::to_string(ngrams.size()));
    }
    if (n == 1) sort_words();
  }

  float read_probability(std::string_view& rest) const {
    const float value = number(take(rest), "a probability");
    if (value > 0.0F) lines_.refuse("expected log10 of a probability, 0 at most, found " + std::to_string(value));
    return value;
  }

  float read_backoff(std::string_view& rest, std::size_t n) const {
    const std::string_view field = take(rest);
    if (!take(rest).empty()) {
      lines_.refuse("expected a probability, " + std::to_string(n) + " words and a back-off, found " +
                    in_quotes(line_));
    }
    return field.empty() ? 0.0F : number(field, "a back-off");
  }

  std::string_view read_text(std::string_view& rest, std::size_t n) const {
    const std::string_view word = take(rest);
    if (word.empty()) lines_.refuse("expected " + std::to_string(n) + " words, found " + in_quotes(line_));
    return word == "<UNK>" ? kUnknownText : word;
  }

  Ngram read_word() {
    std::string_view rest = line_;
    Ngram ngram;
    ngram.probability = read_probability(rest);
    const std::string_view word = read_text(rest, 1);
    if (first_malformed_utf8(word) != word.size()) {
      lines_.refuse("expected UTF-8 text, found " + in_quotes(word) + "; save the file as UTF-8");
    }
    ngram.backoff = read_backoff(rest, 1);
    if (model_.words.size() == UINT32_MAX - 2) lines_.refuse("too many words");
    model_.words.emplace_back(word);
    return ngram;
  }

  Ngram read_ngram(std::size_t n) {
    std::string_view rest = line_;
    Ngram ngram;
    ngram.probability = read_probability(rest);
    for (std::size_t i = n; i-- > 0;) {
      const std::string_view word = read_text(rest, n);
      const auto found = ids_.find(word);
      if (found == ids_.end()) {
        lines_.refuse("the word " + in_quotes(word) + " is not among the 1-grams, which must list every word");
      }
      ngram.words[i] = found->second;
    }
    ngram.backoff = read_backoff(rest, n);
    return ngram;
  }

  /// After the 1-grams: ids in the order of the words' bytes, <unk> first.
  void sort_words() {
    std::vector<std::string>& words = model_.words;
    std::vector<Ngram>& ngrams = model_.of_order[0];
    if (std::find(words.begin(), words.end(), kUnknownText) == words.end()) {
      model_.unknown_missing = true;
      words.emplace_back(kUnknownText);
      ngrams.emplace_back().probability = kMissingUnknown;
    }
    std::vector<std::size_t> from(words.size());
    std::iota(from.begin(), from.end(), std::size_t{0});
    const auto key = [&words](std::size_t i) {
      return std::pair<bool, std::string_view>(words[i] != kUnknownText, words[i]);
    };
    std::sort(from.begin(), from.end(), [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<std::string> sorted_words(words.size());
    std::vector<Ngram> sorted_ngrams(words.size());
    for (std::size_t id = 0; id < from.size(); ++id) {
      sorted_words[id] = std::move(words[from[id]]);
      sorted_ngrams[id] = ngrams[from[id]];
      sorted_ngrams[id].words[0] = static_cast<WordId>(id);
    }
    words = std::move(sorted_words);
    ngrams = std::move(sorted_ngrams);
    for (std::size_t id = 0; id < words.size(); ++id) {
      if (!ids_.emplace(words[id], static_cast<WordId>(id)).second) {
        lines_.refuse("the word " + in_quotes(words[id]) + " stands twice among the 1-grams");
      }
    }
    model_.begin_word = mark(kBeginText);
    model_.end_word = mark(kEndText);
  }

  WordId mark(std::string_view text) const {
    const auto found = ids_.find(text);
    if (found == ids_.end()) {
      lines_.refuse("the 1-grams lack " + std::string(text) + ", the mark of a sentence's " +
                    (text == kBeginText ? "start" : "end") + "; train on sentences, one a line");
    }
    return found->second;
  }

  LineReader lines_;
  std::string_view line_;
  std::array<std::uint64_t, kMaxOrder> counts_{};
  std::unordered_map<std::string_view, WordId> ids_;
  Ngrams model_;
};

}  // namespace

std::string Ngrams::text(const Ngram& ngram, std::size_t n) const {
  std::string joined;
  for (std::size_t i = n; i-- > 0;) {
    joined += words[ngram.words[i]];
    if (i != 0) joined += ' ';
  }
  return joined;
}

Ngrams read_arpa(TextSource source, const std::string& name) {
  return ArpaReader(std::move(source), name).read();
}

}  // namespace cosyvoice::lm
