// What a session hears: words, times, ends of utterances, head and tail.
#include <doctest/doctest.h>

#include "support/pipeline_fixture.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

TEST_CASE("one utterance with words and times") {
  TonePipeline pipeline;
  const auto audio = join({silence(400), tone(1, 200), silence(200), tone(2, 200), silence(200)});
  const auto heard = pipeline.transcribe(audio);
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].text == "b c");
  CHECK(heard[0].reason == Reason::kFinish);
  CHECK(heard[0].ended);
  REQUIRE(heard[0].words.size() == 2);
  CHECK(heard[0].words[0].start_ms == doctest::Approx(400).epsilon(0.1));
  CHECK(heard[0].words[1].end_ms == doctest::Approx(1000).epsilon(0.1));
  CHECK(heard[0].start_ms == heard[0].words[0].start_ms);
  CHECK(heard[0].end_ms == heard[0].words[1].end_ms);
  CHECK(pipeline.faults().contract_violations == 0);
}

TEST_CASE("silence ends an utterance after partial_timeout, and only after words") {
  TonePipeline pipeline;  // 800 ms
  const auto heard =
      pipeline.transcribe(join({silence(3000), tone(0, 300), silence(1500), tone(1, 300), silence(500), tone(2, 200)}));
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].text == "a");
  CHECK(heard[0].reason == Reason::kEndpoint);
  CHECK(heard[1].text == "b c");
  CHECK(heard[1].reason == Reason::kFinish);
}

TEST_CASE("the first word after an end-point is whole, wherever in the chunk it begins and however late it is said") {
  for (const std::uint32_t late : {0U, 6U}) {
    for (int shift = 0; shift < 320; shift += 20) {
      CAPTURE(late);
      CAPTURE(shift);
      TonePipeline pipeline;
      pipeline.faults().late_frames = late;
      // The word is shorter than the delay: without the silence that is read again, an end-point would swallow it.
      const auto audio = join({tone(0, 320), silence(800 + shift), tone(3, 120), silence(120), tone(4, 120)});
      const auto heard = pipeline.transcribe(audio);
      std::string all;
      for (const Seen& event : heard) all += (all.empty() || event.text.empty() ? "" : " ") + event.text;
      CHECK(all == "a d e");
      CHECK(pipeline.faults().contract_violations == 0);
    }
  }
}

TEST_CASE("the last word comes out whole, wherever the audio is cut and however late it is said") {
  for (int cut = 0; cut < 320; cut += 20) {
    CAPTURE(cut);
    TonePipeline pipeline;
    pipeline.faults().late_frames = cut % 40 == 0 ? 0 : 6;
    CHECK(pipeline.transcribe(join({tone(0, 200), silence(200 + cut), tone(5, 80)}))[0].text == "a f");
  }
}

TEST_CASE("an empty session gives one empty final") {
  TonePipeline pipeline;
  const auto heard = pipeline.transcribe({});
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].text.empty());
  CHECK(heard[0].ended);
  CHECK(heard[0].seq == 1);
}

TEST_CASE("heard_ms is the audio that an event needed, or all that there was") {
  TonePipeline pipeline;
  const auto audio = join({silence(400), tone(1, 200), silence(600)});
  // Only the second chunk has anything to tell within what is fed: the first event is always the same one.
  const auto first_event = [&](std::int64_t fed_ms, bool finish) {
    const SessionId sid = pipeline->open_session({});
    pipeline.feed(sid, {audio.begin(), audio.begin() + fed_ms * 16});
    if (finish) pipeline->producer.finish(sid);
    Seen event = pipeline.next_event(sid);
    while (event.type == EventType::kSpeechStart) event = pipeline.next_event(sid);
    return event;
  };
  const Seen partial = first_event(700, false);
  REQUIRE(partial.type == EventType::kPartial);
  CHECK(partial.heard_ms > partial.end_ms);

  const Seen same = first_event(partial.heard_ms, false);
  CHECK(same.type == EventType::kPartial);
  CHECK(same.heard_ms == partial.heard_ms);

  const Seen shorter = first_event(partial.heard_ms - 1, true);
  CHECK(shorter.heard_ms == partial.heard_ms - 1);
}

TEST_CASE("end_utterance is an ordered mark") {
  TonePipeline pipeline;
  const SessionId sid = pipeline->open_session({});
  for (std::uint32_t i = 0; i < 4; ++i) {
    pipeline.feed(sid, join({tone(i, 130), silence(70)}), 333);
    pipeline->producer.end_utterance(sid);
  }
  pipeline->producer.end_utterance(sid);  // nothing since the last
  pipeline->producer.finish(sid);
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events).empty());
  const auto heard = finals(events);
  REQUIRE(heard.size() == 6);
  for (std::uint32_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(heard[i].text == tone_word(i));
    CHECK(heard[i].reason == Reason::kEndpoint);
    CHECK_FALSE(heard[i].ended);
    REQUIRE(heard[i].words.size() == 1);
    CHECK(heard[i].words[0].start_ms >= 200 * i);
    CHECK(heard[i].words[0].end_ms <= 200 * (i + 1));
  }
  CHECK(heard[4].text.empty());
  CHECK(heard[5].ended);
}

TEST_CASE("a long utterance is cut at a pause past max_utterance, and hard when none comes") {
  EngineOptions options = tone_options();
  options.max_utterance_ms = 2000;
  options.partial_timeout_ms = 1000;
  SUBCASE("at a pause") {
    TonePipeline pipeline(options);
    std::vector<std::vector<std::int16_t>> parts;
    for (std::uint32_t i = 0; i < 12; ++i) {
      parts.push_back(tone(i % kTones, 200));
      parts.push_back(silence(200));
    }
    const auto heard = pipeline.transcribe(join(parts));
    REQUIRE(heard.size() >= 2);
    CHECK(heard[0].reason == Reason::kMaxLength);
    std::string all;
    for (const Seen& event : heard) all += (all.empty() || event.text.empty() ? "" : " ") + event.text;
    CHECK(all == "a b c d e f g h a b c d");
  }
  SUBCASE("hard") {
    TonePipeline pipeline(options);
    std::vector<std::vector<std::int16_t>> parts;
    for (std::uint32_t i = 0; i < 40; ++i) parts.push_back(tone(i % 2, 400));
    const auto heard = pipeline.transcribe(join(parts));
    REQUIRE(heard.size() == 3);
    CHECK(heard[0].reason == Reason::kMaxLength);
    std::size_t words = 0;
    for (const Seen& event : heard) words += event.words.size();
    CHECK(words == 40);  // the word that was cut is not heard twice
    CHECK(pipeline.faults().contract_violations == 0);
  }
}

TEST_CASE("idle_timeout ends an utterance when no audio comes") {
  EngineOptions options = tone_options();
  options.idle_timeout_ms = 100;
  TonePipeline pipeline(options);
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(6, 200), silence(100)}));
  const Seen final = pipeline.next_lasting(sid);
  CHECK(final.text == "g");
  CHECK(final.reason == Reason::kEndpoint);
  CHECK_FALSE(final.ended);
  pipeline.feed(sid, tone(7, 200));
  pipeline->producer.finish(sid);
  CHECK(finals(pipeline.all_events(sid)).back().text == "h");
}

TEST_CASE("every rate and encoding is heard alike") {
  for (const int rate : {8000, 11025, 16000, 22050, 44100, 48000}) {
    CAPTURE(rate);
    TonePipeline pipeline;
    SessionOptions session;
    session.sample_rate = static_cast<std::uint32_t>(rate);
    const auto heard = pipeline.transcribe(
        join({silence(300, rate), tone(1, 240, rate), silence(240, rate), tone(4, 240, rate)}), 777, session);
    CHECK(heard[0].text == "b e");
    CHECK(heard[0].words[0].start_ms == doctest::Approx(300).epsilon(0.15));
    const Stats stats = pipeline->stats();
    CHECK(stats.accepted_samples == stats.decoded_samples + stats.dropped_samples);
    CHECK(stats.dropped_samples == 0);
  }
}
