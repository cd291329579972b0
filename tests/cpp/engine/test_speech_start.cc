// speech_start: once an utterance, before its first words, and where a detector listens, as soon as it is sure.
#include <doctest/doctest.h>

#include "support/pipeline_fixture.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

EngineOptions with_vad(VadKind kind) {
  EngineOptions options = tone_options();
  options.vad = kind;
  return options;
}

std::vector<Seen> starts(const std::vector<Seen>& events) {
  std::vector<Seen> found;
  for (const Seen& event : events) {
    if (event.type == EventType::kSpeechStart) found.push_back(event);
  }
  return found;
}

std::vector<Seen> events_of(TonePipeline& pipeline, const std::vector<std::int16_t>& audio) {
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, audio);
  pipeline->producer.finish(sid);
  auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events) == "");
  return events;
}

}  // namespace

TEST_CASE("every utterance with words has one, at the place where its speech begins") {
  for (const VadKind kind : {VadKind::kOff, VadKind::kEnergy}) {
    CAPTURE(static_cast<int>(kind));
    TonePipeline pipeline(with_vad(kind));
    pipeline.faults().late_frames = 4;
    const auto events = events_of(pipeline, join({silence(2000), tone(0, 200), silence(100), tone(1, 200),
                                                  silence(2000), tone(2, 200), silence(400)}));
    const auto found = starts(events);
    REQUIRE(found.size() == 2);
    REQUIRE(finals(events).size() == 2);
    for (std::size_t i = 0; i < 2; ++i) CHECK(found[i].utterance == finals(events)[i].utterance);
    const std::int64_t late = kind == VadKind::kOff ? 160 : 0;  // the network's word, or the sound itself
    CHECK(found[0].start_ms == doctest::Approx(static_cast<double>(2000 + late)).epsilon(0.02));
    CHECK(found[1].start_ms == doctest::Approx(static_cast<double>(4500 + late)).epsilon(0.02));
    CHECK(found[0].seq == 1);
  }
}

TEST_CASE("a detector tells of speech before its chunk is complete") {
  TonePipeline pipeline(with_vad(VadKind::kEnergy));
  const SessionId sid = pipeline->open_session({});
  // Chunks of 320 ms begin at 0: the one that holds the word lasts until 3200 ms, and no more than 120 ms of it come.
  pipeline.feed(sid, join({silence(2900), tone(1, 120)}));
  const Seen event = pipeline.next_event(sid);
  CHECK(event.type == EventType::kSpeechStart);
  CHECK(event.start_ms == doctest::Approx(2900).epsilon(0.01));
  CHECK(event.heard_ms <= 2900 + 100);
  CHECK(event.heard_ms > event.start_ms);
  pipeline->producer.close_session(sid);
}

TEST_CASE("a click is no speech; a sound without words leaves a number without a final") {
  TonePipeline pipeline(with_vad(VadKind::kEnergy));
  const auto quiet_tone = [](int ms) {
    auto samples = tone(3, ms);
    for (std::int16_t& sample : samples) sample = static_cast<std::int16_t>(sample / 20);  // the network hears nothing
    return samples;
  };
  const auto events = events_of(pipeline, join({silence(2000), quiet_tone(10), silence(2000), quiet_tone(200),
                                                silence(3000), tone(1, 200), silence(300)}));
  const auto found = starts(events);
  REQUIRE(found.size() == 2);
  CHECK(found[0].start_ms == doctest::Approx(4010).epsilon(0.01));
  CHECK(found[0].utterance == 1);
  CHECK(found[1].utterance == 2);
  REQUIRE(finals(events).size() == 1);
  CHECK(finals(events)[0].utterance == 2);
  CHECK(finals(events)[0].text == "b");
}

TEST_CASE("an utterance that is cut hard, reset or ended by a mark leaves the next one its own") {
  for (const VadKind kind : {VadKind::kOff, VadKind::kEnergy}) {
    CAPTURE(static_cast<int>(kind));
    EngineOptions options = with_vad(kind);
    options.max_utterance_ms = 1000;
    TonePipeline pipeline(options);
    const SessionId sid = pipeline->open_session({});
    std::vector<std::vector<std::int16_t>> parts;
    for (std::uint32_t i = 0; i < 20; ++i) parts.push_back(tone(i % 2, 400));
    pipeline.feed(sid, join(parts));
    pipeline->producer.end_utterance(sid);
    pipeline.feed(sid, join({tone(2, 400), silence(200)}));
    pipeline->producer.finish(sid);
    const auto events = pipeline.all_events(sid);
    CHECK(broken_rules(events) == "");
    CHECK(starts(events).size() == finals(events).size());
    CHECK(finals(events).size() >= 3);
  }
}

TEST_CASE("silence has none, nor has an empty final") {
  for (const VadKind kind : {VadKind::kOff, VadKind::kEnergy}) {
    TonePipeline pipeline(with_vad(kind));
    const auto events = events_of(pipeline, silence(5000));
    REQUIRE(events.size() == 1);
    CHECK(events[0].type == EventType::kFinal);
  }
}
