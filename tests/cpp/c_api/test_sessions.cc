// Sessions through the C API: the same results as through engine.h, and every verb's errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "c_api/c_program.h"
#include "c_api/event.h"
#include "c_api/lite_engine.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

std::string texts_from_cpp(const std::vector<std::int16_t>& audio) {
  EngineOptions options;
  options.model_path = std::string(COSYVOICE_SOURCE_DIR) + "/python/cosyvoice/models/en-lite";
  options.max_stream = 1;
  options.batch_size = 2;
  options.workers = 1;
  options.partial_timeout_ms = 20'000;
  Engine engine(options);
  const SessionId sid = engine.new_session();
  for (std::size_t at = 0; at < audio.size(); at += 1024)
    engine.feed_pcm(sid, &audio[at], std::min<std::size_t>(1024, audio.size() - at));
  engine.finish(sid);
  std::string texts;
  bool ended = false;
  while (!ended) {
    engine.next_event(
        sid,
        [&](const Event& event) {
          if (event.type == EventType::kFinal && !event.text.empty()) texts += std::string(event.text) + "\n";
          ended = event.ended;
        },
        -1);
  }
  return texts;
}

}  // namespace

TEST_SUITE("openvino") {
  TEST_CASE("a program in C hears what one in C++ hears") {
    const auto audio = speech(3 * 16000);
    const LiteEngine& engine = shared_engine();
    std::vector<char> texts(65536);
    CHECK(c_transcribe(engine, audio.data(), audio.size(), texts.data(), texts.size()) == CV_OK);
    CHECK(std::string(texts.data()) == texts_from_cpp(audio));
    CHECK(texts[0] != '\0');
  }

  TEST_CASE("bytes, samples and floats are the same audio") {
    const auto audio = speech(16000);
    std::vector<float> floats(audio.size());
    std::transform(audio.begin(), audio.end(), floats.begin(),
                   [](std::int16_t sample) { return static_cast<float>(sample) / 32768.0F; });
    const LiteEngine& engine = shared_engine();
    std::vector<std::string> texts;
    for (int form = 0; form < 4; ++form) {
      cv_session_options options;
      REQUIRE(cv_session_options_init(&options, sizeof options) == CV_OK);
      options.encoding = form == 3 ? CV_F32LE : CV_S16LE;
      cv_session_id sid = 0;
      REQUIRE(cv_new_session(engine, &options, &sid) == CV_OK);
      const int code = form == 0   ? cv_feed_pcm(engine, sid, audio.data(), audio.size() * sizeof(std::int16_t))
                       : form == 1 ? cv_feed_int16(engine, sid, audio.data(), audio.size())
                       : form == 2 ? cv_feed_float(engine, sid, floats.data(), floats.size())
                                   : cv_feed_pcm(engine, sid, floats.data(), floats.size() * sizeof(float));
      CHECK(code == CV_OK);
      CHECK(cv_finish(engine, sid) == CV_OK);
      int end = CV_OK;
      texts.push_back(texts_of(pull_all(engine, sid, end)));
      CHECK(end == CV_UNKNOWN_SESSION);
    }
    CHECK(!texts[0].empty());
    CHECK(std::count(texts.begin(), texts.end(), texts[0]) == 4);
  }

  TEST_CASE("events have their members, words and JSON") {
    const LiteEngine& engine = shared_engine();
    cv_session_options options;
    REQUIRE(cv_session_options_init(&options, sizeof options) == CV_OK);
    options.name = "line 12";
    cv_session_id sid = 0;
    REQUIRE(cv_new_session(engine, &options, &sid) == CV_OK);
    const auto audio = speech(2 * 16000);
    REQUIRE(cv_feed_int16(engine, sid, audio.data(), audio.size()) == CV_OK);
    REQUIRE(cv_finish(engine, sid) == CV_OK);
    const cv_event* event = nullptr;
    bool ended = false;
    while (!ended) {
      REQUIRE(cv_next_event(engine, sid, -1, &event) == CV_OK);
      REQUIRE(event != nullptr);
      CHECK(event->size == sizeof(cv_event));
      CHECK(event->sid == sid);
      CHECK(std::string(event->session) == "line 12");
      CHECK(std::string(event->model_name) == "en-lite");
      CHECK(event->end_ms >= event->start_ms);
      std::string words;
      for (std::size_t i = 0; i < event->word_count; ++i) {
        const cv_word* word = cv_event_word(event, i);
        CHECK(word->size == sizeof(cv_word));
        CHECK(word->end_ms > word->start_ms);
        CHECK(word->confidence > 0.0);
        words += (words.empty() ? "" : " ") + std::string(word->text);
      }
      CHECK(words == event->text);
      CHECK(cv_event_word(event, event->word_count) == nullptr);
      CHECK(event->alternative_count == 0);  // nobody asked for them
      CHECK(cv_event_alternative(event, 0) == nullptr);
      CHECK(cv_event_word(event, std::numeric_limits<std::size_t>::max()) == nullptr);
      const std::string json = cv_event_json(event);
      const bool has_text = event->type == CV_PARTIAL || event->type == CV_FINAL;
      CHECK((json.find("\"text\": \"" + words + "\"") != std::string::npos) == has_text);
      CHECK(json.find("\"sid\": " + std::to_string(sid)) != std::string::npos);
      ended = event->ended != 0;
      if (ended) {
        CHECK(event->type == CV_FINAL);
        CHECK(event->reason == CV_REASON_FINISH);
        CHECK(event->word_count > 0);
      }
      cv_event_free(event);
    }
  }

  TEST_CASE("alternatives have text and confidence") {
    Event event;
    event.alternatives = {{"hello word", 0.25F}, {"", 0.125F}};
    const c_api::OwnedEvent owned(event, false);
    REQUIRE(owned.alternative_count == 2);
    CHECK(std::string(cv_event_alternative(&owned, 0)->text) == "hello word");
    CHECK(cv_event_alternative(&owned, 0)->size == sizeof(cv_alternative));
    CHECK(cv_event_alternative(&owned, 0)->confidence == 0.25);
    CHECK(std::string(cv_event_alternative(&owned, 1)->text).empty());
    CHECK(cv_event_alternative(&owned, 2) == nullptr);
    CHECK(cv_event_alternative(nullptr, 0) == nullptr);
  }

  TEST_CASE("hotwords are set and taken back, for the engine and for a session") {
    const LiteEngine& engine = shared_engine();
    const cv_hotword hotwords[] = {{"Ann Lee", 4.0F}};
    const cv_hotword wrong[] = {{"Ann Lee", -1.0F}};
    cv_session_id sid = 0;
    REQUIRE(cv_new_session(engine, nullptr, &sid) == CV_OK);
    CHECK(cv_set_hotwords(engine, hotwords, 1) == CV_OK);
    CHECK(cv_set_session_hotwords(engine, sid, hotwords, 1) == CV_OK);
    CHECK(cv_set_session_hotwords(engine, sid, wrong, 1) == CV_INVALID_ARGUMENT);
    CHECK(std::string(cv_last_error()).find("the boost of hotword 'Ann Lee' is -1") == 0);
    CHECK(cv_set_hotwords(engine, nullptr, 1) == CV_INVALID_ARGUMENT);
    CHECK(cv_set_session_hotwords(engine, sid + 4000, hotwords, 1) == CV_UNKNOWN_SESSION);
    CHECK(cv_set_hotwords(engine, nullptr, 0) == CV_OK);
    CHECK(cv_set_session_hotwords(engine, sid, nullptr, 0) == CV_OK);
    CHECK(cv_close_session(engine, sid) == CV_OK);
    int end = CV_OK;
    pull_all(engine, sid, end);
  }

  TEST_CASE("every verb does to a session what it does in C++") {
    const LiteEngine& engine = shared_engine();
    const auto audio = speech(16000);
    cv_session_id sid = 0;
    int end = CV_OK;
    REQUIRE(cv_new_session(engine, nullptr, &sid) == CV_OK);
    CHECK(cv_feed_int16(engine, sid, audio.data(), audio.size()) == CV_OK);
    CHECK(cv_end_utterance(engine, sid) == CV_OK);
    CHECK(cv_feed_int16(engine, sid, audio.data(), audio.size()) == CV_OK);
    CHECK(cv_reset(engine, sid) == CV_OK);
    CHECK(cv_close_session(engine, sid) == CV_OK);
    const auto events = pull_all(engine, sid, end);
    CHECK(end == CV_UNKNOWN_SESSION);
    REQUIRE(!events.empty());
    CHECK(events.back().ended);
    CHECK(events.back().reason == CV_REASON_CLOSE);

    REQUIRE(cv_new_session(engine, nullptr, &sid) == CV_OK);
    CHECK(cv_finish(engine, sid) == CV_OK);
    CHECK(cv_release(engine, sid) == CV_OK);
  }

  TEST_CASE("wrong handles and wrong moments have codes") {
    const LiteEngine engine(1);
    const std::int16_t samples[4] = {};
    const cv_event* event = nullptr;
    for (const cv_session_id wrong : {cv_session_id{77}, std::numeric_limits<cv_session_id>::max()}) {
      CHECK(cv_feed_int16(engine, wrong, samples, 4) == CV_UNKNOWN_SESSION);
      CHECK(cv_end_utterance(engine, wrong) == CV_UNKNOWN_SESSION);
      CHECK(cv_reset(engine, wrong) == CV_UNKNOWN_SESSION);
      CHECK(cv_finish(engine, wrong) == CV_UNKNOWN_SESSION);
      CHECK(cv_close_session(engine, wrong) == CV_UNKNOWN_SESSION);
      CHECK(cv_release(engine, wrong) == CV_UNKNOWN_SESSION);
      CHECK(cv_next_event(engine, wrong, 0, &event) == CV_UNKNOWN_SESSION);
      CHECK(cv_next_partial(engine, wrong, &event) == CV_UNKNOWN_SESSION);
    }
    CHECK(cv_feed_int16(engine, CV_ANY_SESSION, samples, 4) == CV_UNKNOWN_SESSION);

    cv_session_id sid = 0, second = 0;
    REQUIRE(cv_new_session(engine, nullptr, &sid) == CV_OK);
    CHECK(cv_new_session(engine, nullptr, &second) == CV_ENGINE_FULL);
    CHECK(second == 0);
    CHECK(cv_new_session(engine, nullptr, nullptr) == CV_INVALID_ARGUMENT);
    CHECK(cv_feed_pcm(engine, sid, samples, 3) == CV_INVALID_AUDIO);
    CHECK(cv_feed_pcm(engine, sid, nullptr, 4) == CV_INVALID_ARGUMENT);
    CHECK(cv_feed_int16(engine, sid, nullptr, 4) == CV_INVALID_ARGUMENT);
    CHECK(cv_feed_pcm(engine, sid, nullptr, 0) == CV_OK);
    const float bad = std::numeric_limits<float>::quiet_NaN();
    CHECK(cv_feed_float(engine, sid, &bad, 1) == CV_INVALID_AUDIO);
    const std::vector<std::int16_t> packet(1 << 20);
    CHECK(cv_feed_int16(engine, sid, packet.data(), packet.size()) == CV_INVALID_AUDIO);
    CHECK(cv_next_event(engine, sid, 0, nullptr) == CV_INVALID_ARGUMENT);
    CHECK(cv_next_partial(engine, sid, nullptr) == CV_INVALID_ARGUMENT);
    event = reinterpret_cast<const cv_event*>(&bad);
    CHECK(cv_next_event(engine, sid, 0, &event) == CV_OK);  // a time-out
    CHECK(event == nullptr);
    event = reinterpret_cast<const cv_event*>(&bad);
    CHECK(cv_next_partial(engine, sid, &event) == CV_OK);
    CHECK(event == nullptr);
    CHECK(cv_finish(engine, sid) == CV_OK);
    const int after = cv_feed_int16(engine, sid, samples, 4);
    CHECK((after == CV_SESSION_FINISHED || after == CV_UNKNOWN_SESSION));
    int end = CV_OK;
    pull_all(engine, sid, end);
    CHECK(cv_feed_int16(engine, sid, samples, 4) == CV_UNKNOWN_SESSION);
  }

  TEST_CASE("200 sessions come and go, some pulled, some given up") {
    const LiteEngine engine(2);
    const auto audio = speech(1600);
    for (int cycle = 0; cycle < 200; ++cycle) {
      cv_session_id sid = 0;
      const int opened = cv_new_session(engine, nullptr, &sid);
      INFO(cv_last_error());
      REQUIRE(opened == CV_OK);
      REQUIRE(cv_feed_int16(engine, sid, audio.data(), audio.size()) == CV_OK);
      REQUIRE((cycle % 3 == 0 ? cv_close_session(engine, sid) : cv_finish(engine, sid)) == CV_OK);
      int end = CV_OK;
      const auto events = pull_all(engine, sid, end);
      REQUIRE(end == CV_UNKNOWN_SESSION);
      REQUIRE(events.back().ended);
    }
    cv_stats stats;
    REQUIRE(cv_engine_stats(engine, &stats, sizeof stats) == CV_OK);
    CHECK(stats.size == sizeof stats);
    CHECK(stats.sessions == 0);
    CHECK(stats.sessions_opened == 200);
    CHECK(stats.sessions_ended == 200);
    CHECK(stats.accepted_samples == 200 * audio.size());
    CHECK(stats.accepted_samples == stats.decoded_samples + stats.dropped_samples);
  }
}
