// The options of c_api.h and those of engine.h.
#pragma once

#include <vector>

#include "cosyvoice/c_api.h"
#include "cosyvoice/engine.h"

namespace cosyvoice::c_api {

/// Null: the defaults. Throw kInvalidArgument for numbers that are no enumerator's, and for a size that cannot be.
EngineOptions to_options(const cv_engine_options* given);
SessionOptions to_options(const cv_session_options* given);
/// Throws kInvalidArgument where `given`, or a phrase, is null.
std::vector<Hotword> to_hotwords(const cv_hotword* given, std::size_t count);

}  // namespace cosyvoice::c_api
