// The pacer of src/bench, for `cosyvoice bench`.
#include "bench/pacer.h"

#include <nanobind/nanobind.h>

#include "bench/usage.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "python/engine_handle.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

bench::PacerReport run_pacer(const EngineHandle& engine, nb::handle recording, std::int64_t streams, double seconds,
                             double warm_up_seconds, std::int64_t chunk_ms, bool together) {
  const PcmView pcm(recording);
  if (pcm.kind() != PcmView::Kind::kInt16) throw nb::type_error("recording must be an int16 array");
  bench::PacerOptions options;
  options.streams = narrow<std::uint32_t>("streams", streams);
  options.seconds = seconds;
  options.warm_up_seconds = warm_up_seconds;
  options.chunk_ms = narrow<std::uint32_t>("chunk_ms", chunk_ms);
  options.together = together;
  options.tick = [] {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  };
  const nb::gil_scoped_release nogil;
  return bench::run_pacer(*engine, pcm.int16(), pcm.count(), options);
}

}  // namespace

void bind_bench(nb::module_& module) {
  using bench::PacerReport;
  nb::class_<PacerReport>(module, "PacerReport", "What the sessions of one paced run saw.")
      .def_ro("fed_samples", &PacerReport::fed_samples)
      .def_ro("refused_samples", &PacerReport::refused_samples)
      .def_ro("lost_samples", &PacerReport::lost_samples)
      .def_ro("dropped_samples", &PacerReport::dropped_samples)
      .def_ro("skipped_samples", &PacerReport::skipped_samples)
      .def_ro("partial_events", &PacerReport::partial_events)
      .def_ro("final_events", &PacerReport::final_events)
      .def_ro("error_events", &PacerReport::error_events)
      .def_ro("partial_delay", &PacerReport::partial_delay)
      .def_ro("final_delay", &PacerReport::final_delay)
      .def_ro("wall_seconds", &PacerReport::wall_seconds)
      .def_ro("cpu_percent", &PacerReport::cpu_percent)
      .def_ro("rss_mb", &PacerReport::rss_mb)
      .def_ro("feeder_late_ms", &PacerReport::feeder_late_ms);
  module.def("run_pacer", &run_pacer, "engine"_a, "recording"_a, nb::kw_only(), "streams"_a, "seconds"_a,
             "warm_up_seconds"_a, "chunk_ms"_a, "together"_a,
             nb::sig("def run_pacer(engine: Engine, recording: typing_extensions.Buffer, *, streams: int, seconds: "
                     "float, warm_up_seconds: float, "
                     "chunk_ms: int, together: bool) -> PacerReport"),
             "Feeds an int16 mono recording to many sessions in real time; the engine must have no callbacks.");
}

}  // namespace cosyvoice::python
