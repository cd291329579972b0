#include "core/batch_run.h"

#include <cmath>
#include <cstring>
#include <string>

#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

bool all_finite(const float* values, std::size_t count) noexcept {
  // A sum of products with zero is zero, or NaN where any value is infinite or NaN; it needs no branch in the loop.
  float probe = 0.0F;
  for (std::size_t i = 0; i < count; ++i) probe += values[i] * 0.0F;
  return probe == 0.0F;
}

}  // namespace

void BatchRun::gather(NetworkCopy& copy, const FeatureChunk& chunk, BatchRow at) const noexcept {
  const NetworkOptions& network = manifest_.network;
  const std::size_t feature_bytes = (chunk.frames + network.look_ahead) * manifest_.features.dim() * sizeof(float);
  std::memcpy(copy.input(0) + at.row * feature_bytes, chunk.features, feature_bytes);
  const std::int64_t position = chunk.fresh ? 0 : chunk.position;
  std::size_t index = 1;
  for (std::size_t i = 0; i < network.counters.size(); ++i, ++index) {
    std::memcpy(copy.input(index) + at.row * sizeof position, &position, sizeof position);
  }
  for (std::size_t i = 0; i < states_.count(); ++i, ++index) {
    states_.gather(i, chunk.slot, chunk.fresh, at, copy.input(index));
  }
}

void BatchRun::infer(NetworkCopy& copy, std::uint32_t chunk_frames, std::uint32_t rows) const {
  copy.infer(chunk_frames, rows);
  const auto refuse = [&](const std::string& name, std::size_t bytes, std::size_t expected) {
    throw Error(ErrorCode::kInvalidModel, manifest_.network.file + ": output '" + name + "': expected " +
                                              std::to_string(expected) + " bytes for " + std::to_string(rows) +
                                              " rows of a chunk of " + std::to_string(chunk_frames) + ", found " +
                                              std::to_string(bytes) + "; export the network again");
  };
  const std::size_t expected =
      std::size_t{rows} * manifest_.output_frames(chunk_frames) * manifest_.tokens.size() * sizeof(float);
  if (copy.output(0).bytes != expected) refuse(manifest_.network.output, copy.output(0).bytes, expected);
  for (std::size_t i = 0; i < states_.count(); ++i) {
    const std::size_t bytes = copy.output(1 + i).bytes;
    if (!states_.fits(i, rows, bytes)) refuse(manifest_.network.states[i].output, bytes, rows * states_.row_bytes(i));
  }
}

bool BatchRun::take_outputs(const NetworkCopy& copy, const FeatureChunk& chunk, BatchRow at) const noexcept {
  const std::size_t values = std::size_t{manifest_.output_frames(chunk.frames)} * manifest_.tokens.size();
  const auto* row = reinterpret_cast<const float*>(copy.output(0).data) + at.row * values;
  if (!all_finite(row, values)) return false;
  std::memcpy(chunk.log_probs, row, values * sizeof(float));
  for (std::size_t i = 0; i < states_.count(); ++i) {
    const NetworkCopy::Output output = copy.output(1 + i);
    states_.scatter(i, chunk.slot, chunk.fresh, at, output.data, output.bytes);  // infer() has checked the size
  }
  return true;
}

void BatchRun::run(NetworkCopy& copy, const FeatureChunk* const* chunks, std::size_t count,
                   EncoderOutput* outputs) const noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    outputs[i] = {};
    outputs[i].slot = chunks[i]->slot;
    outputs[i].status = ErrorCode::kInferenceFailed;
    gather(copy, *chunks[i], {i, count});
  }
  try {
    infer(copy, chunks[0]->frames, static_cast<std::uint32_t>(count));
  } catch (...) {
    // One bad chunk must not take the others along. What it says went to nobody yet: the status speaks for it.
    if (count > 1) {
      for (std::size_t i = 0; i < count; ++i) run(copy, chunks + i, 1, outputs + i);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!take_outputs(copy, *chunks[i], {i, count})) continue;
    outputs[i].status = ErrorCode::kOk;
    outputs[i].frames = manifest_.output_frames(chunks[i]->frames);
    outputs[i].dim = static_cast<std::uint32_t>(manifest_.tokens.size());
    outputs[i].kind = OutputKind::kCtc;
    outputs[i].data = chunks[i]->log_probs;
  }
}

}  // namespace cosyvoice
