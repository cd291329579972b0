// The one encoder contract: the Core runs any network that a manifest describes, and knows nothing else about it.
//
// A LoadedModel owns the compiled network and its StateSlab (the states of every slot). Each worker thread makes its
// own Encoder from it (one infer request); run() is called by that worker alone. A slot's states are touched by the
// worker that runs its chunk, and a session has one chunk in flight, so states need no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bundle/manifest.h"
#include "core/precision.h"
#include "types/encoder_output.h"
#include "types/feature_chunk.h"

namespace cosyvoice {

class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Runs `count` chunks of one chunk length as one batch: gathers features and states, infers, advances the states,
  /// copies each row of the output to its chunk's log_probs and fills outputs[i]. Never throws: a failure sets every
  /// status to kInferenceFailed. Allocates nothing outside the inference itself.
  virtual void run(const FeatureChunk* const* chunks, std::size_t count, EncoderOutput* outputs) noexcept = 0;
};

struct ModelRuntimeOptions {
  std::uint32_t slots = 0;  ///< states are mapped for so many
  std::uint32_t batch_size = 16;
  std::uint32_t workers = 1;
  double max_batch_ms = 40.0;
  bool huge_pages = false;                 ///< for the states
  Precision precision = Precision::kAuto;  ///< which of the bundle's networks is loaded
};

class LoadedModel {
 public:
  virtual ~LoadedModel() = default;
  virtual const Manifest& manifest() const = 0;
  /// Which of the manifest's networks this is, and why.
  virtual const PrecisionChoice& precision() const = 0;
  /// The network compiled for one chunk length (compiled and warmed up at first use, then kept). Thread-safe; throws
  /// kInvalidModel.
  virtual void prepare(std::uint32_t chunk_frames) = 0;
  /// Most chunks in one batch of that length so that an inference stays below max_batch_ms, as measured by prepare().
  virtual std::uint32_t batch_cap(std::uint32_t chunk_frames) const = 0;
  /// A worker's own encoder for a prepared chunk length.
  virtual std::unique_ptr<Encoder> make_encoder(std::uint32_t chunk_frames) = 0;
  virtual std::size_t state_bytes_per_slot() const = 0;
};

/// Reads the network of `manifest` with OpenVINO, checks every input, output, state and counter against the manifest
/// (kInvalidModel names the tensor, both shapes and the remedy).
std::shared_ptr<LoadedModel> load_openvino_model(Manifest manifest, const ModelRuntimeOptions& options);

/// True while the calling thread is inside the inference library (its allocations are not ours).
bool inside_inference() noexcept;

}  // namespace cosyvoice
