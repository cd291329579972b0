// Front-End → Core: one network step of one session.
#pragma once

#include <cstdint>

namespace cosyvoice {

/// Written by the Front-End, read by one worker. Between the two hand-overs (submission, and the Back-End's hand-back)
/// what it points to belongs to the Core, so nobody locks anything.
struct FeatureChunk {
  std::uint32_t slot = 0;           ///< whose states to use
  std::uint32_t queue = 0;          ///< index of its (model version, chunk length) queue in the scheduler
  std::uint32_t frames = 0;         ///< feature frames consumed; look_ahead more are readable
  bool fresh = false;               ///< an utterance begins: states and counters have their start values
  bool batch_priority = false;      ///< served only when no live chunk waits
  std::int64_t position = 0;        ///< feature frames of this utterance before the chunk (the counters' value)
  std::int64_t ready_ns = 0;        ///< CLOCK_MONOTONIC arrival of the last sample it needed; orders the queue
  const float* features = nullptr;  ///< [frames + look_ahead][dim]
  float* log_probs = nullptr;       ///< where the worker puts the output, [output frames][vocabulary]
};

}  // namespace cosyvoice
