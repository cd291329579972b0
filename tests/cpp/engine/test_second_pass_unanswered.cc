// Second passes that are late, refuse, are wrong, are full or never come: each utterance still has one final, in order.
#include <doctest/doctest.h>

#include "support/fake_second_pass.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

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
