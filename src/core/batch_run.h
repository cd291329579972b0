// One batch of chunks through one compiled copy: gather, infer, scatter.
#pragma once

#include "bundle/manifest.h"
#include "core/network.h"
#include "core/state_slab.h"
#include "types/encoder_output.h"
#include "types/feature_chunk.h"

namespace cosyvoice {

class BatchRun {
 public:
  BatchRun(const Manifest& manifest, StateSlab& states) : manifest_(manifest), states_(states) {}

  /// `count` chunks of one chunk length, a batch at most. Each row that gives finite numbers advances its states, fills
  /// its chunk's log_probs and has status kOk; when a batch fails as a whole, its rows are tried one by one.
  void run(NetworkCopy& copy, const FeatureChunk* const* chunks, std::size_t count,
           EncoderOutput* outputs) const noexcept;

  /// Throws what the inference library throws, and Error(kInvalidModel) when an output has not the size promised.
  void infer(NetworkCopy& copy, std::uint32_t chunk_frames, std::uint32_t rows) const;

 private:
  void gather(NetworkCopy& copy, const FeatureChunk& chunk, BatchRow at) const noexcept;
  bool take_outputs(const NetworkCopy& copy, const FeatureChunk& chunk, BatchRow at) const noexcept;

  const Manifest& manifest_;
  StateSlab& states_;
};

}  // namespace cosyvoice
