// From an ARPA file to a compiled model. Everything is held in memory meanwhile: some 40 bytes for each n-gram.
#pragma once

#include <string>

#include "lm/language_model.h"
#include "lm/line_reader.h"

namespace cosyvoice::lm {

struct BuildOptions {
  bool quantise = false;  ///< probabilities and back-offs of order 2 and more as one of 256
  Unit unit = Unit::kWord;
  std::string
      tokens_path;  ///< tokens.txt of the bundle that it is for: Unit::kToken needs it, Unit::kWord has no use for it
};

/// Reads an ARPA file, `name` in messages, and puts the model in the place of `out`, all of it or nothing.
/// Throws Error: kInvalidModel where the text is at fault, kInvalidArgument where options or the place are; what
/// `source` throws goes through.
Facts build(TextSource source, const std::string& name, const std::string& out, const BuildOptions& options);

}  // namespace cosyvoice::lm
