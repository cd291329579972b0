// Which of a bundle's networks computes, and why: docs/decisions/015-precision.md.
#pragma once

#include <string>

#include "bundle/manifest.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {

struct PrecisionChoice {
  Precision precision = Precision::kF32;  ///< never kAuto
  std::string reason;                     ///< for people, like "the bundle has no INT8 network"
};

/// True where the processor multiplies 8-bit integers in one instruction: AVX-512 or AVX with VNNI. Those with AMX have
/// it too.
bool processor_has_vnni() noexcept;

/// Throws kInvalidArgument where INT8 is asked for and the bundle has none.
PrecisionChoice choose_precision(const Manifest& manifest, Precision asked, bool has_vnni);

}  // namespace cosyvoice
