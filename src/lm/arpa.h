#pragma once

#include <string>

#include "lm/line_reader.h"
#include "lm/ngrams.h"

namespace cosyvoice::lm {

/// Reads a model in the ARPA format, orders 1 to kMaxOrder, each order's n-grams in the file's sequence but the words'.
/// Where <unk> is missing it is added with log10 P = -100, as KenLM does; <UNK> is taken for it. A back-off that is not
/// there is 0. Throws Error(kInvalidModel): name, line, what was expected and found.
Ngrams read_arpa(TextSource source, const std::string& name);

}  // namespace cosyvoice::lm
