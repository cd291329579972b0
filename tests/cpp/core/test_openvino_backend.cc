#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset13.hpp>
#include <random>
#include <thread>

#include "chunk_maker.h"
#include "core/encoder.h"
#include "core/offline.h"
#include "cosyvoice/engine.h"
#include "temporary_directory.h"
#include "tiny_network.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

ModelRuntimeOptions small_options() {
  ModelRuntimeOptions options;
  options.slots = 16;
  options.batch_size = 4;
  options.workers = 2;
  options.max_batch_ms = 1e9;
  return options;
}

/// The tiny network on disk and loaded.
struct Tiny {
  Tiny() : manifest(tiny_manifest(directory.path() + "/tiny.xml")) {
    save(tiny_model(), manifest.network.file);
    model = load_openvino_model(manifest, small_options());
  }
  TemporaryDirectory directory;
  Manifest manifest;
  std::shared_ptr<LoadedModel> model;
};

/// The tiny network in plain C++: what one slot's outputs must be.
class PlainTiny {
 public:
  /// `features`: [frames + 1][2].
  std::vector<float> step(const std::vector<float>& features, std::size_t frames, bool fresh) {
    if (fresh) {
      position_ = 0.0F;
      sum_ = {0.0F, 0.0F};
      past_.assign(3, kPastInitial);
      halves_.assign(5, 0.0F);
    }
    const float aged = past_[0] + 10.0F * past_[1] + 100.0F * past_[2];
    float last = 0.0F;
    for (std::size_t k = 0; k < 5; ++k) last += static_cast<float>(k + 1) * halves_[k];
    const float ahead = features[frames * 2 + 1];
    std::vector<float> out;
    for (std::size_t t = 0; t < frames; t += 2) {
      out.push_back(features[t * 2] + aged);
      out.push_back(position_ + sum_[0] + ahead);
      out.push_back(last);
    }
    for (std::size_t t = 0; t < frames; t += 2) {
      sum_[0] += features[t * 2];
      past_.push_back(features[t * 2]);
      past_.pop_front();
      halves_.push_back(static_cast<float>(ov::float16(features[t * 2 + 1])));
      halves_.pop_front();
    }
    position_ += static_cast<float>(frames);
    return out;
  }

 private:
  float position_ = 0.0F;
  std::array<float, 2> sum_{};
  std::deque<float> past_, halves_;  // channel 0 and channel 1, the ones that the outputs read
};

void check_close(const std::vector<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("value " << i);
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

}  // namespace

TEST_SUITE_BEGIN("openvino");

TEST_CASE("two steps of the tiny network, worked out by hand") {
  Tiny tiny;
  tiny.model->prepare(4);
  const auto encoder = tiny.model->make_encoder(4);
  // Frames 0 and 2 give output frames; frame 4 is the look-ahead.
  ChunkMaker first;
  first.add(3, 4, true, 0, {1, 2, 0, 0, 3, 4, 0, 0, 0, 7}, 6);
  CHECK(first.run(*encoder)[0].status == ErrorCode::kOk);
  // past is all 0.5: 0.5 · (1 + 10 + 100) = 55.5; position 0, sum 0, look-ahead 7; halves are 0.
  check_close(first.log_probs(0), {56.5F, 7, 0, 58.5F, 7, 0});
  ChunkMaker second;
  second.add(3, 4, false, 4, {5, 6, 0, 0, 7, 8, 0, 0, 0, -1}, 6);
  second.run(*encoder);
  // past = 0.5, 1, 3: 0.5 + 10 + 300 = 310.5; position 4 + sum 4 - 1 = 7; halves = 0, 0, 0, 2, 4: 4 · 2 + 5 · 4 = 28.
  check_close(second.log_probs(0), {315.5F, 7, 28, 317.5F, 7, 28});
}

TEST_CASE("any mixture of slots, batches, chunk lengths and new utterances agrees with the plain definition") {
  Tiny tiny;
  std::array<std::unique_ptr<Encoder>, 2> encoders;
  for (const std::uint32_t frames : {4U, 8U}) {
    tiny.model->prepare(frames);
    encoders[frames / 8] = tiny.model->make_encoder(frames);
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<float> value(-2.0F, 2.0F);
  const auto below = [&random](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
  };
  std::array<PlainTiny, 16> plain;
  std::array<std::int64_t, 16> positions{};
  std::array<bool, 16> opened{};
  for (int batch = 0; batch < 60; ++batch) {
    const std::uint32_t frames = below(2) == 0 ? 4 : 8;
    std::vector<std::uint32_t> slots(16);
    for (std::uint32_t i = 0; i < 16; ++i) slots[i] = i;
    std::shuffle(slots.begin(), slots.end(), random);
    slots.resize(1 + below(6));
    ChunkMaker maker;
    std::vector<std::vector<float>> expected;
    for (const std::uint32_t slot : slots) {
      const bool fresh = !opened[slot] || below(6) == 0;
      opened[slot] = true;
      if (fresh) positions[slot] = 0;
      std::vector<float> features((frames + 1) * 2);
      for (float& x : features) x = value(random);
      expected.push_back(plain[slot].step(features, frames, fresh));
      maker.add(slot, frames, fresh, positions[slot], features, expected.back().size());
      positions[slot] += frames;
    }
    maker.run(*encoders[frames / 8]);
    for (std::size_t i = 0; i < slots.size(); ++i) check_close(maker.log_probs(i), expected[i]);
  }
}

TEST_CASE("run_offline equals the plain definition") {
  Tiny tiny;
  std::vector<float> features(2 * 21);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i % 7) - 3.0F;
  std::vector<float> expected;
  PlainTiny plain;
  for (std::size_t begin = 0; begin + 5 <= 21; begin += 4) {
    const std::vector<float> step(features.begin() + static_cast<std::ptrdiff_t>(begin * 2),
                                  features.begin() + static_cast<std::ptrdiff_t>(begin * 2 + 10));
    const auto out = plain.step(step, 4, begin == 0);
    expected.insert(expected.end(), out.begin(), out.end());
  }
  CHECK(expected.size() == 5U * 6U);
  check_close(run_offline(*tiny.model, features.data(), 21, 4), expected);
}

TEST_CASE("a value beyond float32 fails its own row of a real batch") {
  Tiny tiny;
  tiny.model->prepare(4);
  const auto encoder = tiny.model->make_encoder(4);
  ChunkMaker maker;
  maker.add(0, 4, true, 0, std::vector<float>(10, 1.0F), 6);
  maker.add(1, 4, true, 0, std::vector<float>(10, INFINITY), 6);
  maker.add(2, 4, true, 0, std::vector<float>(10, 2.0F), 6);
  const auto& outputs = maker.run(*encoder);
  CHECK(outputs[0].status == ErrorCode::kOk);
  CHECK(outputs[1].status == ErrorCode::kInferenceFailed);
  CHECK(outputs[2].status == ErrorCode::kOk);
  check_close(maker.log_probs(0), {56.5F, 1, 0, 56.5F, 1, 0});
}

TEST_CASE("the calling thread is marked as inside the inference only while it is") {
  Tiny tiny;
  CHECK_FALSE(inside_inference());
  tiny.model->prepare(4);
  CHECK_FALSE(inside_inference());
}

TEST_CASE("inference starts no thread and leaves the caller's rounding as it was") {
  Tiny tiny;
  tiny.model->prepare(4);
  const auto encoder = tiny.model->make_encoder(4);
  const auto threads = [] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    return count;
  };
  const std::size_t before = threads();
  for (int i = 0; i < 20; ++i) {
    ChunkMaker maker;
    for (std::uint32_t slot = 0; slot < 4; ++slot) maker.add(slot, 4, true, 0, std::vector<float>(10, 1.0F), 6);
    maker.run(*encoder);
  }
  CHECK(threads() == before);
  volatile float tiny_value = 1e-38F;
  CHECK(tiny_value * 0.01F != 0.0F);  // a denormal, which the inference itself flushes
}

TEST_CASE("a network that is not what the manifest says is refused by tensor and shapes") {
  struct Row {
    const char* message;
    void (*change)(Manifest&);
  };
  const Row rows[] = {
      {"expected an input 'feats', as model.yaml says, found features, ",
       [](Manifest& m) { m.network.input = "feats"; }},
      {"expected an output 'probs'", [](Manifest& m) { m.network.output = "probs"; }},
      {"expected an input 'time'", [](Manifest& m) { m.network.counters = {"time"}; }},
      {"expected an output 'sum_new'", [](Manifest& m) { m.network.states[0].output = "sum_new"; }},
      {"the network has the input 'position'", [](Manifest& m) { m.network.counters.clear(); }},
      {"the network has the input 'halves'", [](Manifest& m) { m.network.states.pop_back(); }},
      {"input 'features': expected shape [3,?,4], found [?,?,2]", [](Manifest& m) { m.features.mel.bins = 4; }},
      {"input 'sum': expected shape [3,5], found [?,2]",
       [](Manifest& m) {
         m.network.states[0].shape = {1, 5};
       }},
      {"input 'past': expected shape [4,3,2], found [3,?,2]", [](Manifest& m) { m.network.states[1].shape[0] = 4; }},
      {"input 'halves': expected type f32, found f16",
       [](Manifest& m) { m.network.states[2].type = ElementType::kF32; }},
      {"input 'sum': expected type f16, found f32", [](Manifest& m) { m.network.states[0].type = ElementType::kF16; }},
      {"input 'sum': expected type i64, found f32",
       [](Manifest& m) {
         m.network.counters = {"sum"};
         m.network.states.erase(m.network.states.begin());
       }},
      {"expected [batch, frames, 4], one value for each line of tokens.txt, found [?,?,3]",
       [](Manifest& m) { m.tokens.push_back("c"); }},
      {"output 'out' (for a chunk of 4 feature frames and 3 rows): expected shape [3,4,3], found [3,2,3]",
       [](Manifest& m) { m.network.output_frame_ms = 10; }},
      {"output 'past_new' (for a chunk of 4 feature frames and 3 rows): expected shape [3,3,2], found [2,3,2]",
       [](Manifest& m) { m.network.states[1].advance = Advance::kReplace; }},
  };
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/tiny.xml";
  save(tiny_model(), file);
  for (const Row& row : rows) {
    Manifest manifest = tiny_manifest(file);
    row.change(manifest);
    INFO(row.message);
    CHECK_THROWS_WITH_AS(load_openvino_model(manifest, small_options()), doctest::Contains(row.message), Error);
    CHECK_THROWS_WITH_AS(load_openvino_model(manifest, small_options()), doctest::Contains(file.c_str()), Error);
  }
}

TEST_CASE("a network with a closed batch dimension is refused") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/tiny.xml";
  const auto model = tiny_model();
  model->reshape(
      {{"features", {1, -1, 2}}, {"position", {1}}, {"sum", {1, 2}}, {"past", {3, 1, 2}}, {"halves", {1, 2, 5}}});
  save(model, file);
  CHECK_THROWS_WITH_AS(load_openvino_model(tiny_manifest(file), small_options()),
                       doctest::Contains("export the network with an open batch dimension"), Error);
}

TEST_CASE("a network that can only take one chunk length is refused by the other's name") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/tiny.xml";
  save(tiny_model_of_one_length(), file);
  Manifest manifest = tiny_manifest(file);
  CHECK_THROWS_WITH_AS(load_openvino_model(manifest, small_options()),
                       doctest::Contains("the network does not take a chunk of 8 feature frames"), Error);
  manifest.network.chunks = {4};
  const auto model = load_openvino_model(manifest, small_options());
  const std::vector<float> features(10, 1.0F);
  check_close(run_offline(*model, features.data(), 5, 4), {57.5F, 2, 1, 57.5F, 2, 1});
}

TEST_CASE("a missing, cut or garbled network is refused with OpenVINO's reason on one line") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/tiny.xml", weights = directory.path() + "/tiny.bin";
  const auto message = [&] {
    try {
      load_openvino_model(tiny_manifest(file), small_options());
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::kInvalidModel);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto check_message = [&] {
    const std::string text = message();
    INFO(text);
    CHECK(text.rfind(file + ": ", 0) == 0);
    CHECK(text.find("OpenVINO cannot") != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find("Exception from") == std::string::npos);
  };
  check_message();  // no file
  std::ofstream(file) << "this is no network";
  check_message();
  std::ofstream(file) << "<?xml version=\"1.0\"?>\n<net";
  check_message();
  save(tiny_model(), file);
  std::filesystem::resize_file(weights, 3);
  check_message();
  save(tiny_model(), file);
  std::filesystem::remove(weights);
  check_message();
  save(tiny_model(), file);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  check_message();
}

TEST_SUITE_END();
