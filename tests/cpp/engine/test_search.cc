// Beam, hotwords and grammars in live sessions. A tone is five frames of its word at 0.9, each other word at e^-5.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "support/pipeline_fixture.h"
#include "support/temporary_directory.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

/// So much that the word is heard in whatever is said: whether a boost was in use can be seen.
constexpr float kInsistent = 40.0F;

bool has(const std::string& text, char word) {
  return text.find(word) != std::string::npos;
}

std::string text_of(const std::vector<Seen>& finals) {
  std::string text;
  for (const Seen& final : finals) text += (text.empty() ? "" : " ") + final.text;
  return text;
}

EngineOptions beam(std::uint32_t alternatives = 0) {
  EngineOptions options = tone_options();
  options.beam_size = 8;
  options.alternatives = alternatives;
  options.token_threshold = 100;
  options.score_threshold = 100;
  return options;
}

}  // namespace

TEST_CASE("where the network is sure the beam finds the words and times of the best path") {
  const auto audio =
      join({silence(200), tone(0, 200), silence(120), tone(1, 240), tone(2, 200), silence(1500), tone(3, 200)});
  TonePipeline greedy, search(beam());
  const auto expected = greedy.transcribe(audio);
  REQUIRE(expected.size() == 2);
  for (const std::size_t packet : {160, 1024, 7000}) {
    const auto found = search.transcribe(audio, packet);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].text == expected[i].text);
      CHECK(found[i].words == expected[i].words);
      CHECK(found[i].reason == expected[i].reason);
    }
  }
}

TEST_CASE("finals carry alternatives where they are asked for, partials never") {
  TonePipeline pipeline(beam(3));
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(0, 200), silence(400)}));
  pipeline->producer.finish(sid);
  for (const Seen& event : pipeline.all_events(sid)) {
    if (event.type == EventType::kPartial) CHECK(event.alternatives.empty());
    if (event.type != EventType::kFinal) continue;
    REQUIRE(event.alternatives.size() == 3);
    float last = 1.0F;
    for (const auto& [text, confidence] : event.alternatives) {
      CHECK(text != event.text);
      CHECK(confidence <= last);
      last = confidence;
    }
  }
}

TEST_CASE("alternatives are shown as the dictionary says") {
  const TemporaryDirectory files;
  files.write("words.yaml", "words:\n  One: a\n  Two Two: b\n");
  EngineOptions options = beam(3);
  options.dictionary = files.path() + "/words.yaml";
  TonePipeline pipeline(options);
  const Seen final = pipeline.transcribe(join({tone(0, 200), silence(400)})).front();
  CHECK(final.text == "One");
  REQUIRE(final.alternatives.size() == 3);
  for (const auto& [text, confidence] : final.alternatives) {
    CHECK(!has(text, 'a'));
    CHECK(!has(text, 'b'));
  }
}

TEST_CASE("hold_back: partials show a word once it ended so long ago, finals show all") {
  EngineOptions options = tone_options();
  options.hold_back_ms = 400;
  TonePipeline pipeline(options);
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, join({tone(0, 200), silence(120), tone(1, 200), silence(640), tone(2, 320)}));
  std::string shown;
  while (shown != "a b") {
    const Seen event = pipeline.next_event(sid);
    if (event.type != EventType::kPartial) continue;
    shown = event.text;
    CHECK((shown == "a" || shown == "a b"));
    CHECK(event.words.size() == (shown.size() + 1) / 2);
    CHECK(event.end_ms == event.words.back().end_ms);
  }
  pipeline->producer.finish(sid);
  CHECK(pipeline.next_lasting(sid).text == "a b c");
}

TEST_CASE("hotwords: the session's, the engine's, and none again, in an engine of the best path") {
  EngineOptions options = tone_options();
  options.token_threshold = options.score_threshold = 100;
  TonePipeline pipeline(options);
  const auto audio = join({tone(0, 200), silence(200)});
  CHECK(text_of(pipeline.transcribe(audio)) == "a");
  SessionOptions session;
  session.hotwords = {{"B", kInsistent}};
  CHECK(has(text_of(pipeline.transcribe(audio, 1024, session)), 'b'));
  CHECK(text_of(pipeline.transcribe(audio)) == "a");
  pipeline->set_hotwords({{"c", kInsistent}});
  CHECK(has(text_of(pipeline.transcribe(audio)), 'c'));
  pipeline->set_hotwords({});
  CHECK(text_of(pipeline.transcribe(audio)) == "a");
  session.hotwords = {{"b", -1.0F}};
  CHECK_THROWS_AS(pipeline->open_session(session), Error);
}

TEST_CASE("new hotwords count from the next utterance, or at once where this one has no words") {
  EngineOptions options = tone_options();
  options.token_threshold = options.score_threshold = 100;
  TonePipeline pipeline(options);
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, silence(700));
  while (pipeline->stats().decoded_samples <= 320 * 16) std::this_thread::yield();  // the first chunk was searched
  pipeline->set_hotwords(sid, {{"b", kInsistent}});
  pipeline.feed(sid, join({tone(0, 400), silence(240)}));
  REQUIRE(pipeline.next_event(sid).type == EventType::kSpeechStart);
  const Seen partial = pipeline.next_event(sid);
  REQUIRE(partial.type == EventType::kPartial);
  REQUIRE(has(partial.text, 'b'));
  CHECK(partial.words.at(0).start_ms >= 320);  // not in the silence that was decoded before
  const std::size_t known = partial.words.size();
  pipeline->set_hotwords(sid, {});  // this utterance has words
  pipeline.feed(sid, join({tone(0, 200), silence(1600)}));
  const Seen first = pipeline.next_lasting(sid);
  CHECK(std::count(first.text.begin(), first.text.end(), 'b') > static_cast<std::ptrdiff_t>(known));
  pipeline.feed(sid, join({tone(0, 200), silence(200)}));
  pipeline->producer.finish(sid);
  CHECK(pipeline.next_lasting(sid).text == "a");
  CHECK_THROWS_AS(pipeline->set_hotwords(sid + 8000, {}), Error);
}

TEST_CASE("a grammar: nothing else is heard; with [unk] everything else is that") {
  TonePipeline pipeline(beam());
  const auto audio = join({tone(0, 200), silence(120), tone(1, 200), silence(120), tone(2, 200), silence(200)});
  SessionOptions session;
  session.grammar = {"A", "C a"};
  for (const Seen& final : pipeline.transcribe(audio, 1024, session)) {
    CHECK(final.text.find('b') == std::string::npos);
    CHECK(!final.text.empty());
  }
  session.grammar = {"a", "c", "[unk]"};
  CHECK(text_of(pipeline.transcribe(audio, 1024, session)) == "a [unk] c");
  session.grammar = {"[unk]"};
  CHECK_THROWS_AS(pipeline->open_session(session), Error);
}

TEST_CASE("hotwords that change all the time, of the engine and of every session, disturb nobody") {
  EngineOptions options = tone_options(6);
  TonePipeline pipeline(options);
  Drainer drainer(pipeline);
  std::atomic<bool> stop{false};
  std::vector<SessionId> sids;
  for (int i = 0; i < 6; ++i) sids.push_back(pipeline->open_session({}));
  std::thread changer([&] {
    for (int round = 0; !stop.load(); ++round) {
      const std::vector<Hotword> list =
          round % 3 == 0 ? std::vector<Hotword>{} : std::vector<Hotword>{{"h g", 1.0F}, {"f", 0.5F}};
      pipeline->set_hotwords(list);
      pipeline->set_hotwords(sids[static_cast<std::size_t>(round) % 6], list);
    }
  });
  const auto audio = join({tone(0, 200), silence(200), tone(1, 200), silence(1200)});
  for (int utterance = 0; utterance < 6; ++utterance) {
    for (const SessionId sid : sids) pipeline.feed(sid, audio);
  }
  stop.store(true);
  changer.join();
  pipeline->close();
  auto events = drainer.join();
  for (const SessionId sid : sids) {
    CHECK(broken_rules(events[sid]) == "");
    std::string text;
    for (const Seen& final : finals(events[sid])) text += final.text.empty() ? "" : final.text + ",";
    CHECK(text == "a b,a b,a b,a b,a b,a b,");
  }
}
