// ARPA files for tests: one small enough to work through by hand, and random ones with a plain implementation beside.
#pragma once

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "lm/build.h"
#include "lm/language_model.h"
#include "lm/line_reader.h"

namespace cosyvoice::testing {

/// A trigram model of a, b and c.
extern const char* const kSmallArpa;

/// Gives a text in pieces of `piece` bytes.
lm::TextSource source_of(std::string text, std::size_t piece = 4096);

/// The bytes of the model that lm::build makes of an ARPA text.
std::string compiled(const std::string& arpa, const lm::BuildOptions& options = {});

using Gram = std::vector<std::string>;

/// A back-off model as its definition has it: maps of strings.
struct PlainModel {
  int order = 0;
  std::map<Gram, std::pair<float, float>> grams;  ///< log10 of probability and back-off

  std::string arpa() const;
  /// log10 P(word | history), unknown words written "<unk>".
  double score(Gram history, const std::string& word) const;
};

/// With every n-gram are those that it begins with, but not always those that it ends with. Words are "w0", "w1" ….
PlainModel random_model(std::mt19937& random, int order, int words, int grams);

}  // namespace cosyvoice::testing
