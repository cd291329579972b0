// What the core knows of itself, for `cosyvoice --version`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/openvino_facts.h"
#include "cosyvoice/engine.h"
#include "engine/slot_table.h"
#include "frontend/lane_choice.h"
#include "python/bindings.h"
#include "python/convert.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

#if defined(__clang__)
constexpr char kCompiler[] = __VERSION__;  // begins with the name
#else
constexpr char kCompiler[] = "GCC " __VERSION__;
#endif

nb::dict build_facts() {
  nb::dict facts;
  facts["version"] = COSYVOICE_VERSION;
  facts["commit"] = COSYVOICE_COMMIT;
  facts["compiler"] = kCompiler;
  facts["build_type"] = COSYVOICE_BUILD_TYPE;
  facts["openvino_compiled"] = openvino_compiled_version();
  facts["openvino_loaded"] = openvino_loaded_version();
  return facts;
}

nb::list devices() {
  std::vector<InferenceDevice> found;
  {
    const nb::gil_scoped_release nogil;
    found = inference_devices();
  }
  nb::list rows;
  for (const InferenceDevice& device : found) {
    nb::dict row;
    row["name"] = device.name;
    row["full_name"] = device.full_name;
    row["capabilities"] = nb::cast(device.capabilities);
    rows.append(row);
  }
  return rows;
}

std::vector<std::string> simd_variants() {
  const LaneKernelList list = available_lane_kernels();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.count; ++i) names.emplace_back(list.items[i]->name);
  return names;
}

nb::dict session_memory(std::int64_t ring_bytes, std::int64_t fifo_bytes, std::int64_t max_utterance,
                        const std::string& second_pass, std::int64_t beam_size) {
  EngineOptions options;
  options.ring_bytes = narrow<std::size_t>("ring_bytes", ring_bytes);
  options.fifo_bytes = narrow<std::size_t>("fifo_bytes", fifo_bytes);
  options.max_utterance_ms = narrow<std::int32_t>("max_utterance", max_utterance);
  options.second_pass = second_pass;
  options.beam_size = narrow<std::uint32_t>("beam_size", beam_size);
  const SlotMemory memory = SlotTable::memory_of_slot(options);
  nb::dict parts;
  parts["audio"] = memory.audio;
  parts["features"] = memory.features;
  parts["network_output"] = memory.network_output;
  parts["events"] = memory.events;
  parts["search"] = memory.search;
  if (memory.second_pass != 0) parts["second_pass"] = memory.second_pass;
  return parts;
}

}  // namespace

void bind_facts(nb::module_& module) {
  module.def("build_facts", &build_facts, nb::sig("def build_facts() -> dict[str, str]"),
             "Version, commit, compiler, build type, and OpenVINO's versions: compiled with and loaded.");
  module.def("inference_devices", &devices, nb::sig("def inference_devices() -> list[dict[str, typing.Any]]"),
             "The devices that OpenVINO finds: name, full_name, capabilities. Networks run on the CPU.");
  module.def("inference_precision", &inference_precision, "The number type that networks are compiled for.");
  module.def("simd_variants", &simd_variants, "The Front-End's variants that this processor can run, widest last.");
  module.def(
      "simd_chosen", [] { return std::string(lane_kernels().name); }, "The one that this process uses.");
  module.def("session_memory", &session_memory, "ring_bytes"_a, "fifo_bytes"_a, "max_utterance"_a, "second_pass"_a,
             "beam_size"_a,
             nb::sig("def session_memory(ring_bytes: int, fifo_bytes: int, max_utterance: int, second_pass: str, "
                     "beam_size: int) -> dict[str, int]"),
             "Bytes mapped for one session by part, its network states aside.");
}

}  // namespace cosyvoice::python
