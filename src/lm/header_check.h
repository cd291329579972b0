#pragma once

#include <string>
#include <string_view>

#include "lm/format.h"

namespace cosyvoice::lm {

/// The header of a model, checked: it is one of this version, complete, and its sections end where the bytes end.
/// `name` is what messages call it. Throws Error(kInvalidModel) that says what to do.
Header checked_header(std::string_view bytes, const std::string& name);

}  // namespace cosyvoice::lm
