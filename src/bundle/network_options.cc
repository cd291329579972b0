#include "bundle/network_options.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bundle/utf8.h"

namespace cosyvoice {
namespace {

constexpr std::uint32_t kMaxChunkFrames = 4096;
constexpr std::uint32_t kMaxRank = 6;
constexpr std::uint32_t kMaxLength = 1U << 20U;
constexpr std::uint64_t kMaxStateElements = 1ULL << 26U;  // 256 MiB of float32 a session: far past any use
constexpr double kMaxHalf = 65504.0;
constexpr double kMaxFloat = 3e38;

std::string joined(const std::vector<std::uint32_t>& values) {
  std::string text = "[";
  for (const auto value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// The name of a tensor: any text that is not empty, and given to one tensor only.
std::string tensor_name(const YamlMapping& from, std::string_view key, std::vector<std::string>& taken) {
  const std::string& name = from.text(key);
  if (name.empty()) from.refuse(key, "the name of a tensor of the network", "an empty text");
  if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
    from.refuse(key, "a tensor that no other key names", in_quotes(name), "give each tensor its own name");
  }
  taken.push_back(name);
  return name;
}

std::vector<std::uint32_t> read_shape(const YamlMapping& state) {
  std::vector<std::uint32_t> shape = state.counts("shape", 1, kMaxLength);
  if (shape.empty() || shape.size() > kMaxRank) {
    state.refuse("shape", "1 to " + std::to_string(kMaxRank) + " lengths", std::to_string(shape.size()));
  }
  std::uint64_t elements = 1;
  for (const std::uint64_t length : shape) {
    elements *= length;
    if (elements > kMaxStateElements) {
      state.refuse("shape", "at most " + std::to_string(kMaxStateElements) + " elements a session",
                   "more in " + joined(shape));
    }
  }
  return shape;
}

StateOptions read_state(const YamlMapping& state, std::vector<std::string>& inputs, std::vector<std::string>& outputs) {
  StateOptions options;
  options.input = tensor_name(state, "input", inputs);
  options.output = tensor_name(state, "output", outputs);
  options.shape = read_shape(state);
  const auto last_axis = static_cast<std::uint32_t>(options.shape.size() - 1);
  options.batch_axis = state.count("batch_axis", 0, last_axis);
  if (options.shape[options.batch_axis] != 1) {
    state.refuse("shape", "length 1 at the batch axis " + std::to_string(options.batch_axis) + " (one session's shape)",
                 joined(options.shape));
  }
  options.type = state.choice<ElementType>("type", {{"f32", ElementType::kF32}, {"f16", ElementType::kF16}});
  const double limit = options.type == ElementType::kF16 ? kMaxHalf : kMaxFloat;
  options.initial = static_cast<float>(state.number("initial", -limit, limit));
  options.advance = state.choice<Advance>("advance", {{"replace", Advance::kReplace}, {"ring", Advance::kRing}});
  if (options.advance == Advance::kReplace) {
    if (state.has("axis")) {
      state.refuse("axis", "no axis beside `advance: replace`", std::to_string(state.integer("axis", 0, kMaxRank)),
                   "remove it, or say `advance: ring`");
    }
    return options;
  }
  if (!state.has("axis")) {
    state.refuse("advance", "the key axis beside `advance: ring`", "none", "add the axis along which the ring turns");
  }
  options.axis = state.count("axis", 0, last_axis);
  if (options.axis == options.batch_axis) {
    state.refuse("axis", "an axis other than batch_axis", std::to_string(options.axis) + " for both");
  }
  return options;
}

/// Chunk lengths rise, and each gives whole milliseconds and whole output frames.
void check_chunks(const YamlMapping& network, const FeatureOptions& features, const NetworkOptions& options) {
  if (options.chunks.empty()) network.refuse("chunks", "at least one chunk length", "none");
  std::uint32_t previous = 0;
  for (const std::uint32_t chunk : options.chunks) {
    if (chunk <= previous) {
      network.refuse("chunks", "rising lengths", joined(options.chunks), "write each once, the shortest first");
    }
    previous = chunk;
    const double ms = chunk * features.hop_ms * features.stack_stride;
    const double frames = ms / options.output_frame_ms;
    if (std::abs(ms - std::round(ms)) > 1e-6 || std::abs(frames - std::round(frames)) > 1e-6 || frames < 1.0) {
      std::ostringstream found;
      found << chunk << " frames of " << features.hop_ms * features.stack_stride << " ms = " << ms << " ms";
      network.refuse("chunks", "multiples of output_frame_ms (" + std::to_string(options.output_frame_ms) + " ms)",
                     found.str());
    }
  }
  if (std::find(options.chunks.begin(), options.chunks.end(), options.default_chunk) == options.chunks.end()) {
    network.refuse("default_chunk", "one of chunks " + joined(options.chunks), std::to_string(options.default_chunk));
  }
}

}  // namespace

NetworkOptions read_network(const YamlMapping& manifest, const std::string& directory, const FeatureOptions& features,
                            std::size_t tokens) {
  const YamlMapping network =
      manifest.mapping("network",
                       {"file", "output_kind", "output_frame_ms", "blank", "chunks", "default_chunk", "look_ahead",
                        "tail_padding_ms", "input", "output", "counters", "states"},
                       {"int8_file"});
  NetworkOptions options;
  options.file = directory + "/" + network.text("file");
  if (network.has("int8_file")) options.int8_file = directory + "/" + network.text("int8_file");
  network.choice<int>("output_kind", {{"ctc", 0}});
  options.output_frame_ms = network.count("output_frame_ms", 1, 10'000);
  options.blank = network.count("blank", 0, kMaxLength);
  if (options.blank >= tokens) {
    network.refuse("blank", "an id of tokens.txt, less than " + std::to_string(tokens), std::to_string(options.blank));
  }
  options.chunks = network.counts("chunks", 1, kMaxChunkFrames);
  options.default_chunk = network.count("default_chunk", 1, kMaxChunkFrames);
  check_chunks(network, features, options);
  options.look_ahead = network.count("look_ahead", 0, kMaxChunkFrames);
  options.tail_padding_ms = network.count("tail_padding_ms", 0, 60'000);

  std::vector<std::string> inputs, outputs;
  options.input = tensor_name(network, "input", inputs);
  options.output = tensor_name(network, "output", outputs);
  for (std::size_t i = 0; i < network.list("counters").size(); ++i) {
    options.counters.push_back(tensor_name(network.member("counters", i, {"input"}), "input", inputs));
  }
  for (std::size_t i = 0; i < network.list("states").size(); ++i) {
    const YamlMapping state =
        network.member("states", i, {"input", "output", "shape", "batch_axis", "type", "initial", "advance"}, {"axis"});
    options.states.push_back(read_state(state, inputs, outputs));
  }
  return options;
}

}  // namespace cosyvoice
