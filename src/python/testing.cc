// Single stages of the engine for tests that compare them with oracles. The stages run as the engine runs them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "bundle/manifest.h"
#include "core/encoder.h"
#include "core/offline.h"
#include "frontend/audio_ring.h"
#include "frontend/feature_extractor.h"
#include "frontend/feature_stream.h"
#include "frontend/resampler.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "runtime/slab.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

using Rows = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Samples = nb::ndarray<nb::numpy, float, nb::ndim<1>>;

constexpr std::size_t kRingBytes = 64 * 1024;
constexpr std::size_t kCapacityRows = 256;

/// Hands a vector over to Python without a copy.
template <class Array>
Array own(std::vector<float> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<float>(std::move(values));
  const nb::capsule owner(kept, [](void* vector) noexcept { delete static_cast<std::vector<float>*>(vector); });
  return Array(kept->data(), shape, owner);
}

const float* check_float(const PcmView& view) {
  if (view.kind() != PcmView::Kind::kFloat32) throw nb::type_error("pcm must be a float32 array");
  return view.float32();
}

class FeatureRun {
 public:
  FeatureRun(const Manifest& manifest, std::uint32_t sample_rate)
      : manifest_(manifest),
        ring_memory_(AudioRing::bytes_needed(kRingBytes), "a test's ring"),
        stream_memory_(FeatureStream::bytes_needed(kCapacityRows * row_bytes()), "a test's features"),
        ring_(ring_memory_.data(), kRingBytes),
        stream_(stream_memory_.data(), kCapacityRows * row_bytes()),
        extractor_(manifest.features) {
    ring_.open(sizeof(float));
    stream_.open(manifest.features, sample_rate, Encoding::kF32le, kCapacityRows);
  }

  std::vector<float> run(const float* samples, std::size_t count) {
    std::size_t written = 0;
    while (stream_.samples_read() < count) {
      const std::size_t part = std::min(count - written, ring_.writable_samples());
      ring_.write(samples + written, part, 0);
      written += part;
      stream_.read_from(ring_, count);
      compute();
    }
    const std::uint64_t frames = stream_.frames_covering(count);
    while (stream_.end() < frames) {
      stream_.pad_to(frames);
      compute();
    }
    rows_.resize(static_cast<std::size_t>(frames) * manifest_.features.dim());
    return std::move(rows_);
  }

 private:
  std::size_t row_bytes() const { return manifest_.features.dim() * sizeof(float); }

  void compute() {
    FeatureStream* stream = &stream_;
    extractor_.run(&stream, 1);
    const std::uint64_t begin = stream_.begin();
    const std::uint64_t end = stream_.end();
    if (begin == end) return;
    const float* first = stream_.features(begin);
    rows_.insert(rows_.end(), first, first + (end - begin) * manifest_.features.dim());
    stream_.release_before(end);
    stream_.compact();
  }

  const Manifest& manifest_;
  Slab ring_memory_, stream_memory_;
  AudioRing ring_;
  FeatureStream stream_;
  FeatureExtractor extractor_;
  std::vector<float> rows_;
};

Rows log_mel(const std::string& bundle, nb::handle pcm, std::int64_t sample_rate) {
  const PcmView view(pcm);
  const float* samples = check_float(view);
  const auto rate = narrow<std::uint32_t>("sample_rate", sample_rate);
  std::vector<float> rows;
  std::size_t dim = 0;
  {
    const nb::gil_scoped_release nogil;
    const Manifest manifest = load_manifest(bundle);
    dim = manifest.features.dim();
    rows = FeatureRun(manifest, rate).run(samples, view.count());
  }
  const std::size_t frames = rows.size() / dim;
  return own<Rows>(std::move(rows), {frames, dim});
}

Rows log_probs(const std::string& bundle, nb::handle features, std::int64_t chunk_frames,
               const std::string& precision) {
  const PcmView view(features);
  const float* rows = check_float(view);
  const Precision asked = parse_precision(precision);
  std::vector<float> found;
  std::size_t vocabulary = 0;
  {
    const nb::gil_scoped_release nogil;
    ModelRuntimeOptions options;
    options.slots = 1;
    options.batch_size = 1;
    options.precision = asked;
    const std::shared_ptr<LoadedModel> model = load_openvino_model(load_manifest(bundle), options);
    vocabulary = model->manifest().tokens.size();
    found = run_offline(*model, rows, view.count() / model->manifest().features.dim(),
                        narrow<std::uint32_t>("chunk_frames", chunk_frames));
  }
  const std::size_t frames = found.size() / vocabulary;
  return own<Rows>(std::move(found), {frames, vocabulary});
}

Samples resample(nb::handle pcm, std::int64_t from_hz, std::int64_t to_hz) {
  const PcmView view(pcm);
  const float* samples = check_float(view);
  const std::size_t count = view.count();
  std::vector<float> out;
  {
    const nb::gil_scoped_release nogil;
    Resampler resampler;
    resampler.open(resampler_filter(narrow<std::uint32_t>("from_hz", from_hz), narrow<std::uint32_t>("to_hz", to_hz)));
    const auto feed = [&](const float* in, std::size_t n) {
      const std::size_t before = out.size();
      out.resize(before + resampler.max_output(n));
      out.resize(before + resampler.process(in, n, out.data() + before));
    };
    for (std::size_t i = 0; i < count; i += Resampler::kMaxInput)
      feed(samples + i, std::min(Resampler::kMaxInput, count - i));
    const std::vector<float> silence(Resampler::kMaxInput);
    const std::uint64_t wanted = resampler.outputs_covering(count);
    while (out.size() < wanted) feed(silence.data(), silence.size());
    out.resize(static_cast<std::size_t>(wanted));
  }
  const std::size_t size = out.size();
  return own<Samples>(std::move(out), {size});
}

}  // namespace

void bind_testing(nb::module_& module) {
  module.def(
      "log_mel", &log_mel, "bundle"_a, "pcm"_a, "sample_rate"_a,
      nb::sig("def log_mel(bundle: str, pcm: typing_extensions.Buffer, sample_rate: int) -> "
              "numpy.typing.NDArray[numpy.float32]"),
      "For tests and exports: feature rows [frames, dim] of float32 samples, through ring, resampler and lanes.");
  module.def(
      "log_probs", &log_probs, "bundle"_a, "features"_a, "chunk_frames"_a, "precision"_a = "f32",
      nb::sig("def log_probs(bundle: str, features: typing_extensions.Buffer, chunk_frames: int, precision: str = "
              "'f32') -> "
              "numpy.typing.NDArray[numpy.float32]"),
      "For tests: log-probabilities [frames, vocabulary] of feature rows, flattened, fed to the network chunk "
      "by chunk.");
  module.def("resample", &resample, "pcm"_a, "from_hz"_a, "to_hz"_a,
             nb::sig("def resample(pcm: typing_extensions.Buffer, from_hz: int, to_hz: int) -> "
                     "numpy.typing.NDArray[numpy.float32]"),
             "For tests: float32 samples at another rate, sample 0 at time 0, as many as cover the same time.");
}

}  // namespace cosyvoice::python
