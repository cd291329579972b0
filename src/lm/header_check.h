#pragma once

#include <string>

#include "lm/format.h"
#include "runtime/mapped_file.h"

namespace cosyvoice::lm {

/// The header of a mapped model, checked: it is one of this version, complete, and its sections end where the file
/// ends. Throws Error(kInvalidModel) that says what to do.
Header checked_header(const MappedFile& file, const std::string& path);

}  // namespace cosyvoice::lm
