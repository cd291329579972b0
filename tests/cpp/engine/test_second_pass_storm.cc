// Many sessions end utterances in random ways while second passes answer, refuse, stay silent or are late: every
// utterance has one final, in order, and no session loses its end.
#include <doctest/doctest.h>

#include <random>

#include "support/fake_second_pass.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

TEST_CASE("rules and accounts hold while the second pass is moody") {
  constexpr std::uint32_t kSessions = 8;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    EngineOptions options = tone_options(kSessions);
    options.second_pass = "fake";
    options.second_pass_timeout_ms = 15;
    options.partial_timeout_ms = 400;
    Drainer::Events events;
    Stats stats;
    {
      TonePipeline pipeline(options);
      Drainer drainer(pipeline);
      std::atomic<unsigned> mood{seed};
      {
        FakeSecondPass fake(pipeline, 3, [&](SecondPass& second_pass, const SecondPassRequest& request) {
          std::mt19937 random(mood++);
          if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 30));
          switch (random() % 4) {
            case 0:
              second_pass.refuse(request.id);
              break;
            case 1:
              break;
            default:
              second_pass.answer(request.id, "again", {{"again", 0, 100000, 2.0F}});
          }
        });
        std::vector<std::thread> feeders;
        for (std::uint32_t i = 0; i < kSessions; ++i) {
          feeders.emplace_back([&, i] {
            std::mt19937 random(seed * 1000 + i);
            const auto speech = join({tone(i % kTones, 120), silence(80), tone(1, 100), silence(700)});
            for (int life = 0; life < 3; ++life) {
              SessionOptions session;
              session.priority = random() % 4 == 0 ? Priority::kBatch : Priority::kLive;
              SessionId sid = 0;
              while (sid == 0) {
                try {
                  sid = pipeline->open_session(session);
                } catch (const Error&) {  // the session before waits for its end
                  std::this_thread::yield();
                }
              }
              for (int step = 0; step < 15; ++step) {
                pipeline.feed(sid, speech, 800);
                if (random() % 3 == 0) pipeline->producer.end_utterance(sid);
                if (random() % 9 == 0) pipeline->producer.reset(sid);
              }
              random() % 3 == 0 ? pipeline->producer.close_session(sid) : pipeline->producer.finish(sid);
            }
          });
        }
        for (std::thread& feeder : feeders) feeder.join();
      }
      events = drainer.join();
      stats = pipeline->stats();
      CHECK(pipeline.faults().contract_violations == 0);
    }
    CHECK(stats.accepted_samples == stats.decoded_samples + stats.dropped_samples);
    CHECK(stats.sessions == 0);
    CHECK(events.size() == 3 * kSessions);
    std::uint64_t finals_seen = 0, second = 0;
    for (const auto& [sid, seen] : events) {
      CAPTURE(sid);
      CHECK(broken_rules(seen).empty());
      CHECK(seen.back().ended);
      for (const Seen& event : finals(seen)) {
        ++finals_seen;
        second += event.pass == 2 ? 1 : 0;
        CHECK((event.pass == 2) == (event.text == "again"));
        for (const SeenWord& word : event.words) CHECK(word.start_ms < word.end_ms);
      }
    }
    CHECK(finals_seen == stats.finals);
    CHECK(second == stats.second_passes);
    CHECK(second > 0);
    CHECK(stats.second_pass_timeouts > 0);
    CHECK(stats.second_pass_failures > 0);
  }
}
