// In the steady state our code allocates nothing: counted over every thread while sessions speak, end utterances and
// start the next.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/allocation_counter.h"
#include "support/pipeline_fixture.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

constexpr std::size_t kSessions = 4;

void check_steady_state(const EngineOptions& options, const std::vector<Hotword>& hotwords) {
  TonePipeline pipeline(options);
  pipeline->delivery.attach_drain();
  std::vector<SessionId> sids;
  for (std::size_t i = 0; i < kSessions; ++i) {
    SessionOptions session;
    session.sample_rate = i % 2 == 0 ? 16000 : 8000;
    session.hotwords = hotwords;
    sids.push_back(pipeline->open_session(session));
  }
  const auto wide = join({tone(0, 200), silence(200), tone(1, 200), silence(1200)});
  const auto narrow = join({tone(0, 200, 8000), silence(200, 8000), tone(1, 200, 8000), silence(1200, 8000)});
  std::size_t finals_seen = 0;
  const EventCallback count_finals = [&](const Event& event) {
    finals_seen += event.type == EventType::kFinal ? 1 : 0;
  };

  const auto round = [&] {
    const std::size_t expected = finals_seen + kSessions;
    for (std::size_t packet = 0; packet < 25; ++packet) {
      for (std::size_t i = 0; i < kSessions; ++i) {
        const auto& audio = i % 2 == 0 ? wide : narrow;
        const std::size_t size = audio.size() / 25;
        pipeline->producer.feed_samples(sids[i], audio.data() + packet * size, size);
      }
    }
    while (finals_seen < expected) pipeline->delivery.drain(count_finals, -1);
  };
  for (int i = 0; i < 3; ++i) round();
  const std::uint64_t before = allocations_of_all_threads();
  for (int i = 0; i < 20; ++i) round();
  CHECK(allocations_of_all_threads() - before == 0);
  CHECK(finals_seen == 23 * kSessions);
  CHECK(pipeline.faults().contract_violations == 0);
}

}  // namespace

TEST_CASE("no allocation between warm-up and end, whatever the sessions say") {
  EngineOptions options = tone_options(kSessions);
  SUBCASE("heard") {}
  SUBCASE("skipped") {
    options.vad = VadKind::kEnergy;
  }
  check_steady_state(options, {});
}

TEST_CASE("none by the beam search either, with hotwords and alternatives") {
  EngineOptions options = tone_options(kSessions);
  options.beam_size = 16;
  options.alternatives = 10;
  SUBCASE("heard") {}
  SUBCASE("skipped") {
    options.vad = VadKind::kEnergy;
  }
  check_steady_state(options, {{"a b", 2.0F}, {"h", 1.0F}});
}
