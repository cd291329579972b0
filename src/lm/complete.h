#pragma once

#include <string>

#include "lm/ngrams.h"

namespace cosyvoice::lm {

/// Makes the trie's demands true: sorts each order, marks what an n-gram of the next order begins with, and adds the
/// n-grams that the way to a longer one leads through (format.h). Throws Error(kInvalidModel), which names `name`,
/// where an n-gram stands twice, or without the one that it begins with: then nothing says what backing off from it
/// costs.
void complete(Ngrams& model, const std::string& name);

}  // namespace cosyvoice::lm
