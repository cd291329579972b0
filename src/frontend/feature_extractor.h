// Frames of all streams that share a feature configuration, packed into lanes. The Front-End thread alone.
#pragma once

#include <cstddef>

#include "frontend/feature_stream.h"
#include "frontend/log_mel.h"

namespace cosyvoice {

class FeatureExtractor {
 public:
  /// Throws what LogMel does.
  explicit FeatureExtractor(const FeatureOptions& options) : log_mel_(options) {}
  /// Computes every pending frame of these streams; lanes are filled across streams. A stream comes once in the list.
  void run(FeatureStream* const* streams, std::size_t count) noexcept;

 private:
  LogMel log_mel_;
};

}  // namespace cosyvoice
