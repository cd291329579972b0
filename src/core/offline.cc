#include "core/offline.h"

#include <string>

#include "cosyvoice/engine.h"

namespace cosyvoice {

std::vector<float> run_offline(LoadedModel& model, const float* features, std::size_t frames,
                               std::uint32_t chunk_frames) {
  model.prepare(chunk_frames);
  const std::unique_ptr<Encoder> encoder = model.make_encoder(chunk_frames);
  const Manifest& manifest = model.manifest();
  const std::size_t needed = std::size_t{chunk_frames} + manifest.network.look_ahead;
  const std::size_t steps = frames < needed ? 0 : (frames - needed) / chunk_frames + 1;
  const std::size_t step_values = std::size_t{manifest.output_frames(chunk_frames)} * manifest.tokens.size();
  std::vector<float> log_probs(steps * step_values);
  for (std::size_t step = 0; step < steps; ++step) {
    FeatureChunk chunk;
    chunk.frames = chunk_frames;
    chunk.fresh = step == 0;
    chunk.position = static_cast<std::int64_t>(step * chunk_frames);
    chunk.features = features + step * chunk_frames * manifest.features.dim();
    chunk.log_probs = log_probs.data() + step * step_values;
    const FeatureChunk* batch = &chunk;
    EncoderOutput output;
    encoder->run(&batch, 1, &output);
    if (output.status != ErrorCode::kOk) {
      throw Error(output.status, manifest.name + ": the network failed on the chunk that begins at feature frame " +
                                     std::to_string(chunk.position));
    }
  }
  return log_probs;
}

}  // namespace cosyvoice
