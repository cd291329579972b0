// What the verbs do to a session and to its samples, one at a time.
#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "bundle/embedded_bundles.h"
#include "support/pipeline_fixture.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

template <class Call>
ErrorCode code_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(std::string(error.what()).size() > 20);
    return error.code();
  }
  return ErrorCode::kOk;
}

void check_accounts(const Stats& stats) {
  CHECK(stats.accepted_samples == stats.decoded_samples + stats.dropped_samples);
}

}  // namespace

TEST_CASE("reset discards the open utterance and reports what it dropped") {
  TonePipeline pipeline;
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(0, 200), silence(440)}));
  pipeline->producer.reset(sid);
  pipeline.feed(sid, join({tone(1, 200), silence(200)}));
  pipeline->producer.finish(sid);
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events).empty());
  const auto heard = finals(events);
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].text == "b");
  CHECK(heard[0].words[0].start_ms >= 640);
  std::size_t dropped = 0;
  for (const Seen& event : events) {
    if (event.type != EventType::kDropped) continue;
    ++dropped;
    CHECK(event.reason == Reason::kReset);
    CHECK(event.start_ms == 0);
    CHECK(event.end_ms == 640);
  }
  CHECK(dropped == 1);
  check_accounts(pipeline->stats());
}

TEST_CASE("a reset of nothing makes no event") {
  TonePipeline pipeline;
  const SessionId sid = pipeline->open_session({});
  pipeline->producer.reset(sid);
  pipeline->producer.finish(sid);
  const auto events = pipeline.all_events(sid);
  REQUIRE(events.size() == 1);
  CHECK(events[0].type == EventType::kFinal);
}

TEST_CASE("close_session ends at once with the words heard so far; unread audio is counted") {
  TonePipeline pipeline;
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(0, 400), silence(400)}));
  while (pipeline->stats().chunks == 0) {
  }
  pipeline->producer.close_session(sid);
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events).empty());
  CHECK(events.back().reason == Reason::kClose);
  CHECK(events.back().ended);
  const Stats stats = pipeline->stats();
  check_accounts(stats);
  CHECK(stats.sessions == 0);
}

TEST_CASE("a session that ended is told from one that never was, and from one that finishes") {
  TonePipeline pipeline;
  const SessionId sid = pipeline->open_session({});
  const std::int16_t sample = 0;
  pipeline->producer.finish(sid);
  CHECK(code_of([&] { pipeline->producer.feed_samples(sid, &sample, 1); }) == ErrorCode::kSessionFinished);
  CHECK(code_of([&] { pipeline->producer.end_utterance(sid); }) == ErrorCode::kSessionFinished);
  pipeline->producer.finish(sid);  // again: nothing
  pipeline.all_events(sid);
  CHECK(code_of([&] { pipeline->producer.feed_samples(sid, &sample, 1); }) == ErrorCode::kUnknownSession);
  CHECK(code_of([&] { pipeline->producer.finish(999); }) == ErrorCode::kUnknownSession);
  CHECK(code_of([&] { pipeline->producer.reset(0); }) == ErrorCode::kUnknownSession);
}

TEST_CASE("a sid is never used again, and slots are") {
  TonePipeline pipeline(tone_options(1));
  std::set<SessionId> sids;
  for (int i = 0; i < 200; ++i) {
    const SessionId sid = pipeline->open_session({});  // at once after the last event of the one before
    CHECK(sid != 0);
    CHECK(sids.insert(sid).second);
    pipeline->producer.finish(sid);
    pipeline.all_events(sid);
  }
}

TEST_CASE("max_stream is a limit with a message, until events are taken or released") {
  TonePipeline pipeline(tone_options(2));
  const SessionId one = pipeline->open_session({});
  const SessionId two = pipeline->open_session({});
  CHECK(code_of([&] { pipeline->open_session({}); }) == ErrorCode::kEngineFull);
  pipeline->producer.finish(one);
  pipeline.all_events(one);
  const SessionId three = pipeline->open_session({});
  pipeline->producer.finish(two);
  pipeline->delivery.release(pipeline->slots.find(two), two);
  pipeline->producer.close_session(three);
  pipeline.all_events(three);
}

TEST_CASE("bad audio is refused whole") {
  TonePipeline pipeline;
  SessionOptions as_float;
  as_float.encoding = Encoding::kF32le;
  SessionOptions as_mulaw;
  as_mulaw.encoding = Encoding::kMulaw;
  const SessionId s16 = pipeline->open_session({});
  const SessionId f32 = pipeline->open_session(as_float);
  const SessionId mulaw = pipeline->open_session(as_mulaw);
  const float bad[] = {0.1F, std::numeric_limits<float>::quiet_NaN(), 0.2F};
  const float endless[] = {std::numeric_limits<float>::infinity()};
  const std::int16_t good[] = {1, 2, 3};
  CHECK(code_of([&] { pipeline->producer.feed_bytes(s16, "abc", 3); }) == ErrorCode::kInvalidAudio);
  CHECK(code_of([&] { pipeline->producer.feed_bytes(f32, "abcde", 5); }) == ErrorCode::kInvalidAudio);
  CHECK(code_of([&] { pipeline->producer.feed_bytes(f32, bad, sizeof(bad)); }) == ErrorCode::kInvalidAudio);
  CHECK(code_of([&] { pipeline->producer.feed_samples(s16, bad, 3); }) == ErrorCode::kInvalidAudio);
  CHECK(code_of([&] { pipeline->producer.feed_samples(f32, endless, 1); }) == ErrorCode::kInvalidAudio);
  CHECK(code_of([&] { pipeline->producer.feed_samples(mulaw, good, 3); }) == ErrorCode::kInvalidAudio);
  const std::vector<std::int16_t> huge(1024 * 1024);
  CHECK(code_of([&] { pipeline->producer.feed_samples(s16, huge.data(), huge.size()); }) == ErrorCode::kInvalidAudio);
  const std::size_t wrong = std::numeric_limits<std::size_t>::max() / sizeof(float);
  CHECK(code_of([&] { pipeline->producer.feed_samples(f32, endless, wrong); }) == ErrorCode::kInvalidAudio);
  CHECK(code_of([&] { pipeline->producer.feed_bytes(f32, good, wrong * sizeof(float)); }) == ErrorCode::kInvalidAudio);
  CHECK(pipeline->stats().accepted_samples == 0);
  pipeline->producer.feed_samples(f32, good, 3);  // converted
  pipeline->producer.feed_bytes(mulaw, "xyz", 3);
  CHECK(pipeline->stats().accepted_samples == 6);
}

TEST_CASE("a full ring: reject refuses at once, block after its time-out, and nothing is taken") {
  for (const BackPressure policy : {BackPressure::kReject, BackPressure::kBlock}) {
    EngineOptions options = tone_options();
    options.back_pressure = policy;
    options.block_timeout_ms = 20;
    options.ring_bytes = 16 * 1024;
    options.fifo_bytes = 128 * 1024;
    TonePipeline pipeline(options);
    const SessionId sid = pipeline->open_session({});
    // Nobody takes the finals, so in the end this session stops reading.
    const auto utterance = join({tone(0, 100), silence(60)});
    std::uint64_t taken = 0;
    ErrorCode code = ErrorCode::kOk;
    while (code == ErrorCode::kOk) {
      code = code_of([&] {
        pipeline->producer.feed_samples(sid, utterance.data(), utterance.size());
        taken += utterance.size();
        pipeline->producer.end_utterance(sid);
      });
    }
    CHECK(code == ErrorCode::kBufferFull);
    CHECK(pipeline->stats().accepted_samples == taken);
    pipeline->producer.finish(sid);
    const auto events = pipeline.all_events(sid);
    CHECK(broken_rules(events).empty());
    check_accounts(pipeline->stats());
    CHECK(pipeline->stats().dropped_samples == 0);
  }
}

TEST_CASE("a fault in one session leaves the others alone") {
  TonePipeline pipeline;
  pipeline.faults().failing_tone = 7;
  const SessionId good = pipeline->open_session({});
  const SessionId bad = pipeline->open_session({});
  pipeline.feed(good, join({tone(0, 200), silence(200)}));
  pipeline.feed(bad, join({tone(0, 200), silence(200), tone(7, 400), silence(400)}));
  const auto events = pipeline.all_events(bad);
  CHECK(broken_rules(events).empty());
  CHECK(events.back().type == EventType::kError);
  CHECK(events.back().code == ErrorCode::kInferenceFailed);
  CHECK(events.back().ended);
  pipeline.feed(good, tone(1, 200));
  pipeline->producer.finish(good);
  CHECK(finals(pipeline.all_events(good)).back().text == "a b");
  check_accounts(pipeline->stats());
}

TEST_CASE("options out of range are refused with the range") {
  const auto code_with = [](auto&& change) {
    EngineOptions options = tone_options();
    change(options);
    return code_of([&] { TonePipeline pipeline(options); });
  };
  CHECK(code_with([](EngineOptions& o) { o.max_stream = 0; }) == ErrorCode::kInvalidArgument);
  CHECK(code_with([](EngineOptions& o) { o.batch_size = 0; }) == ErrorCode::kInvalidArgument);
  CHECK(code_with([](EngineOptions& o) { o.ring_bytes = 100000; }) == ErrorCode::kInvalidArgument);
  CHECK(code_with([](EngineOptions& o) { o.fifo_bytes = 1024; }) == ErrorCode::kInvalidArgument);
  CHECK(code_with([](EngineOptions& o) { o.partial_timeout_ms = 0; }) == ErrorCode::kInvalidArgument);
  CHECK(code_with([](EngineOptions& o) { o.max_batch_ms = -1; }) == ErrorCode::kInvalidArgument);
  set_embedded_bundles("/nowhere");  // without a path the embedded model would do
  CHECK(code_with([](EngineOptions& o) { o.model_path.clear(); }) == ErrorCode::kInvalidArgument);
  set_embedded_bundles("");
  TonePipeline pipeline;
  SessionOptions session;
  session.sample_rate = 7999;
  CHECK(code_of([&] { pipeline->open_session(session); }) == ErrorCode::kInvalidArgument);
  session = {};
  session.chunk_ms = 100;
  CHECK(code_of([&] { pipeline->open_session(session); }) == ErrorCode::kInvalidArgument);
  session = {};
  session.name = "\xff";
  CHECK(code_of([&] { pipeline->open_session(session); }) == ErrorCode::kInvalidArgument);
}
