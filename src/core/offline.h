#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/encoder.h"

namespace cosyvoice {

/// Streams one utterance's features ([frames][features dim]) through slot 0, which must be no session's, in chunks of
/// `chunk_frames`, and returns the log-probabilities [output frames][vocabulary]. Frames at the end that do not fill
/// chunk and look-ahead are not read. Throws Error: the errors of prepare(), kInferenceFailed.
std::vector<float> run_offline(LoadedModel& model, const float* features, std::size_t frames,
                               std::uint32_t chunk_frames);

}  // namespace cosyvoice
