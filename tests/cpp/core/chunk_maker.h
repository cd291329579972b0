// Chunks with their own feature and output memory, and the batch of pointers that an encoder takes.
#pragma once

#include <vector>

#include "core/encoder.h"

namespace cosyvoice::testing {

class ChunkMaker {
 public:
  /// `frames` feature frames and `look_ahead` more; `output_values` log-probabilities.
  void add(std::uint32_t slot, std::uint32_t frames, bool fresh, std::int64_t position, std::vector<float> features,
           std::size_t output_values) {
    FeatureChunk chunk;
    chunk.slot = slot;
    chunk.frames = frames;
    chunk.fresh = fresh;
    chunk.position = position;
    features_.push_back(std::move(features));
    log_probs_.emplace_back(output_values, kUntouched);
    chunk.features = features_.back().data();
    chunk.log_probs = log_probs_.back().data();
    chunks_.push_back(chunk);
  }

  const std::vector<EncoderOutput>& run(Encoder& encoder) {
    std::vector<const FeatureChunk*> batch;
    for (const FeatureChunk& chunk : chunks_) batch.push_back(&chunk);
    outputs_.assign(chunks_.size(), EncoderOutput{});
    encoder.run(batch.data(), batch.size(), outputs_.data());
    return outputs_;
  }

  const std::vector<float>& log_probs(std::size_t index) const { return log_probs_[index]; }
  const FeatureChunk& chunk(std::size_t index) const { return chunks_[index]; }

  static constexpr float kUntouched = -12345.0F;

 private:
  std::vector<std::vector<float>> features_, log_probs_;  // moved with their memory when these grow
  std::vector<FeatureChunk> chunks_;
  std::vector<EncoderOutput> outputs_;
};

}  // namespace cosyvoice::testing
