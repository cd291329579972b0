// What the files that use OpenVINO share. They alone include it: its types are only named here.
#pragma once

#include <exception>
#include <memory>
#include <string>

namespace ov {
class CompiledModel;
class Core;
class Model;
}  // namespace ov

namespace cosyvoice {

/// One for the process, never destroyed: its plugins' threads would outlive static destruction.
ov::Core& shared_core();
/// A copy for one stream of one thread: it computes on the thread that calls it, in float32.
ov::CompiledModel compile_for_one_thread(const std::shared_ptr<ov::Model>& model);
/// What an exception of OpenVINO says, without the places in its sources, on one line.
std::string one_line(const std::exception& fault);

}  // namespace cosyvoice
