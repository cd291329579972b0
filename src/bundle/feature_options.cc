#include "bundle/feature_options.h"

#include <cmath>
#include <sstream>

#include "bundle/text_file.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::uint32_t kFft = 512;
constexpr std::size_t kMaxCmvnBytes = 64 * 1024;
constexpr double kMsPerSecond = 1000.0;

std::uint32_t samples_of(double ms, std::uint32_t sample_rate) {
  return static_cast<std::uint32_t>(std::lround(ms * sample_rate / kMsPerSecond));
}

std::string to_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void check_whole_samples(const YamlMapping& features, std::string_view key, double ms, std::uint32_t sample_rate) {
  const double samples = ms * sample_rate / kMsPerSecond;
  if (std::abs(samples - std::round(samples)) > 1e-6 || samples < 1.0) {
    features.refuse(key, "a whole number of samples at " + std::to_string(sample_rate) + " Hz",
                    to_text(ms) + " ms, which is " + to_text(samples) + " samples");
  }
}

MelOptions read_mel(const YamlMapping& features, std::uint32_t sample_rate) {
  const YamlMapping mel = features.mapping("mel", {"bins", "scale", "triangles", "norm", "low_hz", "high_hz"});
  const double nyquist = sample_rate / 2.0;
  MelOptions options;
  options.bins = mel.count("bins", 1, kFft / 2);
  options.scale = mel.choice<MelScale>("scale", {{"htk", MelScale::kHtk}, {"slaney", MelScale::kSlaney}});
  options.triangles = mel.choice<MelTriangles>("triangles", {{"hz", MelTriangles::kHz}, {"mel", MelTriangles::kMel}});
  options.norm = mel.choice<MelNorm>("norm", {{"none", MelNorm::kNone}, {"slaney", MelNorm::kSlaney}});
  options.low_hz = mel.number("low_hz", 0.0, nyquist);
  options.high_hz = mel.number("high_hz", 0.0, nyquist);
  if (options.low_hz >= options.high_hz) {
    mel.refuse("low_hz", "less than high_hz (" + to_text(options.high_hz) + ")", to_text(options.low_hz));
  }
  return options;
}

/// The means of the bins, then their inverse deviations, separated by white space.
void read_cmvn(const YamlMapping& features, const std::string& directory, FeatureOptions& options) {
  const std::string& name = features.text("cmvn");
  if (name == "none") return;
  const std::string path = directory + "/" + name;
  std::istringstream text(read_text_file(path, kMaxCmvnBytes));
  std::vector<float> values;
  for (float value = 0.0F; text >> value;) {
    if (!std::isfinite(value)) features.refuse("cmvn", "finite numbers in " + path, "one that is not");
    values.push_back(value);
  }
  const std::size_t expected = 2U * options.mel.bins;
  if (!text.eof() || values.size() != expected) {
    features.refuse("cmvn",
                    std::to_string(expected) + " numbers in " + path + " (" + std::to_string(options.mel.bins) +
                        " means, then as many inverse deviations)",
                    std::to_string(values.size()) + (text.eof() ? "" : " and something that is no number"));
  }
  const auto middle = values.begin() + options.mel.bins;
  options.cmvn_mean.assign(values.begin(), middle);
  options.cmvn_inverse_deviation.assign(middle, values.end());
}

}  // namespace

FeatureOptions read_features(const YamlMapping& manifest, const std::string& directory) {
  const YamlMapping features = manifest.mapping(
      "features", {"sample_rate", "window_ms", "hop_ms", "fft", "window", "pre_emphasis", "remove_dc", "input_scale",
                   "spectrum", "mel", "log", "floor", "offset", "scale", "cmvn", "edges", "stack"});
  FeatureOptions options;
  options.sample_rate = features.count("sample_rate", 8000, 48000);
  options.fft = features.count("fft", kFft, kFft);
  options.window_ms = features.number("window_ms", 1.0, 1000.0);
  check_whole_samples(features, "window_ms", options.window_ms, options.sample_rate);
  if (options.window_samples() > options.fft) {
    features.refuse(
        "window_ms", "a window of at most fft (" + std::to_string(options.fft) + ") samples",
        std::to_string(options.window_samples()) + " samples at " + std::to_string(options.sample_rate) + " Hz");
  }
  options.hop_ms = features.number("hop_ms", 1.0, 1000.0);
  check_whole_samples(features, "hop_ms", options.hop_ms, options.sample_rate);
  if (options.hop_ms > options.window_ms) {
    features.refuse("hop_ms", "at most window_ms (" + to_text(options.window_ms) + "), so that every sample is seen",
                    to_text(options.hop_ms));
  }
  options.window = features.choice<WindowKind>(
      "window", {{"hann", WindowKind::kHann}, {"hamming", WindowKind::kHamming}, {"povey", WindowKind::kPovey}});
  options.pre_emphasis = features.number("pre_emphasis", 0.0, 1.0);
  options.remove_dc = features.boolean("remove_dc");
  options.input_scale = features.number("input_scale", 1.0, 32768.0);
  if (options.input_scale != 1.0 && options.input_scale != 32768.0) {
    features.refuse("input_scale", "1 | 32768", to_text(options.input_scale));
  }
  options.spectrum = features.choice<SpectrumKind>(
      "spectrum", {{"power", SpectrumKind::kPower}, {"magnitude", SpectrumKind::kMagnitude}});
  options.mel = read_mel(features, options.sample_rate);
  options.log = features.choice<LogKind>("log", {{"ln", LogKind::kLn}, {"log10", LogKind::kLog10}});
  // A floor below the smallest normal float would be flushed to zero, whose logarithm is minus infinity.
  options.floor = features.number("floor", 1e-37, 1e37);
  options.offset = features.number("offset", -1e6, 1e6);
  options.scale = features.number("scale", -1e6, 1e6);
  if (options.scale == 0.0) features.refuse("scale", "a number other than 0", "0, which makes all features equal");
  read_cmvn(features, directory, options);
  options.edges = features.choice<Edges>("edges", {{"snip", Edges::kSnip}, {"centred", Edges::kCentred}});
  const YamlMapping stack = features.mapping("stack", {"frames", "stride"});
  options.stack_frames = stack.count("frames", 1, 16);
  options.stack_stride = stack.count("stride", 1, 16);
  return options;
}

std::uint32_t FeatureOptions::window_samples() const {
  return samples_of(window_ms, sample_rate);
}
std::uint32_t FeatureOptions::hop_samples() const {
  return samples_of(hop_ms, sample_rate);
}

}  // namespace cosyvoice
