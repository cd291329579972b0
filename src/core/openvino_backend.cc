// Reading, checking, compiling and running bundles' networks with OpenVINO.
//
// Each worker computes on a compiled copy of its own, made for one stream of one thread: in that form OpenVINO computes
// on the calling thread, without handing over to a pool. Batch and time stay open dimensions, so one copy serves every
// batch size and chunk length with one set of weights. docs/decisions/001-batch-shapes.md has the measurements.
#include <pmmintrin.h>
#include <xmmintrin.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <openvino/openvino.hpp>
#include <sstream>

#include "core/network.h"
#include "core/openvino_shared.h"
#include "cosyvoice/engine.h"
#include "runtime/cache_line.h"
#include "runtime/slab.h"

namespace cosyvoice {
namespace {

// A batch length that no exporter leaves in a network by accident, as 1 and 2 are.
constexpr std::int64_t kProbeRows = 3;

std::string to_text(const ov::PartialShape& shape) {
  std::ostringstream text;
  text << shape;
  return text.str();
}

/// The tensors of a network in the order of core/network.h, found by the manifest's names.
struct NetworkPorts {
  ov::OutputVector inputs, outputs;
};

const std::string& input_name(const NetworkOptions& network, std::size_t index) {
  if (index == 0) return network.input;
  const std::size_t counters = network.counters.size();
  return index <= counters ? network.counters[index - 1] : network.states[index - 1 - counters].input;
}

const std::string& output_name(const NetworkOptions& network, std::size_t index) {
  return index == 0 ? network.output : network.states[index - 1].output;
}

ov::element::Type type_of(const StateOptions& state) {
  return state.type == ElementType::kF16 ? ov::element::f16 : ov::element::f32;
}

ov::element::Type input_type(const NetworkOptions& network, std::size_t index) {
  if (index == 0) return ov::element::f32;
  const std::size_t counters = network.counters.size();
  return index <= counters ? ov::element::i64 : type_of(network.states[index - 1 - counters]);
}

ov::PartialShape state_shape(const StateOptions& state, const ov::Dimension& rows) {
  ov::PartialShape shape;
  for (const std::uint32_t length : state.shape) shape.push_back(length);
  shape[state.batch_axis] = rows;
  return shape;
}

/// The shape of an input for these lengths, which may be ranges.
ov::PartialShape input_shape(const Manifest& manifest, std::size_t index, const ov::Dimension& rows,
                             const ov::Dimension& feature_frames) {
  if (index == 0) return {rows, feature_frames, manifest.features.dim()};
  const std::size_t counters = manifest.network.counters.size();
  if (index <= counters) return {rows};
  return state_shape(manifest.network.states[index - 1 - counters], rows);
}

class Check {
 public:
  explicit Check(const std::string& file) : file_(file) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw Error(ErrorCode::kInvalidModel, file_ + ": " + what + "; " + remedy);
  }

  /// The port that bears this name.
  ov::Output<ov::Node> find(const ov::OutputVector& ports, const char* kind, const std::string& name) const {
    std::string found;
    for (const auto& port : ports) {
      const auto& names = port.get_names();
      if (names.count(name) != 0) return port;
      for (const auto& other : names) found.append(found.empty() ? "" : ", ").append(other);
    }
    refuse(std::string("expected an ") + kind + " '" + name + "', as model.yaml says, found " + found,
           "correct the name in the manifest or export the network again");
  }

  /// `label` is like "output 'keys'".
  void type(const ov::Output<ov::Node>& port, const std::string& label, ov::element::Type expected) const {
    if (port.get_element_type() == expected) return;
    refuse(label + ": expected type " + expected.get_type_name() + ", found " + port.get_element_type().get_type_name(),
           "export the network with that type or correct the manifest");
  }

  void shape(const ov::Output<ov::Node>& port, const std::string& label, const ov::PartialShape& expected,
             const std::string& remedy) const {
    if (port.get_partial_shape().compatible(expected)) return;
    refuse(label + ": expected shape " + to_text(expected) + ", found " + to_text(port.get_partial_shape()), remedy);
  }

  /// A network with more inputs or outputs than the manifest names is not the one that it describes.
  void all_named(const ov::OutputVector& ports, const ov::OutputVector& named, const char* kind) const {
    for (const auto& port : ports) {
      if (std::find(named.begin(), named.end(), port) != named.end()) continue;
      const auto& names = port.get_names();
      refuse(std::string("the network has the ") + kind + " '" + (names.empty() ? "" : *names.begin()) +
                 "', which model.yaml does not name",
             "describe it in the manifest or export the network without it");
    }
    if (ports.size() == named.size()) return;
    refuse("expected " + std::to_string(named.size()) + " tensors, one for each " + kind + " of model.yaml, found " +
               std::to_string(ports.size()),
           "two names of the manifest mean the same tensor; correct them");
  }

 private:
  const std::string& file_;
};

/// One static shape of the network: does it give the outputs that the manifest promises?
void check_chunk(const Check& check, const ov::Model& model, const Manifest& manifest, std::uint32_t chunk) {
  const NetworkOptions& network = manifest.network;
  const std::shared_ptr<ov::Model> probe = model.clone();
  const std::string at =
      "' (for a chunk of " + std::to_string(chunk) + " feature frames and " + std::to_string(kProbeRows) + " rows)";
  const std::string remedy = "export the network with open batch and time dimensions, or correct the manifest";
  try {
    std::map<ov::Output<ov::Node>, ov::PartialShape> shapes;
    for (std::size_t i = 0; i < 1 + network.counters.size() + network.states.size(); ++i) {
      const auto port = check.find(probe->inputs(), "input", input_name(network, i));
      shapes[port] = input_shape(manifest, i, kProbeRows, chunk + network.look_ahead);
    }
    probe->reshape(shapes);
  } catch (const ov::Exception& fault) {
    check.refuse(
        "the network does not take a chunk of " + std::to_string(chunk) + " feature frames: " + one_line(fault),
        remedy);
  }
  const auto log_probs = check.find(probe->outputs(), "output", network.output);
  check.shape(log_probs, "output '" + network.output + at,
              {kProbeRows, manifest.output_frames(chunk), static_cast<std::int64_t>(manifest.tokens.size())}, remedy);
  for (const StateOptions& state : network.states) {
    ov::PartialShape expected = state_shape(state, kProbeRows);
    if (state.advance == Advance::kRing) expected[state.axis] = ov::Dimension(1, -1);
    check.shape(check.find(probe->outputs(), "output", state.output), "output '" + state.output + at, expected, remedy);
  }
}

/// Checks names, element types, shapes for every chunk length, and the vocabulary.
NetworkPorts check_network(const std::shared_ptr<ov::Model>& model, const Manifest& manifest, const std::string& file) {
  const Check check(file);
  const NetworkOptions& network = manifest.network;
  const std::string remedy = "export the network with an open batch dimension, or correct the manifest";
  NetworkPorts ports;
  for (std::size_t i = 0; i < 1 + network.counters.size() + network.states.size(); ++i) {
    const std::string& name = input_name(network, i);
    ports.inputs.push_back(check.find(model->inputs(), "input", name));
    check.type(ports.inputs.back(), "input '" + name + "'", input_type(network, i));
    check.shape(ports.inputs.back(), "input '" + name + "'",
                input_shape(manifest, i, kProbeRows, ov::Dimension::dynamic()), remedy);
  }
  for (std::size_t i = 0; i < 1 + network.states.size(); ++i) {
    const std::string& name = output_name(network, i);
    ports.outputs.push_back(check.find(model->outputs(), "output", name));
    check.type(ports.outputs.back(), "output '" + name + "'",
               i == 0 ? ov::element::Type(ov::element::f32) : type_of(network.states[i - 1]));
  }
  check.all_named(model->inputs(), ports.inputs, "input");
  check.all_named(model->outputs(), ports.outputs, "output");
  const auto vocabulary = static_cast<std::int64_t>(manifest.tokens.size());
  const auto& found = ports.outputs[0].get_partial_shape();
  if (!found.compatible({ov::Dimension::dynamic(), ov::Dimension::dynamic(), vocabulary})) {
    check.refuse("output '" + network.output + "': expected [batch, frames, " + std::to_string(vocabulary) +
                     "], one value for each line of tokens.txt, found " + to_text(found),
                 "give the bundle the tokens that the network was trained with");
  }
  for (const std::uint32_t chunk : network.chunks) check_chunk(check, *model, manifest, chunk);
  return ports;
}

/// Numbers too small to be normal count as zero, on whatever thread a copy computes: they cost a hundred times the
/// time.
class FlushDenormals {
 public:
  FlushDenormals() noexcept : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON); }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned int before_;
};

class OpenVinoCopy final : public NetworkCopy {
 public:
  OpenVinoCopy(const Manifest& manifest, ov::CompiledModel compiled, const NetworkPorts& ports,
               std::uint32_t batch_size)
      : manifest_(manifest), compiled_(std::move(compiled)), request_(compiled_.create_infer_request()) {
    const std::uint32_t longest = manifest.network.chunks.back() + manifest.network.look_ahead;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < ports.inputs.size(); ++i) {
      Input input;
      input.port = compiled_.input(*ports.inputs[i].get_names().begin());
      input.type = ports.inputs[i].get_element_type();
      input.offset = bytes;
      const ov::Shape largest = input_shape(manifest, i, batch_size, longest).to_shape();
      bytes += round_up(ov::shape_size(largest) * input.type.size(), kCacheLine);
      inputs_.push_back(std::move(input));
    }
    for (const auto& port : ports.outputs) output_ports_.push_back(compiled_.output(*port.get_names().begin()));
    outputs_.resize(output_ports_.size());
    memory_ = Slab(bytes, "network inputs");
  }

  std::byte* input(std::size_t index) noexcept override { return memory_.data() + inputs_[index].offset; }

  void infer(std::uint32_t chunk_frames, std::uint32_t rows) override {
    const InferenceMark mark;
    const FlushDenormals flush;
    if (chunk_frames != chunk_frames_ || rows != rows_) bind(chunk_frames, rows);
    request_.infer();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const ov::Tensor tensor = request_.get_tensor(output_ports_[i]);
      outputs_[i] = {static_cast<const std::byte*>(tensor.data()), tensor.get_byte_size()};
    }
  }

  Output output(std::size_t index) const noexcept override { return outputs_[index]; }

 private:
  struct Input {
    ov::Output<const ov::Node> port;
    ov::element::Type type;
    std::size_t offset = 0;  // in memory_
  };

  /// Shows the request the input memory under these lengths; nothing is copied.
  void bind(std::uint32_t chunk_frames, std::uint32_t rows) {
    rows_ = 0;  // should anything below throw, the next call binds again
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto shape = input_shape(manifest_, i, rows, chunk_frames + manifest_.network.look_ahead).to_shape();
      request_.set_tensor(inputs_[i].port, ov::Tensor(inputs_[i].type, shape, input(i)));
    }
    chunk_frames_ = chunk_frames;
    rows_ = rows;
  }

  const Manifest& manifest_;
  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  std::vector<Input> inputs_;
  std::vector<ov::Output<const ov::Node>> output_ports_;
  std::vector<Output> outputs_;
  Slab memory_;
  std::uint32_t chunk_frames_ = 0, rows_ = 0;
};

/// Of a file that is no network description OpenVINO asks its readers of other formats, some of which print what they
/// think of it; so one that is something else, or was cut short, is told apart here.
void check_is_whole(const std::string& file) {
  if (std::filesystem::path(file).extension() != ".xml") return;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("the file cannot be opened");
  std::string head(512, ' '), tail(64, ' ');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  stream.clear();
  stream.seekg(-std::min<std::streamoff>(stream.seekg(0, std::ios::end).tellg(), 64), std::ios::end);
  stream.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  if (head.find("<net ") == std::string::npos)
    throw std::runtime_error("it does not begin as a network does, with <net");
  if (tail.find("</net>") == std::string::npos)
    throw std::runtime_error("it does not end as a network does, with </net>");
}

class OpenVinoNetwork final : public Network {
 public:
  OpenVinoNetwork(const Manifest& manifest, const std::string& file) : manifest_(manifest), file_(file) {
    const InferenceMark mark;
    try {
      check_is_whole(file);
      model_ = shared_core().read_model(file);
    } catch (const std::exception& fault) {
      throw Error(ErrorCode::kInvalidModel, file + ": OpenVINO cannot read the network: " + one_line(fault) +
                                                "; copy the bundle again or export it again");
    }
    ports_ = check_network(model_, manifest, file);
  }

  std::unique_ptr<NetworkCopy> compile(std::uint32_t batch_size) const override {
    const InferenceMark mark;
    const auto& chunks = manifest_.network.chunks;
    const std::uint32_t look_ahead = manifest_.network.look_ahead;
    try {
      const std::shared_ptr<ov::Model> shaped = model_->clone();
      std::map<std::string, ov::PartialShape> shapes;
      for (std::size_t i = 0; i < ports_.inputs.size(); ++i) {
        shapes[*ports_.inputs[i].get_names().begin()] =
            input_shape(manifest_, i, {1, batch_size}, {chunks.front() + look_ahead, chunks.back() + look_ahead});
      }
      shaped->reshape(shapes);
      return std::make_unique<OpenVinoCopy>(manifest_, compile_for_one_thread(shaped), ports_, batch_size);
    } catch (const ov::Exception& fault) {
      throw Error(ErrorCode::kInvalidModel, file_ + ": OpenVINO cannot compile the network: " + one_line(fault) +
                                                "; export it again, with operations that its CPU plugin has");
    }
  }

 private:
  const Manifest& manifest_;  // of the model that owns this network
  const std::string file_;
  std::shared_ptr<ov::Model> model_;
  NetworkPorts ports_;
};

}  // namespace

std::unique_ptr<Network> read_openvino_network(const Manifest& manifest, const std::string& file) {
  return std::make_unique<OpenVinoNetwork>(manifest, file);
}

}  // namespace cosyvoice
