#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "chunk_maker.h"
#include "core/loaded_model.h"
#include "core/offline.h"
#include "cosyvoice/engine.h"
#include "fake_network.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

ModelRuntimeOptions options_of(std::uint32_t slots, std::uint32_t workers, std::uint32_t batch_size = 4,
                               double max_batch_ms = 1e9) {
  ModelRuntimeOptions options;
  options.slots = slots;
  options.workers = workers;
  options.batch_size = batch_size;
  options.max_batch_ms = max_batch_ms;
  return options;
}

std::shared_ptr<LoadedModel> fake_model(FakeLog& log, const ModelRuntimeOptions& options) {
  return load_model(fake_manifest(), options,
                    [&log](const Manifest&, const std::string&) { return fake_network(log); });
}

std::vector<float> run_one(Encoder& encoder, std::uint32_t slot, bool fresh, std::int64_t position, float feature) {
  ChunkMaker maker;
  maker.add(slot, 1, fresh, position, {feature}, 2);
  CHECK(maker.run(encoder)[0].status == ErrorCode::kOk);
  return maker.log_probs(0);
}

using Row = std::vector<float>;

}  // namespace

TEST_CASE("states follow their slot, whatever row and batch its chunk is in") {
  FakeLog log;
  const auto model = fake_model(log, options_of(3, 1));
  model->prepare(1);
  const auto encoder = model->make_encoder(1);
  ChunkMaker first;
  first.add(2, 1, true, 0, {5}, 2);
  first.add(0, 1, true, 0, {7}, 2);
  const auto& outputs = first.run(*encoder);
  CHECK(first.log_probs(0) == Row{5, 0});
  CHECK(first.log_probs(1) == Row{7, 0});
  CHECK(outputs[0].slot == 2);
  CHECK(outputs[0].frames == 1);
  CHECK(outputs[0].dim == 2);
  CHECK(outputs[0].data == first.chunk(0).log_probs);
  ChunkMaker second;
  second.add(0, 1, false, 1, {10}, 2);
  second.add(1, 1, true, 0, {100}, 2);
  second.add(2, 1, false, 1, {20}, 2);
  second.run(*encoder);
  CHECK(second.log_probs(0) == Row{17, 1});
  CHECK(second.log_probs(1) == Row{100, 0});
  CHECK(second.log_probs(2) == Row{25, 1});
  // A new utterance reads initial values and counts from 0, though nothing was cleared.
  CHECK(run_one(*encoder, 0, true, 99, 1) == Row{1, 0});
}

TEST_CASE("when a batch fails, its rows are tried alone and only the bad one fails") {
  FakeLog log;
  const auto model = fake_model(log, options_of(3, 1));
  model->prepare(1);
  const auto encoder = model->make_encoder(1);
  run_one(*encoder, 1, true, 0, 3);
  ChunkMaker maker;
  maker.add(0, 1, true, 0, {1}, 2);
  maker.add(1, 1, false, 1, {kThrows}, 2);
  maker.add(2, 1, true, 0, {2}, 2);
  const auto& outputs = maker.run(*encoder);
  CHECK(outputs[0].status == ErrorCode::kOk);
  CHECK(outputs[1].status == ErrorCode::kInferenceFailed);
  CHECK(outputs[1].slot == 1);
  CHECK(outputs[1].data == nullptr);
  CHECK(outputs[2].status == ErrorCode::kOk);
  CHECK(maker.log_probs(0) == Row{1, 0});
  CHECK(maker.log_probs(1) == Row{ChunkMaker::kUntouched, ChunkMaker::kUntouched});
  CHECK(maker.log_probs(2) == Row{2, 0});
  CHECK(run_one(*encoder, 1, false, 1, 4) == Row{7, 1});  // the failed chunk left the state as it was
}

TEST_CASE("a row that is not finite fails alone and advances no state") {
  FakeLog log;
  const auto model = fake_model(log, options_of(2, 1));
  model->prepare(1);
  const auto encoder = model->make_encoder(1);
  run_one(*encoder, 0, true, 0, 3);
  const std::uint32_t before = log.inferences;
  ChunkMaker maker;
  maker.add(0, 1, false, 1, {kNan}, 2);
  maker.add(1, 1, true, 0, {2}, 2);
  const auto& outputs = maker.run(*encoder);
  CHECK(outputs[0].status == ErrorCode::kInferenceFailed);
  CHECK(outputs[1].status == ErrorCode::kOk);
  CHECK(maker.log_probs(0)[0] == ChunkMaker::kUntouched);
  CHECK(maker.log_probs(1) == Row{2, 0});
  CHECK(log.inferences == before + 1);
  CHECK(run_one(*encoder, 0, false, 1, 4) == Row{7, 1});
}

TEST_CASE("more chunks than batch_size are computed in several batches") {
  FakeLog log;
  const auto model = fake_model(log, options_of(10, 1, 4));
  model->prepare(2);
  const auto encoder = model->make_encoder(2);
  ChunkMaker maker;
  for (std::uint32_t slot = 0; slot < 10; ++slot) maker.add(slot, 2, true, 0, {static_cast<float>(slot), 0}, 4);
  const std::uint32_t before = log.inferences;
  maker.run(*encoder);
  CHECK(log.inferences == before + 3);
  for (std::uint32_t slot = 0; slot < 10; ++slot) {
    const auto value = static_cast<float>(slot);
    CHECK(maker.log_probs(slot) == Row{value, 0, value, 0});
  }
}

TEST_CASE("the batch cap is the largest batch below max_batch_ms, and at least one") {
  FakeLog log;
  log.ms_a_row = 2.0;
  // A batch of n takes 2n ms at least: 4 rows never fit in 7 ms. How many do is the machine's to say.
  const auto model = fake_model(log, options_of(1, 1, 16, 7.0));
  model->prepare(1);
  CHECK(model->batch_cap(1) >= 1);
  CHECK(model->batch_cap(1) <= 3);
  FakeLog slow;
  slow.ms_a_row = 2.0;
  const auto hopeless = fake_model(slow, options_of(1, 1, 16, 1.0));
  hopeless->prepare(1);
  CHECK(hopeless->batch_cap(1) == 1);
  FakeLog quick;
  const auto unbounded = fake_model(quick, options_of(1, 1, 16));
  unbounded->prepare(1);
  CHECK(unbounded->batch_cap(1) == 16);
}

TEST_CASE("prepare meets every batch size on every copy, once") {
  FakeLog log;
  const auto model = fake_model(log, options_of(1, 3, 4));
  CHECK(log.copies == 3);
  CHECK(log.inferences == 0);
  model->prepare(1);
  CHECK(log.inferences == 4 * (1 + 3) + 2 * 4);  // the first copy also measures, three times
  model->prepare(1);
  CHECK(log.inferences == 4 * (1 + 3) + 2 * 4);
}

TEST_CASE("what is wrong is refused at the edge") {
  FakeLog log;
  const auto model = fake_model(log, options_of(1, 1));
  CHECK_THROWS_WITH_AS(model->prepare(3), doctest::Contains("expected a chunk of 1, 2 feature frames, found 3"), Error);
  CHECK_THROWS_WITH_AS(model->batch_cap(1), doctest::Contains("prepare"), Error);
  CHECK_THROWS_WITH_AS(model->make_encoder(1), doctest::Contains("prepare"), Error);
  CHECK_THROWS_WITH_AS(fake_model(log, options_of(0, 1)), doctest::Contains("slots"), Error);
  log.breaks_size = true;
  CHECK_THROWS_WITH_AS(model->prepare(1), doctest::Contains("output 'state_next': expected 8 bytes"), Error);
}

TEST_CASE("an output of the wrong size after preparation fails its rows, not the process") {
  FakeLog log;
  const auto model = fake_model(log, options_of(2, 1));
  model->prepare(1);
  const auto encoder = model->make_encoder(1);
  log.breaks_size = true;
  ChunkMaker maker;
  maker.add(0, 1, true, 0, {1}, 2);
  maker.add(1, 1, true, 0, {1}, 2);
  const auto& outputs = maker.run(*encoder);
  CHECK(outputs[0].status == ErrorCode::kInferenceFailed);
  CHECK(outputs[1].status == ErrorCode::kInferenceFailed);
}

TEST_CASE("run_offline streams whole steps and leaves the rest") {
  FakeLog log;
  const auto model = fake_model(log, options_of(1, 1));
  const std::vector<float> features = {1, 50, 2, 50, 3};
  CHECK(run_offline(*model, features.data(), features.size(), 2) == Row{1, 0, 1, 0, 3, 2, 3, 2});
  CHECK(run_offline(*model, features.data(), 1, 2).empty());
  const std::vector<float> bad = {1, kThrows};
  CHECK_THROWS_WITH_AS(run_offline(*model, bad.data(), 2, 1), doctest::Contains("feature frame 1"), Error);
}

TEST_CASE("workers never share a copy, and states stay their slots' own, while another length is prepared") {
  FakeLog log;
  constexpr std::uint32_t kWorkers = 4, kRounds = 400;
  const auto model = fake_model(log, options_of(kWorkers, 2));  // fewer copies than threads: they wait for each other
  model->prepare(1);
  std::vector<std::unique_ptr<Encoder>> encoders;
  for (std::uint32_t i = 0; i < kWorkers; ++i) encoders.push_back(model->make_encoder(1));
  std::vector<std::thread> threads;
  std::vector<Row> last(kWorkers);
  for (std::uint32_t slot = 0; slot < kWorkers; ++slot) {
    threads.emplace_back([&, slot] {
      for (std::uint32_t round = 0; round < kRounds; ++round) {
        ChunkMaker maker;
        maker.add(slot, 1, round == 0, round, {static_cast<float>(slot + 1)}, 2);
        maker.run(*encoders[slot]);
        last[slot] = maker.log_probs(0);
      }
    });
  }
  model->prepare(2);
  for (std::thread& thread : threads) thread.join();
  CHECK(log.overlaps == 0);
  for (std::uint32_t slot = 0; slot < kWorkers; ++slot) {
    CHECK(last[slot] == Row{static_cast<float>((slot + 1) * kRounds), static_cast<float>(kRounds - 1)});
  }
}
