// All verbs of many sessions from several threads in random order: the rules of events and the accounts of samples
// hold.
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>

#include "support/pipeline_fixture.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

constexpr std::uint32_t kSessions = 6;
constexpr int kThreads = 4;
constexpr int kSteps = 300;

/// Whatever a verb may throw when another thread was faster.
bool is_expected(ErrorCode code) {
  return code == ErrorCode::kUnknownSession || code == ErrorCode::kSessionFinished ||
         code == ErrorCode::kConcurrentFeed || code == ErrorCode::kBufferFull || code == ErrorCode::kEngineFull;
}

void check_accounts(const Stats& stats) {
  CHECK(stats.accepted_samples == stats.decoded_samples + stats.dropped_samples);
  CHECK(stats.sessions == 0);
  CHECK(stats.sessions_opened == stats.sessions_ended);
}

class Storm {
 public:
  explicit Storm(TonePipeline& pipeline) : pipeline_(pipeline) {
    for (auto& sid : sids_) sid.store(0);
  }

  void blow(unsigned seed) {
    std::mt19937 random(seed);
    const auto speech = join({tone(0, 100), silence(100), tone(1, 100), silence(900)});
    for (int step = 0; step < kSteps; ++step) {
      std::atomic<SessionId>& place = sids_[random() % kSessions];
      const SessionId sid = place.load();
      try {
        switch (random() % 12) {
          case 0: {
            if (sid == 0) {
              SessionId none = 0;
              const SessionId opened = pipeline_->open_session({});
              if (!place.compare_exchange_strong(none, opened)) pipeline_->producer.close_session(opened);
            }
            break;
          }
          case 1:
            if (random() % 8 == 0) pipeline_->producer.finish(sid);
            break;
          case 2:
            if (random() % 8 == 0) pipeline_->producer.close_session(sid);
            break;
          case 3:
            pipeline_->producer.reset(sid);
            break;
          case 4:
            pipeline_->producer.end_utterance(sid);
            break;
          default: {
            const std::size_t begin = random() % speech.size();
            pipeline_->producer.feed_samples(sid, speech.data() + begin,
                                             std::min<std::size_t>(1 + random() % 4000, speech.size() - begin));
          }
        }
      } catch (const Error& error) {
        if (!is_expected(error.code())) unexpected_++;
        if (error.code() == ErrorCode::kUnknownSession || error.code() == ErrorCode::kSessionFinished) {
          SessionId gone = sid;
          place.compare_exchange_strong(gone, 0);
        }
      }
    }
  }

  int unexpected() const { return unexpected_.load(); }

 private:
  TonePipeline& pipeline_;
  std::atomic<SessionId> sids_[kSessions];
  std::atomic<int> unexpected_{0};
};

}  // namespace

TEST_CASE("rules and accounts hold in a storm of verbs") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    EngineOptions options = tone_options(kSessions + kThreads);
    options.partial_timeout_ms = 400;
    options.back_pressure = BackPressure::kReject;
    Drainer::Events events;
    Stats stats;
    {
      TonePipeline pipeline(options);
      Drainer drainer(pipeline);
      Storm storm(pipeline);
      std::vector<std::thread> threads;
      for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&storm, seed, i] { storm.blow(seed * 100 + static_cast<unsigned>(i)); });
      for (std::thread& thread : threads) thread.join();
      CHECK(storm.unexpected() == 0);
      pipeline->close();
      events = drainer.join();
      stats = pipeline->stats();
      CHECK(pipeline.faults().contract_violations == 0);
    }
    check_accounts(stats);
    CHECK(events.size() == stats.sessions_opened);
    for (const auto& [sid, seen] : events) {
      CAPTURE(sid);
      CHECK(broken_rules(seen).empty());
      CHECK(seen.back().ended);
    }
  }
}

TEST_CASE("a callback may call any verb, close() among them, and what it throws is counted") {
  TonePipeline pipeline(tone_options(1));  // the second session takes the slot of the first
  std::atomic<int> heard{0};
  SessionId second = 0;
  pipeline->register_callback({},
                              [&](const Event& event) {
                                ++heard;
                                if (event.text == "a") {
                                  second = pipeline->open_session({});
                                  pipeline.feed(second, tone(1, 200));
                                  pipeline->producer.finish(second);
                                  throw std::runtime_error("a fault of the application");
                                }
                                pipeline->close_later();
                              },
                              {});
  const SessionId first = pipeline->open_session({});
  pipeline.feed(first, tone(0, 200));
  pipeline->producer.finish(first);
  while (!pipeline->closing()) std::this_thread::yield();
  pipeline->close();
  CHECK(heard == 2);
  CHECK(pipeline->stats().callback_errors == 1);
}

TEST_CASE("close finishes what was fed, and a session nobody reads does not hold it up for ever") {
  EngineOptions options = tone_options();
  options.close_timeout_ms = 5000;
  TonePipeline pipeline(options);
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(2, 200), silence(200), tone(3, 100)}));
  pipeline->close();
  const auto events = pipeline.all_events(sid);  // what was decoded can still be read
  CHECK(finals(events).back().text == "c d");
  CHECK(events.back().reason == Reason::kFinish);
}

TEST_CASE("two readers each get every event") {
  TonePipeline pipeline;
  std::vector<Seen> called;
  std::atomic<bool> ended{false};
  pipeline->register_callback([&](const Event& event) { called.emplace_back(event); },
                              [&](const Event& event) {
                                called.emplace_back(event);
                                if (event.ended) ended = true;
                              },
                              [&](const Event& event) { called.emplace_back(event); });
  const SessionId sid = pipeline->open_session({});
  CHECK_FALSE(
      pipeline->delivery.next_partial(pipeline->slots.find(sid), sid, [](const Event&) {}));  // pulled from here on
  pipeline.feed(sid, join({tone(2, 200), silence(1500), tone(3, 100)}));
  pipeline->producer.finish(sid);
  const auto pulled = pipeline.all_events(sid);
  while (!ended) std::this_thread::yield();
  CHECK(broken_rules(pulled).empty());
  CHECK(broken_rules(called).empty());
  REQUIRE(finals(pulled).size() == 2);
  REQUIRE(finals(called).size() == 2);
  CHECK(finals(pulled)[0].text == finals(called)[0].text);
}
