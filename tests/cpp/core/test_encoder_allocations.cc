// An encoder allocates nothing of ours, whatever batches it meets: what OpenVINO allocates is inside its own calls.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/encoder.h"
#include "core/loaded_model.h"
#include "fake_network.h"
#include "support/allocation_counter.h"
#include "temporary_directory.h"
#include "tiny_network.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

constexpr std::uint32_t kSlots = 6;

ModelRuntimeOptions options_of_six() {
  ModelRuntimeOptions options;
  options.slots = kSlots;
  options.batch_size = 4;  // so that six chunks are two batches
  options.max_batch_ms = 1e9;
  return options;
}

/// Allocations of this thread while `encoder` runs batches of every size, with new utterances among them. Every tenth
/// batch of more than one has a chunk that begins with `bad`, which must fail alone.
std::uint64_t allocations_of_runs(Encoder& encoder, const Manifest& manifest, std::uint32_t frames, float bad) {
  const std::size_t features = (frames + manifest.network.look_ahead) * manifest.features.dim();
  const std::size_t outputs = manifest.output_frames(frames) * manifest.tokens.size();
  std::vector<float> good(features, 1.0F), spoilt(features, bad), log_probs(kSlots * outputs);
  std::array<FeatureChunk, kSlots> chunks;
  std::array<const FeatureChunk*, kSlots> batch{};
  std::array<EncoderOutput, kSlots> results;
  std::size_t wrong = 0;
  const std::uint64_t before = allocations_of_this_thread();
  for (std::uint32_t round = 0; round < 120; ++round) {
    const std::uint32_t count = 1 + round % kSlots;
    const bool spoil = round % 10 == 3;
    for (std::uint32_t i = 0; i < count; ++i) {
      FeatureChunk& chunk = chunks[i];
      chunk.slot = (i + round) % kSlots;
      chunk.frames = frames;
      chunk.fresh = round < kSlots * 2 || round % 7 == 0;
      chunk.position = chunk.fresh ? 0 : round;
      chunk.features = spoil && i == 0 ? spoilt.data() : good.data();
      chunk.log_probs = log_probs.data() + i * outputs;
      batch[i] = &chunk;
    }
    encoder.run(batch.data(), count, results.data());
    for (std::uint32_t i = 0; i < count; ++i) {
      wrong += (results[i].status == ErrorCode::kOk) == (spoil && i == 0) ? 1 : 0;
    }
  }
  const std::uint64_t allocations = allocations_of_this_thread() - before;
  CHECK(wrong == 0);
  return allocations;
}

}  // namespace

TEST_CASE("gathering, advancing states and refusing rows that are not finite allocate nothing") {
  FakeLog log;
  const Manifest manifest = fake_manifest();
  const auto model =
      load_model(manifest, options_of_six(), [&log](const Manifest&, const std::string&) { return fake_network(log); });
  for (const std::uint32_t frames : {1U, 2U}) {
    model->prepare(frames);
    CHECK(allocations_of_runs(*model->make_encoder(frames), manifest, frames, kNan) == 0);
  }
}

TEST_SUITE("openvino") {
  TEST_CASE("an encoder over OpenVINO allocates nothing outside its inference") {
    const TemporaryDirectory directory;
    const Manifest manifest = tiny_manifest(directory.path() + "/tiny.xml");
    save(tiny_model(), manifest.network.file);
    const auto model = load_openvino_model(manifest, options_of_six());
    for (const std::uint32_t frames : {4U, 8U}) {
      model->prepare(frames);
      const auto encoder = model->make_encoder(frames);
      skip_allocations_while(inside_inference);
      const std::uint64_t ours = allocations_of_runs(*encoder, manifest, frames, INFINITY);
      skip_allocations_while(nullptr);
      CHECK(ours == 0);
    }
  }
}
