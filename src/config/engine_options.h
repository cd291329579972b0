#pragma once

#include "cosyvoice/engine.h"

namespace cosyvoice {

/// Every option's range (config/schema.h), in one place. Throws kInvalidArgument: option, value, range, remedy.
void validate(const EngineOptions& options);
void validate(const SessionOptions& options);

}  // namespace cosyvoice
