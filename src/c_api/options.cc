#include "c_api/options.h"

#include <string>

#include "c_api/guard.h"
#include "c_api/versioned.h"
#include "config/choices.h"

namespace cosyvoice::c_api {
namespace {

template <class Mirror, class Value>
constexpr bool same(Mirror mirror, Value value) {
  return static_cast<int>(mirror) == static_cast<int>(value);
}
static_assert(same(CV_S16LE, Encoding::kS16le) && same(CV_F32LE, Encoding::kF32le));
static_assert(same(CV_MULAW, Encoding::kMulaw) && same(CV_ALAW, Encoding::kAlaw));
static_assert(same(CV_LIVE, Priority::kLive) && same(CV_BATCH, Priority::kBatch));
static_assert(same(CV_BLOCK, BackPressure::kBlock) && same(CV_REJECT, BackPressure::kReject));
static_assert(same(CV_SIMD_AUTO, Simd::kAuto) && same(CV_SIMD_BASELINE, Simd::kBaseline));
static_assert(same(CV_SIMD_AVX2, Simd::kAvx2) && same(CV_SIMD_AVX512, Simd::kAvx512));
static_assert(same(CV_PRECISION_AUTO, Precision::kAuto) && same(CV_PRECISION_F32, Precision::kF32));
static_assert(same(CV_PRECISION_INT8, Precision::kInt8));
static_assert(same(CV_VAD_OFF, VadKind::kOff) && same(CV_VAD_ENERGY, VadKind::kEnergy));
static_assert(same(CV_VAD_SILERO, VadKind::kSilero));
static_assert(same(CV_LOG_DEBUG, LogLevel::kDebug) && same(CV_LOG_INFO, LogLevel::kInfo));
static_assert(same(CV_LOG_WARNING, LogLevel::kWarning) && same(CV_LOG_ERROR, LogLevel::kError));

const char* text_of(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

template <class Value>
Value choice_of(const char* option, std::int32_t number) {
  std::string list;
  for (const auto& choice : Choices<Value>::table) {
    if (same(number, choice.value)) return choice.value;
    list +=
        (list.empty() ? "" : ", ") + std::to_string(static_cast<int>(choice.value)) + " " + std::string(choice.name);
  }
  throw Error(ErrorCode::kInvalidArgument,
              std::string(option) + " is " + std::to_string(number) + ", expected one of: " + list);
}

cv_engine_options to_c(const EngineOptions& options) {
  cv_engine_options c = {};
  c.size = sizeof c;
  c.model_path = text_of(options.model_path);
  c.chunk_ms = options.chunk_ms;
  c.max_stream = options.max_stream;
  c.batch_size = options.batch_size;
  c.workers = options.workers;
  c.partial_timeout_ms = options.partial_timeout_ms;
  c.max_utterance_ms = options.max_utterance_ms;
  c.idle_timeout_ms = options.idle_timeout_ms;
  c.back_pressure = static_cast<std::int32_t>(options.back_pressure);
  c.ring_bytes = options.ring_bytes;
  c.fifo_bytes = options.fifo_bytes;
  c.max_batch_ms = options.max_batch_ms;
  c.cpus = text_of(options.cpus);
  c.block_timeout_ms = options.block_timeout_ms;
  c.close_timeout_ms = options.close_timeout_ms;
  c.huge_pages = options.huge_pages ? 1 : 0;
  c.simd = static_cast<std::int32_t>(options.simd);
  c.log_level = static_cast<std::int32_t>(options.log_level);
  c.precision = static_cast<std::int32_t>(options.precision);
  c.second_pass = text_of(options.second_pass);
  c.second_pass_workers = options.second_pass_workers;
  c.second_pass_timeout_ms = options.second_pass_timeout_ms;
  c.dictionary = text_of(options.dictionary);
  c.dictionary_version = options.dictionary_version;
  c.watch_config = options.watch_config ? 1 : 0;
  c.config_file = text_of(options.config_file);
  c.start_timeout_ms = options.start_timeout_ms;
  c.vad = static_cast<std::int32_t>(options.vad);
  c.vad_threshold = options.vad_threshold;
  c.vad_hangover_ms = options.vad_hangover_ms;
  c.vad_pre_roll_ms = options.vad_pre_roll_ms;
  c.vad_model = text_of(options.vad_model);
  c.itn = options.itn ? 1 : 0;
  c.lm_weight = options.lm_weight;
  c.word_bonus = options.word_bonus;
  c.blank_penalty = options.blank_penalty;
  c.token_threshold = options.token_threshold;
  c.score_threshold = options.score_threshold;
  c.hotword_boost = options.hotword_boost;
  c.beam_size = options.beam_size;
  c.alternatives = options.alternatives;
  c.lm = text_of(options.lm);
  c.hotwords = text_of(options.hotwords);
  c.search_version = options.search_version;
  c.hold_back_ms = options.hold_back_ms;
  return c;
}

cv_session_options to_c(const SessionOptions& options) {
  cv_session_options c = {};
  c.size = sizeof c;
  c.name = text_of(options.name);
  c.model = text_of(options.model);
  c.sample_rate = options.sample_rate;
  c.encoding = static_cast<std::int32_t>(options.encoding);
  c.chunk_ms = options.chunk_ms;
  c.priority = static_cast<std::int32_t>(options.priority);
  return c;
}

}  // namespace

std::vector<Hotword> to_hotwords(const cv_hotword* given, size_t count) {
  std::vector<Hotword> hotwords;
  if (count != 0) require(given, "hotwords");
  for (std::size_t i = 0; i < count; ++i) {
    hotwords.push_back({&require(given[i].phrase, "a hotword's phrase"), given[i].boost});
  }
  return hotwords;
}

EngineOptions to_options(const cv_engine_options* given) {
  EngineOptions options;
  if (given == nullptr) return options;
  const cv_engine_options c = read("cv_engine_options", given, to_c(options));
  options.model_path = text_of(c.model_path);
  options.chunk_ms = c.chunk_ms;
  options.max_stream = c.max_stream;
  options.batch_size = c.batch_size;
  options.workers = c.workers;
  options.partial_timeout_ms = c.partial_timeout_ms;
  options.max_utterance_ms = c.max_utterance_ms;
  options.idle_timeout_ms = c.idle_timeout_ms;
  options.back_pressure = choice_of<BackPressure>("back_pressure", c.back_pressure);
  options.ring_bytes = c.ring_bytes;
  options.fifo_bytes = c.fifo_bytes;
  options.max_batch_ms = c.max_batch_ms;
  options.cpus = text_of(c.cpus);
  options.block_timeout_ms = c.block_timeout_ms;
  options.close_timeout_ms = c.close_timeout_ms;
  options.huge_pages = c.huge_pages != 0;
  options.simd = choice_of<Simd>("simd", c.simd);
  options.log_level = choice_of<LogLevel>("log_level", c.log_level);
  options.precision = choice_of<Precision>("precision", c.precision);
  options.second_pass = text_of(c.second_pass);
  options.second_pass_workers = c.second_pass_workers;
  options.second_pass_timeout_ms = c.second_pass_timeout_ms;
  options.dictionary = text_of(c.dictionary);
  options.dictionary_version = c.dictionary_version;
  options.watch_config = c.watch_config != 0;
  options.config_file = text_of(c.config_file);
  options.start_timeout_ms = c.start_timeout_ms;
  options.vad = choice_of<VadKind>("vad", c.vad);
  options.vad_threshold = c.vad_threshold;
  options.vad_hangover_ms = c.vad_hangover_ms;
  options.vad_pre_roll_ms = c.vad_pre_roll_ms;
  options.vad_model = text_of(c.vad_model);
  options.itn = c.itn != 0;
  options.lm_weight = c.lm_weight;
  options.word_bonus = c.word_bonus;
  options.blank_penalty = c.blank_penalty;
  options.token_threshold = c.token_threshold;
  options.score_threshold = c.score_threshold;
  options.hotword_boost = c.hotword_boost;
  options.search_version = c.search_version;
  options.hold_back_ms = c.hold_back_ms;
  options.beam_size = c.beam_size;
  options.alternatives = c.alternatives;
  options.lm = text_of(c.lm);
  options.hotwords = text_of(c.hotwords);
  return options;
}

SessionOptions to_options(const cv_session_options* given) {
  SessionOptions options;
  if (given == nullptr) return options;
  const cv_session_options c = read("cv_session_options", given, to_c(options));
  options.name = text_of(c.name);
  options.model = text_of(c.model);
  options.sample_rate = c.sample_rate;
  options.encoding = choice_of<Encoding>("encoding", c.encoding);
  options.chunk_ms = c.chunk_ms;
  options.priority = choice_of<Priority>("priority", c.priority);
  options.hotwords = to_hotwords(c.hotwords, c.hotword_count);
  if (c.grammar_count != 0) require(c.grammar, "grammar");
  for (size_t i = 0; i < c.grammar_count; ++i) {
    options.grammar.emplace_back(&require(c.grammar[i], "a phrase of the grammar"));
  }
  return options;
}

}  // namespace cosyvoice::c_api

using namespace cosyvoice;
using namespace cosyvoice::c_api;

extern "C" {

int cv_engine_options_init(cv_engine_options* options, size_t size) {
  return guarded([&] {
    fill("cv_engine_options", &require(options, "options"), size, to_c(EngineOptions{}));
    options->size = size;
  });
}

int cv_session_options_init(cv_session_options* options, size_t size) {
  return guarded([&] {
    fill("cv_session_options", &require(options, "options"), size, to_c(SessionOptions{}));
    options->size = size;
  });
}

}  // extern "C"
