#include "fake_network.h"

#include <cmath>
#include <stdexcept>

#include "runtime/clock.h"

namespace cosyvoice::testing {
namespace {

constexpr std::size_t kLongest = 2;  // frames of the longest chunk
constexpr std::size_t kWidth = 2;    // values of a state and of an output frame

template <class T>
std::byte* bytes_of(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

class FakeNetwork final : public Network {
 public:
  explicit FakeNetwork(FakeLog& log) : log_(log) {}
  std::unique_ptr<NetworkCopy> compile(std::uint32_t batch_size) const override {
    ++log_.copies;
    return std::make_unique<FakeCopy>(log_, batch_size);
  }

 private:
  FakeLog& log_;
};

}  // namespace

FakeCopy::FakeCopy(FakeLog& log, std::uint32_t batch_size)
    : log_(log),
      features_(batch_size * kLongest),
      states_(batch_size * kWidth),
      log_probs_(batch_size * kLongest * kWidth),
      states_next_(batch_size * kWidth),
      positions_(batch_size) {}

std::byte* FakeCopy::input(std::size_t index) noexcept {
  return index == 0 ? bytes_of(features_) : index == 1 ? bytes_of(positions_) : bytes_of(states_);
}

void FakeCopy::infer(std::uint32_t chunk_frames, std::uint32_t rows) {
  if (busy_.exchange(true)) ++log_.overlaps;
  ++log_.inferences;
  rows_ = rows;
  values_ = rows * chunk_frames * kWidth;
  const std::int64_t until = now_ns() + static_cast<std::int64_t>(log_.ms_a_row * rows * static_cast<double>(kNsPerMs));
  while (now_ns() < until) {
  }
  bool throws = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const float feature = features_[row * chunk_frames];
    throws = throws || feature == kThrows;
    states_next_[row * kWidth] = states_[row * kWidth] + feature;
    states_next_[row * kWidth + 1] = states_[row * kWidth + 1] + 1.0F;
    for (std::size_t frame = 0; frame < chunk_frames; ++frame) {
      float* out = log_probs_.data() + (row * chunk_frames + frame) * kWidth;
      out[0] = feature == kNan ? std::nanf("") : states_next_[row * kWidth];
      out[1] = static_cast<float>(positions_[row]);
    }
  }
  busy_ = false;
  if (throws) throw std::runtime_error("a bad chunk");
}

NetworkCopy::Output FakeCopy::output(std::size_t index) const noexcept {
  const auto& values = index == 0 ? log_probs_ : states_next_;
  const std::size_t bytes = index == 0 ? values_ * sizeof(float) : rows_ * kWidth * sizeof(float);
  return {reinterpret_cast<const std::byte*>(values.data()), log_.breaks_size && index == 1 ? bytes - 1 : bytes};
}

Manifest fake_manifest() {
  Manifest manifest;
  manifest.name = "fake";
  manifest.features.hop_ms = 10;
  manifest.features.mel.bins = 1;
  manifest.network.file = "fake.xml";
  manifest.network.output_frame_ms = 10;
  manifest.network.chunks = {1, 2};
  manifest.network.default_chunk = 1;
  manifest.network.output = "out";
  manifest.network.counters = {"position"};
  StateOptions state;
  state.input = "state";
  state.output = "state_next";
  state.shape = {1, 2};
  manifest.network.states = {state};
  manifest.tokens = {"<blank>", "a"};
  return manifest;
}

std::unique_ptr<Network> fake_network(FakeLog& log) {
  return std::make_unique<FakeNetwork>(log);
}

}  // namespace cosyvoice::testing
