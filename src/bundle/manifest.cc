#include "bundle/manifest.h"

#include <cctype>
#include <cmath>
#include <filesystem>

#include "bundle/bundle_files.h"
#include "bundle/embedded_bundles.h"
#include "bundle/feature_options.h"
#include "bundle/network_options.h"
#include "bundle/text_file.h"
#include "bundle/tokens.h"
#include "bundle/utf8.h"
#include "bundle/yaml_mapping.h"
#include "bundle/yaml_tree.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::size_t kMaxManifestBytes = 1U << 20U;
constexpr std::int64_t kMaxVersion = 1'000'000'000'000;
constexpr std::int64_t kMaxEmissionOffsetMs = 10'000;
constexpr std::int64_t kMaxWordLeadMs = 1'000;
constexpr double kLeastConfidenceScale = 0.01, kMaxConfidenceScale = 100.0, kMaxConfidenceOffset = 100.0;

std::string list_embedded() {
  std::string list;
  for (const std::string& name : embedded_bundles()) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none is here" : list;
}

/// The absolute bundle directory and its manifest's path, both known to exist.
std::pair<std::string, std::string> locate(const std::string& directory) {
  namespace fs = std::filesystem;
  const std::string remedy = "; name an embedded bundle (" + list_embedded() +
                             ") or a directory that holds model.yaml, tokens.txt and the network's files";
  std::error_code fault;
  if (!fs::exists(directory, fault)) {
    throw Error(ErrorCode::kModelNotFound, "no model at " + in_quotes(directory) +
                                               ": looked for a directory of that name in " +
                                               in_quotes(fs::current_path(fault).string()) + remedy);
  }
  if (!fs::is_directory(directory, fault)) {
    throw Error(ErrorCode::kModelNotFound,
                "no model at " + in_quotes(directory) + ": expected a directory, found a file" + remedy);
  }
  const fs::path absolute = fs::absolute(directory, fault).lexically_normal();
  std::string root = absolute.has_filename() ? absolute.string() : absolute.parent_path().string();
  std::string manifest = root + "/model.yaml";
  if (!fs::is_regular_file(manifest, fault)) {
    throw Error(ErrorCode::kModelNotFound, "no model at " + in_quotes(directory) + ": looked for " + manifest + remedy);
  }
  return {std::move(root), std::move(manifest)};
}

/// A text that goes into events, where an empty one or a line break would be a fault of the bundle.
std::string plain_text(const YamlMapping& manifest, std::string_view key) {
  const std::string& text = manifest.text(key);
  bool has_control = false;
  for (const char letter : text) has_control = has_control || static_cast<unsigned char>(letter) < 0x20;
  if (text.empty() || has_control) manifest.refuse(key, "a text of one line", text.empty() ? "none" : in_quotes(text));
  return text;
}

std::string language_tag(const YamlMapping& manifest) {
  std::string tag = plain_text(manifest, "language");
  for (const char letter : tag) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-') {
      manifest.refuse("language", "a BCP 47 tag such as en or pt-BR", in_quotes(tag));
    }
  }
  return tag;
}

}  // namespace

Manifest load_manifest(const std::string& directory) {
  const auto [root, path] = locate(directory);
  const YamlNode tree = parse_yaml(read_text_file(path, kMaxManifestBytes), path);
  if (const YamlNode* schema = tree.find("schema"); schema != nullptr && schema->text != std::to_string(kSchema)) {
    throw Error(ErrorCode::kInvalidModel, path + ":" + std::to_string(schema->line) + ": schema: expected " +
                                              std::to_string(kSchema) + ", the one this engine reads, found " +
                                              schema->describe() + "; use the engine that the bundle was made for");
  }
  const YamlMapping yaml(tree, path, "",
                         {"schema", "name", "version", "language", "licence", "weights", "notes", "case",
                          "word_boundary", "emission_offset_ms", "features", "network", "search", "files"},
                         {"word_lead_ms", "confidence"});
  Manifest manifest;
  yaml.integer("schema", kSchema, kSchema);
  manifest.directory = root;
  manifest.name = plain_text(yaml, "name");
  manifest.version = yaml.integer("version", 1, kMaxVersion);
  manifest.language = language_tag(yaml);
  manifest.licence = plain_text(yaml, "licence");
  manifest.trained = yaml.choice<bool>("weights", {{"trained", true}, {"random", false}});
  manifest.notes = yaml.text("notes");
  yaml.choice<int>("case", {{"lower", 0}, {"upper", 1}, {"mixed", 2}});
  manifest.letter_case = yaml.text("case");
  manifest.word_boundary = plain_text(yaml, "word_boundary");
  manifest.emission_offset_ms =
      static_cast<std::int32_t>(yaml.integer("emission_offset_ms", -kMaxEmissionOffsetMs, kMaxEmissionOffsetMs));
  if (yaml.has("word_lead_ms")) {
    manifest.word_lead_ms = static_cast<std::int32_t>(yaml.integer("word_lead_ms", 0, kMaxWordLeadMs));
  }
  if (yaml.has("confidence")) {
    const YamlMapping confidence = yaml.mapping("confidence", {"scale", "offset"});
    manifest.confidence_scale =
        static_cast<float>(confidence.number("scale", kLeastConfidenceScale, kMaxConfidenceScale));
    manifest.confidence_offset =
        static_cast<float>(confidence.number("offset", -kMaxConfidenceOffset, kMaxConfidenceOffset));
  }
  const YamlMapping search = yaml.mapping("search", {"kind"}, {"lm"});
  search.choice<int>("kind", {{"ctc_greedy", 0}});
  check_files(yaml, root);
  if (search.has("lm")) manifest.lm = root + "/" + search.text("lm");
  manifest.features = read_features(yaml, root);
  manifest.tokens = read_tokens(root + "/tokens.txt");
  manifest.network = read_network(yaml, root, manifest.features, manifest.tokens.size());
  return manifest;
}

std::uint32_t Manifest::chunk_ms(std::uint32_t frames) const {
  return static_cast<std::uint32_t>(std::lround(frames * features.hop_ms * features.stack_stride));
}

std::int32_t Manifest::whole_frames(std::int32_t ms) const {
  const auto frame_ms = static_cast<std::int32_t>(network.output_frame_ms);
  return (ms + frame_ms / 2) / frame_ms;
}

std::uint32_t Manifest::output_frames(std::uint32_t chunk_frames) const {
  return chunk_ms(chunk_frames) / network.output_frame_ms;
}

}  // namespace cosyvoice
