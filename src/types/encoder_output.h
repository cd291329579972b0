// Core → Back-End: what the network said of one chunk.
#pragma once

#include <cstdint>

#include "cosyvoice/engine.h"

namespace cosyvoice {

enum class OutputKind : std::uint8_t { kCtc };

struct EncoderOutput {
  std::uint32_t slot = 0;
  std::uint32_t frames = 0;
  std::uint32_t dim = 0;
  OutputKind kind = OutputKind::kCtc;
  ErrorCode status = ErrorCode::kOk;  ///< kInferenceFailed: `data` holds nothing
  const float* data = nullptr;        ///< [frames][dim], kept in the slot until the Back-End hands it back
};

}  // namespace cosyvoice
