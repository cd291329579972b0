#include "sample_models.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "support/temporary_directory.h"

namespace cosyvoice::testing {

const char* const kSmallArpa = R"(
\data\
ngram 1=6
ngram 2=5
ngram 3=2

\1-grams:
-2.0	<unk>
-99	<s>	-0.5
-1.0	</s>
-0.7	a	-0.3
-0.8	b	-0.2
-0.9	c

\2-grams:
-0.25	<s> a	-0.1
-0.4	a b	-0.15
-0.6	b c
-0.35	b a	-0.05
-0.45	b </s>

\3-grams:
-0.12	<s> a b
-0.22	a b c

\end\
)";

lm::TextSource source_of(std::string text, std::size_t piece) {
  return [text = std::move(text), piece, at = std::size_t{0}](char* to, std::size_t size) mutable {
    const std::size_t count = std::min({size, piece, text.size() - at});
    std::memcpy(to, text.data() + at, count);
    at += count;
    return count;
  };
}

std::string compiled(const std::string& arpa, const lm::BuildOptions& options) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/lm.bin";
  lm::build(source_of(arpa), "test.arpa", path, options);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string PlainModel::arpa() const {
  std::ostringstream text;
  text.precision(9);
  text << "\\data\\\n";
  for (int n = 1; n <= order; ++n) {
    const auto of_order = std::count_if(
        grams.begin(), grams.end(), [n](const auto& gram) { return gram.first.size() == static_cast<std::size_t>(n); });
    text << "ngram " << n << '=' << of_order << '\n';
  }
  for (int n = 1; n <= order; ++n) {
    text << "\n\\" << n << "-grams:\n";
    for (const auto& [gram, values] : grams) {
      if (gram.size() != static_cast<std::size_t>(n)) continue;
      text << values.first;
      for (std::size_t i = 0; i < gram.size(); ++i) text << (i == 0 ? '\t' : ' ') << gram[i];
      if (n < order && values.second != 0.0F) text << '\t' << values.second;
      text << '\n';
    }
  }
  text << "\n\\end\\\n";
  return text.str();
}

double PlainModel::score(Gram history, const std::string& word) const {
  const std::size_t most = static_cast<std::size_t>(order) - 1;
  if (history.size() > most) history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(most));
  double paid = 0.0;
  for (;;) {
    Gram gram = history;
    gram.push_back(word);
    if (const auto found = grams.find(gram); found != grams.end())
      return paid + static_cast<double>(found->second.first);
    if (const auto found = grams.find(history); found != grams.end()) paid += static_cast<double>(found->second.second);
    history.erase(history.begin());  // the unigrams have every word, so it was not empty
  }
}

PlainModel random_model(std::mt19937& random, int order, int words, int grams) {
  std::uniform_real_distribution<float> probability(-5.0F, 0.0F), backoff(-2.0F, 0.5F);
  const auto below = [&random](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
  PlainModel model;
  model.order = order;
  std::vector<std::string> texts = {"<s>", "</s>", "<unk>"};
  for (int i = 0; i < words; ++i) texts.push_back("w" + std::to_string(i));
  const auto add = [&](const Gram& gram) {
    model.grams.try_emplace(gram, probability(random), below(3) == 0 ? 0.0F : backoff(random));
  };
  for (const std::string& text : texts) add({text});
  for (int i = 0; i < grams && order > 1; ++i) {
    Gram gram;
    const int length = 2 + below(order - 1);
    for (int j = 0; j < length; ++j)
      gram.push_back(texts[static_cast<std::size_t>(below(static_cast<int>(texts.size())))]);
    for (int j = 2; j <= length; ++j) add(Gram(gram.begin(), gram.begin() + j));
  }
  return model;
}

}  // namespace cosyvoice::testing
