#include "c_api/lite_engine.h"

#include <doctest/doctest.h>

#include <fstream>

namespace cosyvoice::testing {

cv_engine* make_lite_engine(std::uint32_t max_stream, std::int32_t back_pressure) {
  cv_engine_options options;
  REQUIRE(cv_engine_options_init(&options, sizeof options) == CV_OK);
  const std::string bundle = std::string(COSYVOICE_SOURCE_DIR) + "/python/cosyvoice/models/en-lite";
  options.model_path = bundle.c_str();
  options.max_stream = max_stream;
  options.batch_size = 2;
  options.workers = 1;
  options.back_pressure = back_pressure;
  options.partial_timeout_ms = 20'000;  // only verbs make finals
  cv_engine* engine = nullptr;
  const int code = cv_engine_create(&options, &engine);
  INFO(cv_last_error());
  REQUIRE(code == CV_OK);
  return engine;
}

const LiteEngine& shared_engine() {
  static const LiteEngine engine;
  return engine;
}

std::vector<std::int16_t> speech(std::size_t samples, std::uint32_t shift) {
  std::ifstream file(std::string(COSYVOICE_SOURCE_DIR) + "/tests/golden/speech.s16", std::ios::binary);
  std::vector<std::int16_t> recording(48000), audio(samples);
  REQUIRE(file.read(reinterpret_cast<char*>(recording.data()), 96000));
  for (std::size_t i = 0; i < samples; ++i) audio[i] = recording[(i + std::size_t{shift} * 1600) % recording.size()];
  return audio;
}

Kept::Kept(const cv_event& event)
    : type(event.type),
      reason(event.reason),
      ended(event.ended != 0),
      sid(event.sid),
      text(event.text),
      json(cv_event_json(&event)) {
  for (std::size_t i = 0; i < event.word_count; ++i) words.emplace_back(cv_event_word(&event, i)->text);
}

std::vector<Kept> pull_all(cv_engine* engine, cv_session_id sid, int& code) {
  std::vector<Kept> events;
  const cv_event* event = nullptr;
  while ((code = cv_next_event(engine, sid, -1, &event)) == CV_OK) {
    events.emplace_back(*event);
    cv_event_free(event);
  }
  return events;
}

std::string texts_of(const std::vector<Kept>& events) {
  std::string texts;
  for (const Kept& event : events) {
    if (event.type == CV_FINAL && !event.text.empty()) texts += event.text + "\n";
  }
  return texts;
}

}  // namespace cosyvoice::testing
