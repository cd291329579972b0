// Finals that wait for a second pass: which words they carry, and that order, numbers and ends stay whatever answers.
#include <doctest/doctest.h>

#include <mutex>

#include "support/fake_second_pass.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

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
  // speech_start overtakes the final that waits.
  for (const std::uint64_t utterance : {1U, 2U}) {
    const Seen start = pipeline.next_event(sid);
    CHECK(start.type == EventType::kSpeechStart);
    CHECK(start.utterance == utterance);
  }
  CHECK(pipeline.next_event(sid).text == "utterance 1");
  const Seen next = pipeline.next_event(sid);
  CHECK(next.type == EventType::kPartial);
  CHECK(next.utterance == 2);
  CHECK(next.text == "b c");
  CHECK(next.seq == 3);
}
