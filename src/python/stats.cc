// Stats and ModelInfo as Python sees them: read-only views.
#include "python/bindings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cosyvoice/engine.h"

namespace nb = nanobind;

namespace cosyvoice::python {

void bind_stats(nb::module_& module) {
  nb::class_<DelaySummary>(module, "DelaySummary", "Distribution of one duration, in milliseconds.")
      .def_ro("count", &DelaySummary::count)
      .def_ro("mean", &DelaySummary::mean)
      .def_ro("p50", &DelaySummary::p50)
      .def_ro("p99", &DelaySummary::p99)
      .def_ro("max", &DelaySummary::max);

  nb::class_<Stats>(module, "Stats", "Counters of an engine at one moment.")
      .def_ro("sessions", &Stats::sessions)
      .def_ro("sessions_opened", &Stats::sessions_opened)
      .def_ro("sessions_ended", &Stats::sessions_ended)
      .def_ro("accepted_samples", &Stats::accepted_samples)
      .def_ro("decoded_samples", &Stats::decoded_samples)
      .def_ro("dropped_samples", &Stats::dropped_samples)
      .def_ro("skipped_samples", &Stats::skipped_samples)
      .def_ro("chunks", &Stats::chunks)
      .def_ro("batches", &Stats::batches)
      .def_ro("partials", &Stats::partials)
      .def_ro("finals", &Stats::finals)
      .def_ro("errors", &Stats::errors)
      .def_ro("callback_errors", &Stats::callback_errors)
      .def_ro("partial_delay", &Stats::partial_delay)
      .def_ro("final_delay", &Stats::final_delay)
      .def_ro("delivery_delay", &Stats::delivery_delay)
      .def_ro("session_bytes", &Stats::session_bytes)
      .def_ro("state_bytes", &Stats::state_bytes)
      .def_ro("second_passes", &Stats::second_passes)
      .def_ro("second_pass_timeouts", &Stats::second_pass_timeouts)
      .def_ro("second_pass_overflows", &Stats::second_pass_overflows)
      .def_ro("second_pass_failures", &Stats::second_pass_failures)
      .def_ro("second_pass_restarts", &Stats::second_pass_restarts)
      .def_ro("dictionary_swaps", &Stats::dictionary_swaps)
      .def_ro("search_swaps", &Stats::search_swaps)
      .def_ro("config_failures", &Stats::config_failures)
      .def_ro("second_pass_delay", &Stats::second_pass_delay);

  nb::class_<ModelInfo>(module, "ModelInfo", "Facts of a loaded model, from its manifest.")
      .def_ro("name", &ModelInfo::name)
      .def_ro("version", &ModelInfo::version)
      .def_ro("language", &ModelInfo::language)
      .def_ro("weights", &ModelInfo::weights)
      .def_ro("path", &ModelInfo::path)
      .def_ro("chunk_ms", &ModelInfo::chunk_ms)
      .def_ro("default_chunk_ms", &ModelInfo::default_chunk_ms)
      .def_ro("look_ahead_ms", &ModelInfo::look_ahead_ms)
      .def_ro("sample_rate", &ModelInfo::sample_rate)
      .def_ro("output_frame_ms", &ModelInfo::output_frame_ms)
      .def_ro("precision", &ModelInfo::precision)
      .def_ro("precision_reason", &ModelInfo::precision_reason);
}

}  // namespace cosyvoice::python
