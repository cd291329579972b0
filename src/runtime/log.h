// The library's one way to speak: the callback of set_log_callback(). Never with transcripts or audio.
#pragma once

#include <string_view>

#include "cosyvoice/engine.h"

namespace cosyvoice {

/// Messages below it are not sent from now on.
void set_log_level(LogLevel level) noexcept;

/// Not for hot paths: takes a lock.
void log_message(LogLevel level, std::string_view message) noexcept;

}  // namespace cosyvoice
