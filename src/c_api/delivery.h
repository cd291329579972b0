// Events on their way to C: callbacks, and pulling.
#pragma once

#include "cosyvoice/c_api.h"

namespace cosyvoice::c_api {

/// The calling thread is in one of this engine's callbacks.
bool inside_callback_of(const cv_engine& engine) noexcept;

}  // namespace cosyvoice::c_api
