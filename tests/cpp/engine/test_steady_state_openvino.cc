// The steady state of the whole engine on a bundle that it carries: what our code allocates is counted over every
// thread, and what OpenVINO allocates in the same work is reported beside it.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "core/encoder.h"
#include "support/allocation_counter.h"
#include "support/pipeline_fixture.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

constexpr std::size_t kSessions = 4;

/// Two seconds in which noise of changing loudness and tones take turns.
std::vector<std::int16_t> restless_audio(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int16_t> audio;
  while (audio.size() < 32000) {
    const int ms = static_cast<int>(60 + random() % 200);
    auto piece = random() % 3 == 0 ? tone(random() % kTones, ms) : silence(ms);
    const int loudness = 1 << (random() % 14);
    for (std::int16_t& sample : piece) {
      sample = static_cast<std::int16_t>(sample + static_cast<int>(random() % (2U * static_cast<unsigned>(loudness))) -
                                         loudness);
    }
    audio.insert(audio.end(), piece.begin(), piece.end());
  }
  audio.resize(32000);
  return audio;
}

}  // namespace

TEST_SUITE("openvino") {
  TEST_CASE("the engine allocates nothing of its own between warm-up and end") {
    EngineOptions options = tone_options(kSessions);
    options.model_path = std::string(COSYVOICE_SOURCE_DIR) + "/python/cosyvoice/models/en-lite";
    options.partial_timeout_ms = 20'000;  // only marks make finals
    Pipeline pipeline(options, load_bundle);
    pipeline.delivery.attach_drain();
    std::vector<SessionId> sids;
    std::vector<std::vector<std::int16_t>> audio;
    for (std::uint32_t i = 0; i < kSessions; ++i) {
      sids.push_back(pipeline.open_session({}));
      audio.push_back(restless_audio(i));
    }
    std::size_t finals_seen = 0, failures = 0;
    const EventCallback take = [&](const Event& event) {
      finals_seen += event.type == EventType::kFinal ? 1 : 0;
      failures += event.type == EventType::kError ? 1 : 0;
    };
    // Every session hears its audio from another place on each round, and ends the utterance.
    std::size_t rounds = 0;
    const auto round = [&] {
      const std::size_t expected = finals_seen + kSessions;
      constexpr std::size_t kPacket = 1000;
      for (std::size_t begin = 0; begin < 32000; begin += kPacket) {
        for (std::size_t i = 0; i < kSessions; ++i) {
          const std::size_t from = (begin + rounds * 7 * kPacket) % 32000;
          pipeline.producer.feed_samples(sids[i], audio[i].data() + from, kPacket);
        }
      }
      for (const SessionId sid : sids) pipeline.producer.end_utterance(sid);
      while (finals_seen < expected && failures == 0) pipeline.delivery.drain(take, -1);
      ++rounds;
    };

    for (int i = 0; i < 32; ++i) round();  // so that every place was the first once, and all texts were seen
    skip_allocations_while(inside_inference);
    std::uint64_t before = allocations_of_all_threads();
    for (int i = 0; i < 15; ++i) round();
    CHECK(allocations_of_all_threads() - before == 0);
    skip_allocations_while(nullptr);

    const std::uint64_t chunks_before = pipeline.stats().chunks;
    before = allocations_of_all_threads();
    for (int i = 0; i < 5; ++i) round();
    const std::uint64_t all = allocations_of_all_threads() - before;
    const std::uint64_t chunks = pipeline.stats().chunks - chunks_before;
    MESSAGE("OpenVINO's own allocations: " << all << " for " << chunks << " chunks");
    CHECK(chunks > 0);
    CHECK(failures == 0);
  }
}
