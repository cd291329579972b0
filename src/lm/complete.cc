#include "lm/complete.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bundle/utf8.h"
#include "cosyvoice/engine.h"

namespace cosyvoice::lm {
namespace {

constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();  // no ARPA file gives it

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::kInvalidModel, name + ": " + what);
}

/// The n-gram without its first word, which is the last one of `words`; `n`: the order of `ngram`.
Ngram without_first(const Ngram& ngram, std::size_t n) {
  Ngram shorter;
  std::copy_n(ngram.words.begin(), n - 1, shorter.words.begin());
  return shorter;
}

/// What the n-gram begins with: all but its latest word.
Ngram history_of(const Ngram& ngram, std::size_t n) {
  Ngram history;
  std::copy_n(ngram.words.begin() + 1, n - 1, history.words.begin());
  return history;
}

Ngram* find(std::vector<Ngram>& sorted, const Ngram& wanted) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), wanted);
  return found != sorted.end() && found->words == wanted.words ? &*found : nullptr;
}

void sort(Ngrams& model, std::size_t n, const std::string& name) {
  std::vector<Ngram>& ngrams = model.of_order[n - 1];
  if (!std::is_sorted(ngrams.begin(), ngrams.end())) std::sort(ngrams.begin(), ngrams.end());
  const auto twice = std::adjacent_find(ngrams.begin(), ngrams.end(),
                                        [](const Ngram& a, const Ngram& b) { return a.words == b.words; });
  if (twice != ngrams.end()) refuse(name, "the n-gram " + in_quotes(model.text(*twice, n)) + " stands twice");
}

void mark_histories(Ngrams& model, std::size_t n, const std::string& name) {
  for (const Ngram& ngram : model.of_order[n - 1]) {
    Ngram* history = find(model.of_order[n - 2], history_of(ngram, n));
    if (history == nullptr) {
      refuse(name, "the n-gram " + in_quotes(model.text(ngram, n)) + " is there, but not " +
                       in_quotes(model.text(history_of(ngram, n), n - 1)) +
                       ", with which it begins; the tool that pruned this model took too much, prune with another");
    }
    history->extends = true;
  }
}

/// Adds to order n - 1 what those of order n need. Both are sorted, and stay so.
void add_missing(Ngrams& model, std::size_t n) {
  std::vector<Ngram>& shorter = model.of_order[n - 2];
  std::vector<Ngram> missing;
  auto at = shorter.begin();
  for (const Ngram& ngram : model.of_order[n - 1]) {
    const Ngram wanted = without_first(ngram, n);
    if (!missing.empty() && missing.back().words == wanted.words) continue;
    while (at != shorter.end() && *at < wanted) ++at;
    if (at == shorter.end() || at->words != wanted.words) missing.push_back(wanted);
  }
  if (missing.empty()) return;
  for (Ngram& ngram : missing) ngram.probability = kNotKnown;  // set_probabilities()
  const auto size = static_cast<std::ptrdiff_t>(shorter.size());
  shorter.insert(shorter.end(), missing.begin(), missing.end());
  std::inplace_merge(shorter.begin(), shorter.begin() + size, shorter.end());
}

/// Gives what was added the probability that backing off gives it; lower orders have theirs.
void set_probabilities(Ngrams& model, std::size_t n) {
  for (Ngram& ngram : model.of_order[n - 1]) {
    if (!std::isnan(ngram.probability)) continue;
    std::vector<Ngram>& shorter = model.of_order[n - 2];
    const Ngram* history = find(shorter, history_of(ngram, n));
    ngram.probability =
        find(shorter, without_first(ngram, n))->probability + (history == nullptr ? 0.0F : history->backoff);
  }
}

}  // namespace

void complete(Ngrams& model, const std::string& name) {
  const auto order = static_cast<std::size_t>(model.order);
  for (std::size_t n = 2; n <= order; ++n) {
    sort(model, n, name);
    mark_histories(model, n, name);
  }
  for (std::size_t n = order; n >= 3; --n) add_missing(model, n);
  for (std::size_t n = 2; n < order; ++n) set_probabilities(model, n);
}

}  // namespace cosyvoice::lm
