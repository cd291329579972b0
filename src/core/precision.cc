#include "core/precision.h"

namespace cosyvoice {

bool processor_has_vnni() noexcept {
  return __builtin_cpu_supports("avx512vnni") != 0 || __builtin_cpu_supports("avxvnni") != 0;
}

PrecisionChoice choose_precision(const Manifest& manifest, Precision asked, bool has_vnni) {
  const bool has_file = !manifest.network.int8_file.empty();
  switch (asked) {
    case Precision::kF32:
      return {Precision::kF32, "precision: f32 asks for it"};
    case Precision::kInt8:
      if (has_file) return {Precision::kInt8, "precision: int8 asks for it"};
      throw Error(
          ErrorCode::kInvalidArgument,
          "precision = int8, but the bundle " + manifest.directory +
              " has no INT8 network; make one with `cosyvoice model export --int8 MODEL OUTDIR`, or choose auto "
              "or f32");
    case Precision::kAuto:
      break;
  }
  if (!has_file) return {Precision::kF32, "the bundle has no INT8 network"};
  if (!has_vnni) return {Precision::kF32, "the processor has no VNNI, and without it INT8 is no faster"};
  return {Precision::kInt8, "the processor has VNNI, and the bundle an INT8 network"};
}

}  // namespace cosyvoice
