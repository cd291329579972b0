// Codes, messages, and null pointers in every place.
#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "c_api/guard.h"
#include "cosyvoice/c_api.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;

TEST_CASE("every error crosses with its code and its message") {
  for (int number = CV_INVALID_ARGUMENT; number <= CV_INTERNAL; ++number) {
    const auto code = static_cast<ErrorCode>(number);
    CHECK(c_api::guarded([&] { throw Error(code, std::string("about ") + to_string(code)); }) == number);
    CHECK(cv_last_error() == std::string("about ") + to_string(code));
    CHECK(std::string(cv_error_name(number)) == to_string(code));
  }
  CHECK(std::string(cv_error_name(CV_OK)) == "ok");
  CHECK(std::string(cv_error_name(-1)) == "internal");
  CHECK(std::string(cv_error_name(1000)) == "internal");
}

TEST_CASE("what is no Error of ours is internal") {
  CHECK(c_api::guarded([] { throw std::runtime_error("odd"); }) == CV_INTERNAL);
  CHECK(std::string(cv_last_error()) == "odd");
  CHECK(c_api::guarded([] { throw std::bad_alloc(); }) == CV_INTERNAL);
  CHECK(std::string(cv_last_error()) == "the system gives no more memory");
  CHECK(c_api::guarded([] { throw 7; }) == CV_INTERNAL);
}

TEST_CASE("each thread has its own message, which a success leaves alone") {
  CHECK(cv_engine_close(nullptr) == CV_INVALID_ARGUMENT);
  CHECK(std::string(cv_last_error()) == "engine is NULL");
  cv_session_options options;
  CHECK(cv_session_options_init(&options, sizeof options) == CV_OK);
  CHECK(std::string(cv_last_error()) == "engine is NULL");
  std::string elsewhere = "unset";
  std::thread([&elsewhere] { elsewhere = cv_last_error(); }).join();
  CHECK(elsewhere.empty());
}

TEST_CASE("a null pointer is an error, never a crash") {
  const std::int16_t samples[2] = {};
  const float floats[2] = {};
  cv_engine* engine = nullptr;
  cv_session_id sid = 0;
  const cv_event* event = nullptr;
  cv_stats stats;
  cv_model_info info;
  CHECK(cv_engine_options_init(nullptr, sizeof(cv_engine_options)) == CV_INVALID_ARGUMENT);
  CHECK(cv_session_options_init(nullptr, sizeof(cv_session_options)) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_create(nullptr, nullptr) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_create_from_config(nullptr, &engine) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_create_from_config("", nullptr) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_close(nullptr) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_destroy(nullptr) == CV_OK);
  CHECK(cv_new_session(nullptr, nullptr, &sid) == CV_INVALID_ARGUMENT);
  CHECK(cv_feed_pcm(nullptr, 1, samples, 4) == CV_INVALID_ARGUMENT);
  CHECK(cv_feed_int16(nullptr, 1, samples, 2) == CV_INVALID_ARGUMENT);
  CHECK(cv_feed_float(nullptr, 1, floats, 2) == CV_INVALID_ARGUMENT);
  CHECK(cv_end_utterance(nullptr, 1) == CV_INVALID_ARGUMENT);
  CHECK(cv_reset(nullptr, 1) == CV_INVALID_ARGUMENT);
  CHECK(cv_finish(nullptr, 1) == CV_INVALID_ARGUMENT);
  CHECK(cv_close_session(nullptr, 1) == CV_INVALID_ARGUMENT);
  CHECK(cv_release(nullptr, 1) == CV_INVALID_ARGUMENT);
  CHECK(cv_register_callback(nullptr, nullptr, nullptr, nullptr, nullptr) == CV_INVALID_ARGUMENT);
  CHECK(cv_next_event(nullptr, 1, 0, &event) == CV_INVALID_ARGUMENT);
  CHECK(cv_next_partial(nullptr, 1, &event) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_stats(nullptr, &stats, sizeof stats) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_clear_delays(nullptr) == CV_INVALID_ARGUMENT);
  CHECK(cv_engine_model(nullptr, &info, sizeof info) == CV_INVALID_ARGUMENT);
  CHECK(cv_event_word(nullptr, 0) == nullptr);
  CHECK(std::string(cv_event_json(nullptr)).empty());
  cv_event_free(nullptr);
  CHECK(engine == nullptr);
  CHECK(sid == 0);
  CHECK(event == nullptr);
}

TEST_CASE("a configuration's faults cross") {
  cv_engine* engine = nullptr;
  CHECK(cv_engine_create_from_config("/nowhere/cosyvoice.yaml", &engine) == CV_INVALID_CONFIG);
  CHECK(std::string(cv_last_error()).find("/nowhere/cosyvoice.yaml") != std::string::npos);
  CHECK(engine == nullptr);
}
