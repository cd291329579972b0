// Silence that does not go through the network: the same words and times as if it did, and every sample counted.
#include <doctest/doctest.h>

#include <random>
#include <tuple>

#include "support/pipeline_fixture.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

using Audio = std::vector<std::int16_t>;

EngineOptions listening(std::int32_t partial_timeout_ms = 800) {
  EngineOptions options = tone_options();
  options.partial_timeout_ms = partial_timeout_ms;
  options.vad = VadKind::kEnergy;
  return options;
}

Audio with_noise(Audio samples, double level) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0.0, level);
  for (std::int16_t& sample : samples) sample = static_cast<std::int16_t>(sample + noise(random));
  return samples;
}

void check_accounts(const Stats& stats) {
  CHECK(stats.accepted_samples == stats.decoded_samples + stats.dropped_samples + stats.skipped_samples);
}

std::vector<SeenWord> words_of(const std::vector<Seen>& heard) {
  std::vector<SeenWord> words;
  for (const Seen& event : heard) words.insert(words.end(), event.words.begin(), event.words.end());
  return words;
}

/// Everything that must not depend on how the audio came.
using Facts =
    std::tuple<EventType, std::uint64_t, std::string, std::int64_t, std::int64_t, std::int64_t, std::uint64_t>;
std::vector<Facts> lasting_facts(TonePipeline& pipeline, const Audio& audio, std::size_t packet) {
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, audio, packet);
  pipeline->producer.finish(sid);
  std::vector<Facts> facts;
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events) == "");
  for (const Seen& event : events) {
    if (event.type == EventType::kPartial) continue;
    facts.emplace_back(event.type, event.utterance, event.text, event.start_ms, event.end_ms, event.heard_ms,
                       event.seq);
  }
  return facts;
}

}  // namespace

TEST_CASE("leading silence of any length is skipped, and the first word is whole and in its place") {
  for (const std::uint32_t late : {0U, 6U}) {
    for (int lead = 0; lead <= 5000; lead += 370) {
      CAPTURE(late);
      CAPTURE(lead);
      const Audio audio = with_noise(join({silence(lead), tone(1, 200), silence(80), tone(2, 200)}), 20.0);
      TonePipeline pipeline(listening()), whole;
      pipeline.faults().late_frames = whole.faults().late_frames = late;
      const auto heard = pipeline.transcribe(audio);
      CHECK(heard[0].text == "b c");
      CHECK(words_of(heard) == words_of(whole.transcribe(audio)));
      CHECK(pipeline.faults().contract_violations == 0);
      check_accounts(pipeline->stats());
      if (lead > 2000) CHECK(pipeline->stats().skipped_samples >= static_cast<std::uint64_t>(lead - 1700) * 16);
      CHECK(whole->stats().skipped_samples == 0);
    }
  }
}

TEST_CASE("the last word is whole wherever the audio is cut after it") {
  for (int cut = 0; cut <= 500; cut += 20) {
    CAPTURE(cut);
    TonePipeline pipeline(listening());
    pipeline.faults().late_frames = cut % 40 == 0 ? 0 : 6;
    const auto heard = pipeline.transcribe(
        with_noise(join({silence(2000), tone(0, 200), silence(200), tone(5, 80), silence(cut)}), 20.0));
    CHECK(heard[0].text == "a f");
    check_accounts(pipeline->stats());
  }
}

TEST_CASE("a pause inside an utterance is skipped, the network goes on where it was, and times stay") {
  for (const std::uint32_t late : {0U, 6U}) {
    for (int shift = 0; shift < 320; shift += 40) {
      CAPTURE(late);
      CAPTURE(shift);
      TonePipeline pipeline(listening(6000)), whole(tone_options());
      pipeline.faults().late_frames = late;
      const Audio audio =
          join({silence(600), tone(0, 320), silence(4000 + shift), tone(3, 120), silence(120), tone(4, 120)});
      const auto heard = pipeline.transcribe(audio);
      REQUIRE(heard.size() == 1);
      CHECK(heard[0].text == "a d e");
      CHECK(heard[0].words[1].start_ms >= 4920 + shift - 40);
      CHECK(heard[0].words[1].start_ms <= 4920 + shift + 40 * late + 40);
      CHECK(pipeline.faults().contract_violations == 0);
      CHECK(pipeline->stats().skipped_samples >= 16 * 2000);
      check_accounts(pipeline->stats());
    }
  }
}

TEST_CASE("skipped silence ends an utterance as soon as heard silence does") {
  for (int shift = 0; shift < 320; shift += 40) {
    CAPTURE(shift);
    const Audio audio = join({silence(2000 + shift), tone(0, 320), silence(4500), tone(3, 120), silence(2200)});
    TonePipeline pipeline(listening(2000)), whole(listening(2000));
    EngineOptions off = tone_options();
    off.partial_timeout_ms = 2000;
    TonePipeline reference(off);
    const auto heard = pipeline.transcribe(audio), expected = reference.transcribe(audio);
    REQUIRE(heard.size() == expected.size());
    CHECK(words_of(heard) == words_of(expected));
    for (std::size_t i = 0; i < heard.size(); ++i) {
      CHECK(heard[i].reason == expected[i].reason);
      CHECK(heard[i].heard_ms <= expected[i].heard_ms + 320);
    }
    CHECK(pipeline->stats().skipped_samples > 0);
  }
}

TEST_CASE("the first word after an end-point is whole, wherever in the silence it begins") {
  for (const std::uint32_t late : {0U, 6U}) {
    for (int shift = 0; shift < 960; shift += 20) {
      CAPTURE(late);
      CAPTURE(shift);
      TonePipeline pipeline(listening());
      pipeline.faults().late_frames = late;
      const auto heard =
          pipeline.transcribe(join({tone(0, 320), silence(800 + shift), tone(3, 120), silence(120), tone(4, 120)}));
      std::string all;
      for (const Seen& event : heard) all += (all.empty() || event.text.empty() ? "" : " ") + event.text;
      CHECK(all == "a d e");
      CHECK(pipeline.faults().contract_violations == 0);
      check_accounts(pipeline->stats());
    }
  }
}

TEST_CASE("how the audio comes changes nothing that lasts") {
  const Audio audio =
      with_noise(join({silence(2500), tone(1, 200), silence(3000), tone(2, 250), silence(60), tone(3, 200),
                       silence(1500), tone(4, 30), silence(2600), tone(5, 200), silence(300)}),
                 30.0);
  TonePipeline pipeline(listening());
  const auto expected = lasting_facts(pipeline, audio, 160);
  CHECK(expected.size() > 6);
  for (const std::size_t packet : {37U, 333U, 1024U, 5000U, 60000U}) {
    CAPTURE(packet);
    CHECK(lasting_facts(pipeline, audio, packet) == expected);
  }
  CHECK(pipeline->stats().skipped_samples > 0);
  check_accounts(pipeline->stats());
}

TEST_CASE("every rate and encoding is skipped and heard alike") {
  for (const int rate : {8000, 16000, 44100}) {
    CAPTURE(rate);
    TonePipeline pipeline(listening());
    SessionOptions session;
    session.sample_rate = static_cast<std::uint32_t>(rate);
    const auto heard = pipeline.transcribe(
        with_noise(join({silence(4000, rate), tone(1, 240, rate), silence(240, rate), tone(4, 240, rate)}), 10.0), 777,
        session);
    CHECK(heard[0].text == "b e");
    CHECK(heard[0].words[0].start_ms == doctest::Approx(4000).epsilon(0.03));
    const Stats stats = pipeline->stats();
    check_accounts(stats);
    CHECK(stats.skipped_samples > static_cast<std::uint64_t>(2 * rate));
  }
}

TEST_CASE("the verbs count what was skipped and what was not") {
  TonePipeline pipeline(listening());
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({silence(3000), tone(0, 200), silence(3000)}));
  pipeline->producer.end_utterance(sid);
  pipeline.feed(sid, silence(3000));
  pipeline->producer.reset(sid);
  pipeline.feed(sid, join({silence(1500), tone(1, 200), silence(900)}));
  pipeline->producer.finish(sid);
  const auto events = pipeline.all_events(sid);
  CHECK(broken_rules(events) == "");
  CHECK(events.back().ended);
  check_accounts(pipeline->stats());
  CHECK(pipeline->stats().skipped_samples > 0);
}

TEST_CASE("where nobody speaks, start_timeout gives an empty final, skipped or heard") {
  for (const VadKind vad : {VadKind::kOff, VadKind::kEnergy}) {
    CAPTURE(static_cast<int>(vad));
    EngineOptions options = listening();
    options.vad = vad;
    options.start_timeout_ms = 3000;
    TonePipeline pipeline(options);
    const auto heard = pipeline.transcribe(join({silence(4000), tone(1, 200), silence(400)}));
    REQUIRE(heard.size() == 2);
    CHECK(heard[0].text.empty());
    CHECK(heard[0].reason == Reason::kEndpoint);
    CHECK(heard[0].heard_ms >= 3000);
    CHECK(heard[0].heard_ms <= 3700);
    CHECK(heard[1].text == "b");
    check_accounts(pipeline->stats());
  }
}
