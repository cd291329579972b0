// Finals that wait for a second pass: which words they carry, and that order, numbers and ends stay whatever answers.
#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>

#include "support/fake_second_pass.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

constexpr std::int32_t kNever = 3600 * 1000;

EngineOptions second_pass_options(std::int32_t timeout_ms = kNever) {
  EngineOptions options = tone_options();
  options.second_pass = "fake";
  options.second_pass_timeout_ms = timeout_ms;
  return options;
}

/// Of files, whose time counts from when somebody begins to hear them.
SessionOptions batch_session() {
  SessionOptions session;
  session.priority = Priority::kBatch;
  return session;
}

void answer_with_utterance(SecondPass& second_pass, const SecondPassRequest& request) {
  second_pass.answer(request.id, "utterance " + std::to_string(request.utterance), {});
}

std::vector<std::int16_t> utterances(std::uint32_t count) {
  std::vector<std::vector<std::int16_t>> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    parts.push_back(tone(i % kTones, 200));
    parts.push_back(silence(1200));
  }
  return join(parts);
}

/// A door that threads wait at until it is opened.
class Door {
 public:
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

}  // namespace

TEST_CASE("finals carry the second pass's words and times, partials the stream's") {
  TonePipeline pipeline(second_pass_options());
  FakeSecondPass fake(pipeline, 1, [](SecondPass& second_pass, const SecondPassRequest& request) {
    const auto [begin, end] = loud_part(request);
    second_pass.answer(request.id, "Hello, you!",
                       {{"Hello,", begin, begin + 40, 0.5F}, {"you!", begin + 60, end, 1.0F}});
  });
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({silence(7000), tone(2, 200), silence(200), tone(3, 200), silence(1500), tone(1, 200)}));
  pipeline->producer.finish(sid);
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events).empty());
  const auto heard = finals(events);
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].text == "Hello, you!");
  CHECK(heard[0].pass == 2);
  CHECK(heard[0].reason == Reason::kEndpoint);
  REQUIRE(heard[0].words.size() == 2);
  CHECK(heard[0].words[0].text == "Hello,");
  CHECK(heard[0].words[0].start_ms == doctest::Approx(7000).epsilon(0.001));
  CHECK(heard[0].words[1].end_ms == doctest::Approx(7600).epsilon(0.001));
  CHECK(heard[0].start_ms == heard[0].words[0].start_ms);
  CHECK(heard[0].end_ms == heard[0].words[1].end_ms);
  CHECK(heard[1].pass == 2);
  CHECK(heard[1].words[0].start_ms == doctest::Approx(9100).epsilon(0.001));
  CHECK(heard[1].ended);
  for (const Seen& event : events) {
    if (event.type == EventType::kPartial) CHECK(event.pass == 1);
  }
  const Stats stats = pipeline->stats();
  CHECK(stats.second_passes == 2);
  CHECK(stats.second_pass_delay.count == 2);
  CHECK(stats.final_delay.count == 2);
}

TEST_CASE("every sample of speech is heard again once, at any rate") {
  for (const int rate : {8000, 16000, 44100}) {
    CAPTURE(rate);
    TonePipeline pipeline(second_pass_options());
    std::mutex mutex;
    std::int64_t loud_ms = 0;
    {
      FakeSecondPass fake(pipeline, 2, [&](SecondPass& second_pass, const SecondPassRequest& request) {
        const auto [begin, end] = loud_part(request);
        {
          const std::lock_guard<std::mutex> lock(mutex);
          loud_ms += end - begin;
        }
        answer_with_utterance(second_pass, request);
      });
      SessionOptions session;
      session.sample_rate = static_cast<std::uint32_t>(rate);
      std::vector<std::vector<std::int16_t>> parts;
      for (std::uint32_t i = 0; i < 12; ++i) {
        parts.push_back(tone(i % kTones, 400, rate));
        parts.push_back(silence(900 + 37 * static_cast<int>(i), rate));
      }
      CHECK(pipeline.transcribe(join(parts), 1024, session).size() == 13);  // the last is empty
    }
    CHECK(loud_ms == doctest::Approx(12 * 400).epsilon(0.02));
  }
}

TEST_CASE("long utterances are heard again whole, and what was reset is not") {
  EngineOptions options = second_pass_options();
  options.max_utterance_ms = 2000;
  options.partial_timeout_ms = 1000;
  TonePipeline pipeline(options);
  std::int64_t loud_ms = 0;
  {
    FakeSecondPass fake(pipeline, 1, [&](SecondPass& second_pass, const SecondPassRequest& request) {
      const auto [begin, end] = loud_part(request);
      loud_ms += end - begin;
      answer_with_utterance(second_pass, request);
    });
    const SessionId sid = pipeline->open_session({});
    pipeline.feed(sid, tone(3, 3000));
    pipeline->producer.reset(sid);
    // Long enough that the kept audio is moved several times; cut hard, inside words.
    for (int i = 0; i < 60; ++i) pipeline.feed(sid, tone(static_cast<std::uint32_t>(i % 2), 400));
    pipeline->producer.finish(sid);
    const auto events = pipeline.all_events(sid);
    CHECK(broken_rules(events).empty());
    for (const Seen& event : finals(events)) CHECK((event.pass == 2 || event.words.empty()));
  }
  CHECK(loud_ms == doctest::Approx(24000).epsilon(0.02));
}

TEST_CASE("what a session makes while a final waits comes after it, in order") {
  TonePipeline pipeline(second_pass_options());
  Door door;
  FakeSecondPass fake(pipeline, 4, [&](SecondPass& second_pass, const SecondPassRequest& request) {
    if (request.utterance == 1) door.wait();
    answer_with_utterance(second_pass, request);
  });
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(0, 200), silence(1200), tone(1, 200), silence(1200), tone(2, 200), silence(200)}));
  while (fake.heard < 2) std::this_thread::yield();
  pipeline->producer.reset(sid);
  while (pipeline->slots.find(sid).held < 3) std::this_thread::yield();
  pipeline->producer.close_session(sid);
  while (pipeline->slots.find(sid).held < 4) std::this_thread::yield();
  CHECK(pipeline->stats().finals == 0);
  CHECK(pipeline->stats().sessions == 1);
  door.open();
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events).empty());
  const auto heard = finals(events);
  REQUIRE(heard.size() == 3);
  CHECK(heard[0].text == "utterance 1");
  CHECK(heard[1].text == "utterance 2");
  CHECK(heard[2].reason == Reason::kClose);
  CHECK(heard[2].pass == 1);
  CHECK(events[events.size() - 2].type == EventType::kDropped);
}

TEST_CASE("the open utterance's latest partial follows the final that it waited for") {
  TonePipeline pipeline(second_pass_options());
  Door door;
  FakeSecondPass fake(pipeline, 1, [&](SecondPass& second_pass, const SecondPassRequest& request) {
    door.wait();
    answer_with_utterance(second_pass, request);
  });
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(0, 200), silence(1200), tone(1, 200), silence(80), tone(2, 200), silence(400)}));
  while (pipeline->stats().decoded_samples < 16000 * 2) std::this_thread::yield();
  CHECK(pipeline->stats().finals == 0);
  door.open();
  CHECK(pipeline.next_lasting(sid).text == "utterance 1");
  std::vector<Seen> next;
  pipeline->delivery.next_event(
      pipeline->slots.find(sid), sid, [&](const Event& event) { next.emplace_back(event); }, -1);
  CHECK(next[0].type == EventType::kPartial);
  CHECK(next[0].utterance == 2);
  CHECK(next[0].text == "b c");
  CHECK(next[0].seq == 1);
}

TEST_CASE("without an answer in time, after a refusal or a useless answer the final is the stream's") {
  enum class Way { kSilent, kRefuse, kWrong };
  for (const Way way : {Way::kSilent, Way::kRefuse, Way::kWrong}) {
    CAPTURE(static_cast<int>(way));
    TonePipeline pipeline(second_pass_options(way == Way::kSilent ? 50 : kNever));
    std::atomic<int> wrong{0};
    FakeSecondPass fake(pipeline, 1, [&](SecondPass& second_pass, const SecondPassRequest& request) {
      try {
        if (way == Way::kWrong) second_pass.answer(request.id, "b", {{"b", 0, 1, 1.0F}, {"b", 1, 2, 1.0F}});
      } catch (const Error& error) {
        wrong += error.code() == ErrorCode::kInvalidArgument ? 1 : 0;
      }
      if (way != Way::kSilent) second_pass.refuse(request.id);
    });
    const auto heard = pipeline.transcribe(join({tone(0, 200), silence(1200), tone(1, 200)}));
    REQUIRE(heard.size() == 2);
    CHECK(heard[0].text == "a");
    CHECK(heard[0].pass == 1);
    CHECK(heard[0].words.size() == 1);
    CHECK(heard[1].text == "b");
    CHECK(heard[1].ended);
    const Stats stats = pipeline->stats();
    CHECK(stats.second_pass_timeouts == (way == Way::kSilent ? 2 : 0));
    CHECK(stats.second_pass_failures == (way == Way::kSilent ? 0 : 2));
    CHECK(wrong == (way == Way::kWrong ? 2 : 0));
  }
}

TEST_CASE("answers that come late, twice or to nothing change nothing") {
  TonePipeline pipeline(second_pass_options(20));
  Door door, all_said;
  FakeSecondPass fake(pipeline, 1, [&](SecondPass& second_pass, const SecondPassRequest& request) {
    door.wait();
    second_pass.answer(request.id, "late", {});
    second_pass.answer(request.id, "twice", {});
    second_pass.answer(0, "nothing", {});
    second_pass.refuse(123456789);
    all_said.open();
  });
  CHECK(pipeline.transcribe(tone(4, 200), 1024, batch_session())[0].text == "e");
  door.open();
  all_said.wait();
  CHECK(pipeline.transcribe(silence(200))[0].text.empty());  // nothing of the old answers is in the next session
}

TEST_CASE("silence is not heard again") {
  TonePipeline pipeline(second_pass_options());
  FakeSecondPass fake(pipeline, 1, answer_with_utterance);
  const auto heard = pipeline.transcribe(silence(3000));
  CHECK(heard[0].pass == 1);
  CHECK(fake.heard == 0);
}

TEST_CASE("where nobody comes to hear, live finals go on: too many waiting give up at once") {
  EngineOptions options = second_pass_options();
  options.fifo_bytes = 1024 * 1024;
  SUBCASE("of one session") {
    TonePipeline pipeline(options);
    const SessionId sid = pipeline->open_session({});
    pipeline.feed(sid, utterances(20));
    while (pipeline->stats().finals < 20 - Outbox::kMostHeld) std::this_thread::yield();
    CHECK(pipeline->stats().second_pass_overflows >= 20 - Outbox::kMostHeld);
    pipeline->producer.finish(sid);
    FakeSecondPass fake(pipeline, 1, answer_with_utterance);
    const auto events = pipeline.all_events(sid);
    CHECK(broken_rules(events).empty());
    CHECK(events.back().ended);
  }
  SUBCASE("of all") {
    options.max_stream = 24;
    TonePipeline pipeline(options);
    std::vector<SessionId> sids;
    for (std::uint32_t i = 0; i < options.max_stream; ++i) {
      sids.push_back(pipeline->open_session({}));
      pipeline.feed(sids.back(), tone(i % kTones, 200));
      pipeline->producer.finish(sids.back());
    }
    while (pipeline->stats().second_pass_overflows < options.max_stream - SecondPass::kWaiting)
      std::this_thread::yield();
    FakeSecondPass fake(pipeline, 1, answer_with_utterance);
    int second = 0;
    for (const SessionId sid : sids) second += finals(pipeline.all_events(sid))[0].pass == 2 ? 1 : 0;
    CHECK(second == SecondPass::kWaiting);
  }
}

TEST_CASE("files wait for their second pass, and their time counts from when it begins") {
  EngineOptions options = second_pass_options(20);
  TonePipeline pipeline(options);
  const SessionId sid = pipeline->open_session(batch_session());
  pipeline.feed(sid, utterances(4));
  pipeline->producer.finish(sid);
  const auto& held = pipeline->slots.find(sid).held;
  while (held == 0) std::this_thread::yield();
  // A live final that came later goes without in the end, for nobody has begun.
  CHECK(pipeline.transcribe(tone(0, 200))[0].pass == 1);
  CHECK(pipeline->stats().second_pass_timeouts == 1);
  CHECK(held == 1);
  std::atomic<int> turn{0};
  FakeSecondPass fake(pipeline, 1, [&](SecondPass& second_pass, const SecondPassRequest& request) {
    if (turn++ != 1) answer_with_utterance(second_pass, request);
  });
  const auto heard = finals(pipeline.all_events(sid));
  REQUIRE(heard.size() == 5);
  CHECK(pipeline->stats().second_pass_timeouts >= 2);
  CHECK(heard[1].text == "b");
  CHECK(heard.back().ended);
}

TEST_CASE("an engine that closes waits for answers, but no longer than close_timeout") {
  EngineOptions options = second_pass_options();
  SUBCASE("answered") {
    TonePipeline pipeline(options);
    const SessionId sid = pipeline->open_session({});
    {
      FakeSecondPass fake(pipeline, 1, answer_with_utterance);
      pipeline.feed(sid, tone(0, 200));
    }  // closes
    CHECK(finals(pipeline.all_events(sid))[0].pass == 2);
  }
  SUBCASE("not answered") {
    options.close_timeout_ms = 50;
    TonePipeline pipeline(options);
    const SessionId sid = pipeline->open_session({});
    {
      FakeSecondPass fake(pipeline, 1, [](SecondPass&, const SecondPassRequest&) {});
      pipeline.feed(sid, join({tone(0, 200), silence(1200), tone(1, 200)}));
      while (pipeline->slots.find(sid).held == 0) std::this_thread::yield();
    }
    const auto heard = finals(pipeline.all_events(sid));
    CHECK(heard[0].text == "a");
    CHECK(heard[0].pass == 1);
    CHECK(heard.back().ended);
  }
}

TEST_CASE("a session that is given up while its final waits frees its place once the answer came") {
  EngineOptions options = second_pass_options();
  options.max_stream = 1;
  TonePipeline pipeline(options);
  Door door;
  FakeSecondPass fake(pipeline, 1, [&](SecondPass& second_pass, const SecondPassRequest& request) {
    door.wait();
    answer_with_utterance(second_pass, request);
  });
  const SessionId lost = pipeline->open_session({});
  pipeline.feed(lost, join({tone(0, 200), silence(1200), tone(1, 100)}));
  while (fake.heard == 0) std::this_thread::yield();
  pipeline->producer.close_session(lost);
  pipeline->delivery.release(pipeline->slots.find(lost), lost);
  while (pipeline->slots.open_sessions() != 0) std::this_thread::yield();
  CHECK_THROWS_AS(pipeline->open_session({}), Error);
  door.open();
  SessionId sid = 0;
  while (sid == 0) {
    try {
      sid = pipeline->open_session({});
    } catch (const Error&) {  // the answer is on its way
      std::this_thread::yield();
    }
  }
  pipeline.feed(sid, tone(2, 200));
  pipeline->producer.finish(sid);
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events).empty());
  CHECK(finals(events).size() == 1);
  CHECK(pipeline->stats().finals == 3);
}

TEST_CASE("a full event queue holds finals back, and none is lost") {
  EngineOptions options = second_pass_options();
  TonePipeline pipeline(options);
  FakeSecondPass fake(pipeline, 2, [](SecondPass& second_pass, const SecondPassRequest& request) {
    second_pass.answer(request.id, std::string(5000, 'x'), {});  // longer than an event can be
  });
  const SessionId sid = pipeline->open_session({});
  std::thread feeder([&] {
    pipeline.feed(sid, utterances(60));
    pipeline->producer.finish(sid);
  });
  while (pipeline->stats().finals < 4) std::this_thread::yield();
  const auto events = pipeline.all_events(sid);
  feeder.join();
  CHECK(broken_rules(events).empty());
  CHECK(finals(events).size() == 61);
}

TEST_CASE("an engine whose second pass nobody serves is refused") {
  EngineOptions options = second_pass_options();
  options.model_path = "tones";
  try {
    Pipeline pipeline(options, [](const std::string&, const ModelRuntimeOptions& runtime) {
      return make_tone_model(runtime.slots, std::make_shared<ToneFaults>());
    });
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    CHECK(std::string(error.what()).find("SecondPassServer::kCaller") != std::string::npos);
  }
  TonePipeline without;
  CHECK_THROWS_AS(without->second_pass(), Error);
}
