#include "core/openvino_shared.h"

#include <openvino/openvino.hpp>
#include <sstream>

#include "core/network.h"
#include "core/openvino_facts.h"

namespace cosyvoice {
namespace {

ov::AnyMap compile_options() {
  return {
      ov::num_streams(1),                                           // one stream of one thread: the calling one
      ov::inference_num_threads(1),                                 //
      ov::hint::enable_cpu_pinning(false),                          // where threads run is the engine's to say
      ov::hint::inference_precision(ov::element::f32),              // no bfloat16, no float16, whatever the processor
      ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY),  // no shortcuts either
      ov::hint::dynamic_quantization_group_size(0),                 // no 8-bit activations
      ov::hint::kv_cache_precision(ov::element::f32),
      ov::cache_dir(""),
  };
}

}  // namespace

ov::Core& shared_core() {
  static ov::Core* const core = [] {
    auto* made = new ov::Core;
    made->set_property(ov::cache_dir(""));
    made->set_property(ov::enable_mmap(true));
    return made;
  }();
  return *core;
}

std::string one_line(const std::exception& fault) {
  std::istringstream lines(fault.what());
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.rfind("Exception from ", 0) == 0) continue;
    result.append(result.empty() ? "" : " ").append(line);
  }
  return result.empty() ? "no reason given" : result;
}

ov::CompiledModel compile_for_one_thread(const std::shared_ptr<ov::Model>& model) {
  return shared_core().compile_model(model, "CPU", compile_options());
}

std::string openvino_compiled_version() {
  return std::to_string(OPENVINO_VERSION_MAJOR) + "." + std::to_string(OPENVINO_VERSION_MINOR) + "." +
         std::to_string(OPENVINO_VERSION_PATCH);
}

std::string openvino_loaded_version() {
  return ov::get_openvino_version().buildNumber;
}

std::vector<InferenceDevice> inference_devices() {
  const InferenceMark mark;
  std::vector<InferenceDevice> devices;
  for (const std::string& name : shared_core().get_available_devices()) {
    devices.push_back({name, shared_core().get_property(name, ov::device::full_name),
                       shared_core().get_property(name, ov::device::capabilities)});
  }
  return devices;
}

std::string inference_precision() {
  return compile_options().at(ov::hint::inference_precision.name()).as<ov::element::Type>().get_type_name();
}

}  // namespace cosyvoice
