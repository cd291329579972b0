// An engine's life through the C API: callbacks, pulling all sessions, closing, destroying, forking.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "c_api/lite_engine.h"

using namespace cosyvoice::testing;

namespace {

/// What callbacks were given, and what calls made inside them came to.
struct Record {
  cv_engine* engine = nullptr;
  std::mutex mutex;
  std::vector<Kept> events;
  std::vector<int> codes;
  std::atomic<bool> called{false};  ///< `codes` is complete
  bool close_inside = false;
  bool throw_inside = false;
};

void keep(const cv_event* event, void* user_data) {
  auto& record = *static_cast<Record*>(user_data);
  const std::lock_guard<std::mutex> lock(record.mutex);
  record.events.emplace_back(*event);
}

void call_everything(const cv_event* event, void* user_data) {
  keep(event, user_data);
  auto& record = *static_cast<Record*>(user_data);
  if (event->ended == 0 || record.called) return;
  cv_session_id sid = 0;
  cv_stats stats;
  const std::int16_t samples[160] = {};
  record.codes.push_back(cv_new_session(record.engine, nullptr, &sid));
  record.codes.push_back(cv_feed_int16(record.engine, sid, samples, 160));
  record.codes.push_back(cv_finish(record.engine, sid));
  record.codes.push_back(cv_engine_stats(record.engine, &stats, sizeof stats));
  record.codes.push_back(cv_engine_destroy(record.engine));  // refused
  if (record.close_inside) record.codes.push_back(cv_engine_close(record.engine));
  cv_event_free(event);  // a callback's event is not freed by it
  record.called = true;
  if (record.throw_inside) throw 7;
}

void register_all(Record& record, cv_engine* engine) {
  record.engine = engine;
  REQUIRE(cv_register_callback(engine, keep, call_everything, keep, &record) == CV_OK);
}

cv_session_id open_and_feed(cv_engine* engine, const std::vector<std::int16_t>& audio) {
  cv_session_id sid = 0;
  REQUIRE(cv_new_session(engine, nullptr, &sid) == CV_OK);
  REQUIRE(cv_feed_int16(engine, sid, audio.data(), audio.size()) == CV_OK);
  return sid;
}

}  // namespace

TEST_SUITE("openvino") {
  TEST_CASE("callbacks get what pulling gets, and may call the API") {
    const auto audio = speech(16000);
    Record record;
    std::string pulled;
    {
      const LiteEngine engine;
      register_all(record, engine);
      const cv_session_id sid = open_and_feed(engine, audio);
      CHECK(cv_finish(engine, sid) == CV_OK);
      CHECK(cv_register_callback(engine, keep, keep, keep, &record) == CV_INVALID_ARGUMENT);
      const cv_event* event = nullptr;
      CHECK(cv_next_event(engine, CV_ANY_SESSION, 0, &event) == CV_INVALID_ARGUMENT);
      while (!record.called) std::this_thread::yield();  // a closing engine opens no session
      CHECK(cv_engine_close(engine) == CV_OK);
    }
    {
      const LiteEngine& engine = shared_engine();
      const cv_session_id sid = open_and_feed(engine, audio);
      CHECK(cv_finish(engine, sid) == CV_OK);
      int end = CV_OK;
      pulled = texts_of(pull_all(engine, sid, end));
    }
    CHECK(record.codes == std::vector<int>{CV_OK, CV_OK, CV_OK, CV_OK, CV_INVALID_ARGUMENT});
    CHECK(!pulled.empty());
    CHECK(texts_of(record.events).find(pulled) == 0);
  }

  TEST_CASE("a callback may close its engine and may throw") {
    Record record;
    record.close_inside = true;
    record.throw_inside = true;
    const LiteEngine engine;
    register_all(record, engine);
    const cv_session_id sid = open_and_feed(engine, speech(8000));
    CHECK(cv_finish(engine, sid) == CV_OK);
    cv_stats stats = {};
    while (stats.callback_errors == 0) {
      REQUIRE(cv_engine_stats(engine, &stats, sizeof stats) == CV_OK);
      std::this_thread::yield();
    }
    CHECK(cv_engine_close(engine) == CV_OK);  // waits for the one that the callback began
    CHECK(record.codes == std::vector<int>{CV_OK, CV_OK, CV_OK, CV_OK, CV_INVALID_ARGUMENT, CV_OK});
    CHECK(cv_new_session(engine, nullptr, &record.events.front().sid) == CV_ENGINE_CLOSED);
  }

  TEST_CASE("one thread pulls all sessions while others feed and the last one closes") {
    constexpr int kSessions = 8;
    const LiteEngine engine(kSessions);
    std::map<cv_session_id, std::vector<Kept>> events;
    // Sessions that begin after a first pull have their events kept for it, however late the thread begins.
    const cv_event* none = nullptr;
    REQUIRE(cv_next_event(engine, CV_ANY_SESSION, 0, &none) == CV_OK);
    REQUIRE(none == nullptr);
    std::thread puller([&] {
      const cv_event* event = nullptr;
      while (cv_next_event(engine, CV_ANY_SESSION, -1, &event) == CV_OK) {
        events[event->sid].emplace_back(*event);
        cv_event_free(event);
      }
    });
    std::atomic<int> faults{0};
    std::vector<std::thread> feeders;
    for (int i = 0; i < kSessions; ++i) {
      feeders.emplace_back([&, i] {
        const auto audio = speech(16000, static_cast<std::uint32_t>(i));
        cv_session_id sid = 0;
        int code = cv_new_session(engine, nullptr, &sid);
        if (code == CV_OK) code = cv_feed_int16(engine, sid, audio.data(), audio.size());
        if (code == CV_OK) code = cv_finish(engine, sid);
        if (code != CV_OK) ++faults;
      });
    }
    for (std::thread& feeder : feeders) feeder.join();
    CHECK(cv_engine_close(engine) == CV_OK);
    puller.join();
    CHECK(faults == 0);
    CHECK(events.size() == kSessions);
    for (const auto& [sid, of_session] : events) {
      CHECK(of_session.back().ended);
      CHECK(of_session.back().reason == CV_REASON_FINISH);
    }
    CHECK(cv_register_callback(engine, keep, keep, keep, nullptr) == CV_INVALID_ARGUMENT);
  }

  TEST_CASE("pulling all sessions late misses nothing, and time-outs of any size are counted") {
    const LiteEngine engine;
    const cv_session_id sid = open_and_feed(engine, speech(16000));
    REQUIRE(cv_finish(engine, sid) == CV_OK);
    cv_stats stats = {};
    while (stats.sessions_ended == 0) REQUIRE(cv_engine_stats(engine, &stats, sizeof stats) == CV_OK);
    std::vector<Kept> events;
    const cv_event* event = nullptr;
    do {
      REQUIRE(cv_next_event(engine, CV_ANY_SESSION, std::numeric_limits<std::int64_t>::max(), &event) == CV_OK);
      events.emplace_back(*event);
      cv_event_free(event);
    } while (!events.back().ended);
    CHECK(!texts_of(events).empty());
    CHECK(cv_next_event(engine, CV_ANY_SESSION, 1, &event) == CV_OK);
    CHECK(event == nullptr);
    CHECK(cv_engine_close(engine) == CV_OK);
    CHECK(cv_next_event(engine, CV_ANY_SESSION, -1, &event) == CV_ENGINE_CLOSED);
  }

  TEST_CASE("closing wakes who waits, and afterwards every verb says so") {
    const LiteEngine engine;
    cv_session_id sid = 0;
    REQUIRE(cv_new_session(engine, nullptr, &sid) == CV_OK);
    std::vector<Kept> events;
    int end = CV_OK;
    std::thread waiting([&] { events = pull_all(engine, sid, end); });
    CHECK(cv_engine_close(engine) == CV_OK);
    waiting.join();
    CHECK(events.back().ended);
    CHECK(end == CV_UNKNOWN_SESSION);
    CHECK(cv_engine_close(engine) == CV_OK);
    const std::int16_t sample = 0;
    CHECK(cv_new_session(engine, nullptr, &sid) == CV_ENGINE_CLOSED);
    CHECK(cv_feed_int16(engine, sid, &sample, 1) == CV_ENGINE_CLOSED);
    CHECK(cv_end_utterance(engine, sid) == CV_ENGINE_CLOSED);
    CHECK(cv_reset(engine, sid) == CV_ENGINE_CLOSED);
    CHECK(cv_finish(engine, sid) == CV_ENGINE_CLOSED);
    CHECK(cv_close_session(engine, sid) == CV_ENGINE_CLOSED);
    CHECK(cv_register_callback(engine, keep, keep, keep, nullptr) == CV_ENGINE_CLOSED);
    cv_stats stats;
    CHECK(cv_engine_stats(engine, &stats, sizeof stats) == CV_OK);
    CHECK(cv_engine_clear_delays(engine) == CV_OK);
  }

  TEST_CASE("events that were pulled outlive their engine") {
    const cv_event* event = nullptr;
    {
      const LiteEngine engine;
      const cv_session_id sid = open_and_feed(engine, speech(16000));
      REQUIRE(cv_finish(engine, sid) == CV_OK);
      do {
        cv_event_free(event);
        REQUIRE(cv_next_event(engine, sid, -1, &event) == CV_OK);
      } while (event->ended == 0);
    }
    CHECK(std::string(event->text).size() > 3);
    CHECK(std::string(cv_event_json(event)).find(event->text) != std::string::npos);
    cv_event_free(event);
  }

  TEST_CASE("stats and facts of the model, as far as an older program knows them") {
    const LiteEngine& engine = shared_engine();
    cv_model_info info;
    REQUIRE(cv_engine_model(engine, &info, sizeof info) == CV_OK);
    CHECK(info.size == sizeof info);
    CHECK(std::string(info.name) == "en-lite");
    CHECK(std::string(info.weights) == "trained");
    CHECK(info.sample_rate == 16000);
    const std::string precision = info.precision;
    CHECK((precision == "f32" || precision == "int8"));
    CHECK(std::string(info.precision_reason).size() > 3);
    CHECK(std::vector<std::uint32_t>(info.chunk_ms, info.chunk_ms + info.chunk_count) ==
          std::vector<std::uint32_t>{128, 256, 512});
    constexpr std::size_t kOldInfo = offsetof(cv_model_info, weights);
    info.weights = nullptr;
    REQUIRE(cv_engine_model(engine, &info, kOldInfo) == CV_OK);
    CHECK(info.size == kOldInfo);
    CHECK(info.weights == nullptr);
    constexpr std::size_t kOldStats = offsetof(cv_stats, chunks);
    cv_stats stats;
    stats.chunks = 77;
    REQUIRE(cv_engine_stats(engine, &stats, kOldStats) == CV_OK);
    CHECK(stats.size == kOldStats);
    CHECK(stats.chunks == 77);
    CHECK(cv_engine_stats(engine, nullptr, sizeof stats) == CV_INVALID_ARGUMENT);
    CHECK(cv_engine_model(engine, nullptr, sizeof info) == CV_INVALID_ARGUMENT);
    CHECK(cv_engine_stats(engine, &stats, 0) == CV_INVALID_ARGUMENT);
  }

  TEST_CASE("a forked child is told so and ends in peace") {
    const LiteEngine engine;
    const cv_session_id sid = open_and_feed(engine, speech(1600));
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      cv_engine* const handle = engine;
      const cv_event* event = nullptr;
      cv_stats stats;
      const bool told = cv_finish(handle, sid) == CV_ENGINE_FORKED &&
                        cv_next_event(handle, sid, -1, &event) == CV_ENGINE_FORKED &&
                        cv_next_event(handle, CV_ANY_SESSION, -1, &event) == CV_ENGINE_FORKED &&
                        cv_engine_stats(handle, &stats, sizeof stats) == CV_ENGINE_FORKED &&
                        cv_engine_close(handle) == CV_ENGINE_FORKED && cv_engine_destroy(handle) == CV_OK;
      ::_exit(told ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(cv_finish(engine, sid) == CV_OK);
  }

  TEST_CASE("engines come and go") {
    const char* const asked = std::getenv("COSYVOICE_CYCLES");  // for long runs by hand
    const int cycles = asked != nullptr ? std::atoi(asked) : 2;
    const auto audio = speech(1600);
    for (int cycle = 0; cycle < cycles; ++cycle) {
      cv_engine* const engine = make_lite_engine(1);
      open_and_feed(engine, audio);
      if (cycle % 2 == 0) REQUIRE(cv_engine_close(engine) == CV_OK);
      REQUIRE(cv_engine_destroy(engine) == CV_OK);
    }
  }
}
