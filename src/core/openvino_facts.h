// What is known of the inference library, for people who look for a fault.
#pragma once

#include <string>
#include <vector>

namespace cosyvoice {

struct InferenceDevice {
  std::string name;       ///< "CPU"
  std::string full_name;  ///< as the device calls itself
  std::vector<std::string> capabilities;
};

/// Of the headers that the core was compiled with.
std::string openvino_compiled_version();
/// Of the library in this process.
std::string openvino_loaded_version();
/// Those that OpenVINO finds; networks run on the CPU. Throws what the library throws.
std::vector<InferenceDevice> inference_devices();
/// The number type that every network is compiled for.
std::string inference_precision();

}  // namespace cosyvoice
