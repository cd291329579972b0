// A network in plain C++ for the tests of everything around the inference library: one feature, one output frame of two
// values a chunk, and one replace state that counts the chunks and sums what it saw:
//
//   state_next = state + { features[0], 1 }        out = { state_next[0], position }
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "bundle/manifest.h"
#include "core/network.h"

namespace cosyvoice::testing {

constexpr float kThrows = 666.0F;  // a feature on which infer() throws
constexpr float kNan = 667.0F;     // a feature whose row becomes NaN

/// What the copies of one fake network have in common.
struct FakeLog {
  std::atomic<std::uint32_t> copies{0}, inferences{0}, overlaps{0};
  double ms_a_row = 0.0;     // how long a copy computes, by the clock
  bool breaks_size = false;  // outputs have a byte too few
};

class FakeCopy final : public NetworkCopy {
 public:
  FakeCopy(FakeLog& log, std::uint32_t batch_size);
  std::byte* input(std::size_t index) noexcept override;
  void infer(std::uint32_t chunk_frames, std::uint32_t rows) override;
  Output output(std::size_t index) const noexcept override;

 private:
  FakeLog& log_;
  std::vector<float> features_, states_, log_probs_, states_next_;
  std::vector<std::int64_t> positions_;
  std::uint32_t rows_ = 0;
  std::size_t values_ = 0;  // of the log-probabilities
  std::atomic<bool> busy_{false};
};

/// Chunks of 1 and 2 frames; one output frame a chunk of 1.
Manifest fake_manifest();
std::unique_ptr<Network> fake_network(FakeLog& log);

}  // namespace cosyvoice::testing
