// A cv_engine from its making to its end, and what it knows of itself.
#include <memory>
#include <string>

#include "c_api/delivery.h"
#include "c_api/engine_handle.h"
#include "c_api/guard.h"
#include "c_api/options.h"
#include "c_api/versioned.h"

using namespace cosyvoice;
using namespace cosyvoice::c_api;

namespace {

cv_delay_summary to_c(const DelaySummary& delay) {
  return {delay.count, delay.mean, delay.p50, delay.p99, delay.max};
}

cv_stats to_c(const Stats& stats) {
  cv_stats c = {};
  c.sessions = stats.sessions;
  c.sessions_opened = stats.sessions_opened;
  c.sessions_ended = stats.sessions_ended;
  c.accepted_samples = stats.accepted_samples;
  c.decoded_samples = stats.decoded_samples;
  c.dropped_samples = stats.dropped_samples;
  c.chunks = stats.chunks;
  c.batches = stats.batches;
  c.partials = stats.partials;
  c.finals = stats.finals;
  c.errors = stats.errors;
  c.callback_errors = stats.callback_errors;
  c.partial_delay = to_c(stats.partial_delay);
  c.final_delay = to_c(stats.final_delay);
  c.delivery_delay = to_c(stats.delivery_delay);
  c.session_bytes = stats.session_bytes;
  c.state_bytes = stats.state_bytes;
  c.second_passes = stats.second_passes;
  c.second_pass_timeouts = stats.second_pass_timeouts;
  c.second_pass_overflows = stats.second_pass_overflows;
  c.second_pass_failures = stats.second_pass_failures;
  c.second_pass_restarts = stats.second_pass_restarts;
  c.second_pass_delay = to_c(stats.second_pass_delay);
  c.dictionary_swaps = stats.dictionary_swaps;
  c.search_swaps = stats.search_swaps;
  c.config_failures = stats.config_failures;
  c.skipped_samples = stats.skipped_samples;
  return c;
}

cv_model_info to_c(const ModelInfo& model) {
  cv_model_info c = {};
  c.name = model.name.c_str();
  c.language = model.language.c_str();
  c.weights = model.weights.c_str();
  c.path = model.path.c_str();
  c.version = model.version;
  c.chunk_ms = model.chunk_ms.data();
  c.chunk_count = model.chunk_ms.size();
  c.default_chunk_ms = model.default_chunk_ms;
  c.look_ahead_ms = model.look_ahead_ms;
  c.sample_rate = model.sample_rate;
  c.output_frame_ms = model.output_frame_ms;
  c.precision = model.precision.c_str();
  c.precision_reason = model.precision_reason.c_str();
  return c;
}

}  // namespace

extern "C" {

int cv_engine_create(const cv_engine_options* options, cv_engine** engine) {
  return guarded([&] {
    require(engine, "engine");
    *engine = new cv_engine(to_options(options));
  });
}

int cv_engine_create_from_config(const char* path, cv_engine** engine) {
  return guarded([&] {
    require(path, "path");
    require(engine, "engine");
    *engine = new cv_engine(read_config(path));
  });
}

int cv_engine_close(cv_engine* engine) {
  return guarded([&] { require(engine, "engine").engine.close(); });
}

int cv_engine_destroy(cv_engine* engine) {
  return guarded([&] {
    if (engine != nullptr && inside_callback_of(*engine)) {
      throw Error(ErrorCode::kInvalidArgument,
                  "cv_engine_destroy in a callback of the engine that it ends; call cv_engine_close there, and destroy "
                  "the engine from another thread");
    }
    delete engine;
  });
}

int cv_swap_dictionary(cv_engine* engine, const char* path) {
  return guarded([&] { require(engine, "engine").engine.swap_dictionary(path == nullptr ? "" : path); });
}

int cv_swap_lm(cv_engine* engine, const char* lm) {
  return guarded([&] { require(engine, "engine").engine.swap_lm(lm == nullptr ? "" : lm); });
}

int cv_engine_stats(cv_engine* engine, cv_stats* stats, size_t size) {
  return guarded([&] {
    const cv_stats values = to_c(require(engine, "engine").engine.stats());
    stats->size = fill("cv_stats", &require(stats, "stats"), size, values);
  });
}

int cv_engine_clear_delays(cv_engine* engine) {
  return guarded([&] { require(engine, "engine").engine.clear_delays(); });
}

int cv_engine_model(cv_engine* engine, cv_model_info* info, size_t size) {
  return guarded([&] {
    const cv_model_info values = to_c(require(engine, "engine").model);
    info->size = fill("cv_model_info", &require(info, "info"), size, values);
  });
}

}  // extern "C"
