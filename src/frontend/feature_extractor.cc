#include "frontend/feature_extractor.h"

#include <algorithm>

namespace cosyvoice {

void FeatureExtractor::run(FeatureStream* const* streams, std::size_t count) noexcept {
  // What lies in the lanes now: `shares` runs of frames, each of one stream.
  struct Share {
    FeatureStream* stream;
    std::size_t frames;
  };
  Share shares[LogMel::kLanes];
  const float* frames[LogMel::kLanes];
  float* rows[LogMel::kLanes];
  std::size_t share_count = 0, lanes = 0;

  const auto compute = [&] {
    if (lanes == 0) return;
    log_mel_.compute(frames, lanes, rows);
    for (std::size_t i = 0; i < share_count; ++i) shares[i].stream->frames_computed(shares[i].frames);
    share_count = lanes = 0;
  };

  for (std::size_t s = 0; s < count; ++s) {
    std::size_t left = streams[s]->pending();
    while (left > 0) {
      const std::size_t taken = std::min(left, LogMel::kLanes - lanes);
      for (std::size_t i = 0; i < taken; ++i, ++lanes) {
        frames[lanes] = streams[s]->window(i);
        rows[lanes] = streams[s]->row(i);
      }
      shares[share_count++] = {streams[s], taken};
      left -= taken;
      if (lanes == LogMel::kLanes) compute();  // the stream's next frame is then window(0) again
    }
  }
  compute();
}

}  // namespace cosyvoice
