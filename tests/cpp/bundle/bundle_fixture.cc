#include "bundle_fixture.h"

#include <stdexcept>

#include "bundle/manifest.h"
#include "cosyvoice/engine.h"

namespace cosyvoice::testing {
namespace {

// SHA-256 of "network\n", "weights\n" and the three tokens, from `sha256sum`.
constexpr const char* kNetworkHash = "37e48922ed4e00f48d385ec6d593d9b72b8e80634d0f336178340e9153602f1d";
constexpr const char* kWeightsHash = "1b465fa6b6bcbc06a3199e3d2d8aec35d37494a712f888b6d5536684dd89d0f0";
constexpr const char* kTokensHash = "9df797d8367b9488433d89b2b3a811ccf5d6d69c2f326723b1d1ce398b10c5e6";

std::size_t indentation(const std::string& line) {
  return line.find_first_not_of(' ');
}

}  // namespace

std::vector<std::string> valid_manifest() {
  return {
      "schema: 1",
      "name: small",
      "version: 3",
      "language: en",
      "licence: MIT",
      "weights: random",
      "notes: \"for tests\"",
      "case: lower",
      "word_boundary: \"▁\"",
      "emission_offset_ms: -20",
      "features:",
      "  sample_rate: 16000",
      "  window_ms: 25",
      "  hop_ms: 10",
      "  fft: 512",
      "  window: povey",
      "  pre_emphasis: 0.97",
      "  remove_dc: true",
      "  input_scale: 32768",
      "  spectrum: magnitude",
      "  mel:",
      "    bins: 80",
      "    scale: htk",
      "    triangles: mel",
      "    norm: none",
      "    low_hz: 20",
      "    high_hz: 7600",
      "  log: ln",
      "  floor: 1.0e-10",
      "  offset: 4.5",
      "  scale: 0.25",
      "  cmvn: none",
      "  edges: snip",
      "  stack:",
      "    frames: 4",
      "    stride: 2",
      "network:",
      "  file: net.xml",
      "  output_kind: ctc",
      "  output_frame_ms: 40",
      "  blank: 0",
      "  chunks: [4, 8, 16]",
      "  default_chunk: 8",
      "  look_ahead: 1",
      "  tail_padding_ms: 320",
      "  input: features",
      "  output: log_probs",
      "  counters:",
      "    -",
      "      input: position",
      "  states:",
      "    -",
      "      input: tail",
      "      output: tail_next",
      "      shape: [1, 2, 80]",
      "      batch_axis: 0",
      "      type: f32",
      "      initial: 0.5",
      "      advance: replace",
      "    -",
      "      input: keys",
      "      output: keys_new",
      "      shape: [8, 1, 16]",
      "      batch_axis: 1",
      "      type: f16",
      "      initial: 0",
      "      advance: ring",
      "      axis: 0",
      "search:",
      "  kind: ctc_greedy",
      "files:",
      std::string("  net.xml: ") + kNetworkHash,
      std::string("  net.bin: ") + kWeightsHash,
      std::string("  tokens.txt: ") + kTokensHash,
  };
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::size_t line_of(const std::vector<std::string>& lines, const std::string& key, std::size_t nth) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool matches = lines[i].compare(indentation(lines[i]), key.size() + 1, key + ":") == 0;
    if (matches && nth-- == 0) return i;
  }
  throw std::runtime_error("the fixture has no key " + key);
}

std::vector<std::string> without(std::vector<std::string> lines, std::size_t index) {
  const std::size_t depth = indentation(lines[index]);
  auto end = lines.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  while (end != lines.end() && indentation(*end) > depth) ++end;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(index), end);
  return lines;
}

std::vector<std::string> with(std::vector<std::string> lines, const std::string& key, const std::string& value,
                              std::size_t nth) {
  const std::size_t index = line_of(lines, key, nth);
  std::string line = std::string(indentation(lines[index]), ' ') + key + ": " + value;
  lines = without(std::move(lines), index);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(index), std::move(line));
  return lines;
}

void write_bundle(const TemporaryDirectory& directory, const std::vector<std::string>& manifest) {
  directory.write("net.xml", "network\n");
  directory.write("net.bin", "weights\n");
  directory.write("tokens.txt", "<blank> 0\n▁a 1\nb 2\n");
  directory.write("model.yaml", joined(manifest));
}

std::string refusal(const std::vector<std::string>& manifest) {
  const TemporaryDirectory directory;
  write_bundle(directory, manifest);
  try {
    load_manifest(directory.path());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidModel) return "the wrong code: " + std::string(error.what());
    return error.what();
  }
  return "";
}

}  // namespace cosyvoice::testing
