#pragma once

#include <string>

#include "lm/build.h"
#include "lm/ngrams.h"

namespace cosyvoice::lm {

/// Writes a complete()d model under another name beside `out`, then renames it: whoever has the old file mapped keeps
/// it. Throws Error(kInvalidArgument) where it cannot be written.
void write(const Ngrams& model, const std::string& out, const BuildOptions& options);

}  // namespace cosyvoice::lm
