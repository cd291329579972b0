// Structures that carry their size: programs older and newer than the library.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "c_api/c_program.h"
#include "c_api/options.h"
#include "config/schema.h"
#include "cosyvoice/c_api.h"

using namespace cosyvoice;
using namespace cosyvoice::c_api;

namespace {

cv_engine_options engine_defaults() {
  cv_engine_options options;
  REQUIRE(cv_engine_options_init(&options, sizeof options) == CV_OK);
  return options;
}

ErrorCode code_of(const cv_engine_options& options) {
  try {
    to_options(&options);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kOk;
}

/// A program of the future: its structure has members that this library does not know.
struct NewerOptions {
  cv_engine_options known;
  std::int64_t later[2];
};

}  // namespace

TEST_CASE("C and C++ see structures of the same sizes") {
  std::size_t sizes[6];
  c_sizes(sizes);
  CHECK(sizes[0] == sizeof(cv_engine_options));
  CHECK(sizes[1] == sizeof(cv_session_options));
  CHECK(sizes[2] == sizeof(cv_event));
  CHECK(sizes[3] == sizeof(cv_word));
  CHECK(sizes[4] == sizeof(cv_stats));
  CHECK(sizes[5] == sizeof(cv_model_info));
}

TEST_CASE("the defaults are those of engine.h, and every option crosses") {
  cv_engine_options c = engine_defaults();
  const EngineOptions same = to_options(&c);
  for (const ConfigKey& key : config_schema()) CHECK(key.value_of(same) == key.value_of(EngineOptions{}));

  c.model_path = "m";
  c.chunk_ms = 160;
  c.max_stream = 3;
  c.batch_size = 4;
  c.workers = 5;
  c.partial_timeout_ms = 600;
  c.max_utterance_ms = 7000;
  c.idle_timeout_ms = 800;
  c.back_pressure = CV_REJECT;
  c.block_timeout_ms = 9;
  c.ring_bytes = 8192;
  c.fifo_bytes = 131072;
  c.max_batch_ms = 10.5;
  c.close_timeout_ms = 11;
  c.cpus = "0";
  c.huge_pages = 1;
  c.simd = CV_SIMD_BASELINE;
  c.log_level = CV_LOG_ERROR;
  c.second_pass = "whisper";
  c.second_pass_workers = 2;
  c.second_pass_timeout_ms = 12;
  c.itn = 1;
  c.precision = CV_PRECISION_INT8;
  c.dictionary = "words.yaml";
  c.dictionary_version = 13;
  c.watch_config = 0;
  c.config_file = "engine.yaml";
  c.start_timeout_ms = 13;
  c.vad = CV_VAD_SILERO;
  c.vad_threshold = 0.4;
  c.vad_hangover_ms = 14;
  c.vad_pre_roll_ms = 15;
  c.vad_model = "silero.onnx";
  c.beam_size = 8;
  c.lm = "lm.bin";
  c.lm_weight = 0.7;
  c.word_bonus = 0.3;
  c.blank_penalty = 0.2;
  c.token_threshold = 9;
  c.score_threshold = 13;
  c.hotwords = "names.txt";
  c.hotword_boost = 3;
  c.search_version = 14;
  c.hold_back_ms = 15;
  c.alternatives = 4;
  const EngineOptions changed = to_options(&c);
  // Every key of the schema is another than its default, so a new option that C lacks is found here.
  for (const ConfigKey& key : config_schema()) {
    CAPTURE(std::string(key.option));
    CHECK(key.value_of(changed) != key.value_of(EngineOptions{}));
  }
  CHECK(changed.config_file == "engine.yaml");
  CHECK(changed.partial_timeout_ms == 600);
  CHECK(changed.max_utterance_ms == 7000);
  CHECK(changed.idle_timeout_ms == 800);
  CHECK(changed.block_timeout_ms == 9);
  CHECK(changed.close_timeout_ms == 11);
  CHECK(changed.ring_bytes == 8192);
  CHECK(changed.fifo_bytes == 131072);
  CHECK(changed.back_pressure == BackPressure::kReject);
  CHECK(changed.simd == Simd::kBaseline);
  CHECK(changed.log_level == LogLevel::kError);
  CHECK(changed.precision == Precision::kInt8);
  CHECK(changed.second_pass_timeout_ms == 12);
  CHECK(changed.start_timeout_ms == 13);
  CHECK(changed.vad == VadKind::kSilero);
  CHECK(changed.vad_hangover_ms == 14);
  CHECK(changed.vad_pre_roll_ms == 15);
  CHECK(changed.lm == "lm.bin");
  CHECK(changed.hotwords == "names.txt");
  CHECK(changed.token_threshold == 9.0);
  CHECK(changed.score_threshold == 13.0);
}

TEST_CASE("a second pass, which C programs cannot serve, is refused at once") {
  cv_engine_options c = engine_defaults();
  c.second_pass = "whisper";
  cv_engine* engine = nullptr;
  CHECK(cv_engine_create(&c, &engine) == CV_INVALID_ARGUMENT);
  CHECK(std::string(cv_last_error()).find("second_pass = 'whisper', but this program hears nothing again") == 0);
}

TEST_CASE("digits, which C programs do not write, are refused at once") {
  cv_engine_options c = engine_defaults();
  c.itn = 1;
  cv_engine* engine = nullptr;
  CHECK(cv_engine_create(&c, &engine) == CV_INVALID_ARGUMENT);
  CHECK(std::string(cv_last_error()).find("itn = true, but this program writes no digits") == 0);
}

TEST_CASE("session options cross") {
  cv_session_options c;
  REQUIRE(cv_session_options_init(&c, sizeof c) == CV_OK);
  CHECK(to_options(&c).sample_rate == SessionOptions{}.sample_rate);
  CHECK(to_options(&c).name.empty());
  c.name = "line 12";
  c.model = "en";
  c.sample_rate = 8000;
  c.encoding = CV_ALAW;
  c.chunk_ms = 320;
  c.priority = CV_BATCH;
  const SessionOptions options = to_options(&c);
  CHECK(options.name == "line 12");
  CHECK(options.model == "en");
  CHECK(options.sample_rate == 8000);
  CHECK(options.encoding == Encoding::kAlaw);
  CHECK(options.chunk_ms == 320);
  CHECK(options.priority == Priority::kBatch);
  CHECK(options.hotwords.empty());
  CHECK(options.grammar.empty());
  CHECK(to_options(static_cast<const cv_session_options*>(nullptr)).encoding == Encoding::kS16le);
}

TEST_CASE("hotwords and grammars cross, and null pointers in them are refused") {
  cv_session_options c;
  REQUIRE(cv_session_options_init(&c, sizeof c) == CV_OK);
  const cv_hotword hotwords[] = {{"Ann Lee", 4.0F}, {"Bluetooth", 2.5F}};
  const char* const grammar[] = {"yes", "[unk]"};
  c.hotwords = hotwords;
  c.hotword_count = 2;
  c.grammar = grammar;
  c.grammar_count = 2;
  const SessionOptions options = to_options(&c);
  REQUIRE(options.hotwords.size() == 2);
  CHECK(options.hotwords[1].phrase == "Bluetooth");
  CHECK(options.hotwords[1].boost == 2.5F);
  CHECK(options.grammar == std::vector<std::string>{"yes", "[unk]"});
  c.hotwords = nullptr;
  CHECK_THROWS_AS(to_options(&c), Error);
  const cv_hotword nameless[] = {{nullptr, 4.0F}};
  CHECK_THROWS_AS(to_hotwords(nameless, 1), Error);
  CHECK(to_hotwords(nullptr, 0).empty());
}

TEST_CASE("an older program, whose structure is shorter, gets and gives only its own members") {
  constexpr std::size_t kOldSize = offsetof(cv_engine_options, cpus);
  unsigned char memory[sizeof(cv_engine_options)];
  std::memset(memory, 0xAA, sizeof memory);
  auto* const old = reinterpret_cast<cv_engine_options*>(memory);
  REQUIRE(cv_engine_options_init(old, kOldSize) == CV_OK);
  CHECK(old->size == kOldSize);
  CHECK(old->max_stream == EngineOptions{}.max_stream);
  for (std::size_t i = kOldSize; i < sizeof memory; ++i) REQUIRE(memory[i] == 0xAA);
  old->max_stream = 7;
  const EngineOptions options = to_options(old);  // what lies behind, a wild pointer among it, is not read
  CHECK(options.max_stream == 7);
  CHECK(options.cpus.empty());
  CHECK(options.block_timeout_ms == EngineOptions{}.block_timeout_ms);
  CHECK(options.log_level == EngineOptions{}.log_level);
}

TEST_CASE("a newer program goes on while it leaves alone what this library does not know") {
  NewerOptions newer;
  std::memset(&newer, 0xAA, sizeof newer);
  REQUIRE(cv_engine_options_init(&newer.known, sizeof newer) == CV_OK);
  CHECK(newer.known.size == sizeof newer);
  CHECK(newer.later[0] == 0);
  CHECK(newer.later[1] == 0);
  newer.known.max_stream = 7;
  CHECK(to_options(&newer.known).max_stream == 7);
  newer.later[1] = 1;
  CHECK(code_of(newer.known) == ErrorCode::kInvalidArgument);
}

TEST_CASE("sizes that cannot be are refused") {
  cv_engine_options options = {};
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, sizeof(std::size_t) - 1}) {
    CHECK(cv_engine_options_init(&options, size) == CV_INVALID_ARGUMENT);
    options.size = size;
    CHECK(code_of(options) == ErrorCode::kInvalidArgument);
  }
  cv_engine* engine = nullptr;
  CHECK(cv_engine_create(&options, &engine) == CV_INVALID_ARGUMENT);
  CHECK(engine == nullptr);
  CHECK(std::string(cv_last_error()) == "the size of cv_engine_options is 7; call its init function first");
}

TEST_CASE("numbers that are no enumerator's are refused with those that are") {
  cv_engine_options options = engine_defaults();
  options.back_pressure = 7;
  cv_engine* engine = nullptr;
  CHECK(cv_engine_create(&options, &engine) == CV_INVALID_ARGUMENT);
  CHECK(std::string(cv_last_error()) == "back_pressure is 7, expected one of: 0 block, 1 reject");
  options = engine_defaults();
  options.simd = -1;
  CHECK(code_of(options) == ErrorCode::kInvalidArgument);
  options = engine_defaults();
  options.log_level = 4;
  CHECK(code_of(options) == ErrorCode::kInvalidArgument);
  options = engine_defaults();
  options.precision = 3;
  CHECK(code_of(options) == ErrorCode::kInvalidArgument);
}
