// cosyvoice._native.Engine: a mirror of engine.h. Every call gives up the GIL before it reaches the engine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <sys/syscall.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/bindings.h"
#include "python/convert.h"
#include "python/engine_handle.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

/// How long a wait on Python's main thread lasts before it looks for Ctrl-C.
constexpr std::int64_t kSignalSliceMs = 200;

void construct(EngineHandle* self, const std::string& model_path, std::int64_t chunk_ms, const std::string& precision,
               std::int64_t max_stream, std::int64_t batch_size, std::int64_t workers, std::int64_t partial_timeout,
               std::int64_t max_utterance, std::int64_t idle_timeout, const std::string& back_pressure,
               std::int64_t block_timeout, std::int64_t ring_bytes, std::int64_t fifo_bytes, double max_batch_ms,
               std::int64_t close_timeout, const std::string& cpus, bool huge_pages, const std::string& simd,
               const std::string& log_level, const std::string& second_pass, std::int64_t second_pass_workers,
               std::int64_t second_pass_timeout_ms, std::int64_t start_timeout, const std::string& vad,
               double vad_threshold, std::int64_t vad_hangover_ms, std::int64_t vad_pre_roll_ms,
               const std::string& vad_model, const std::string& dictionary, std::int64_t dictionary_version,
               bool watch_config, const std::string& config_file, std::int64_t beam_size, const std::string& lm,
               double lm_weight, double word_bonus, double blank_penalty, double token_threshold,
               double score_threshold, std::int64_t alternatives, const std::string& hotwords, double hotword_boost,
               std::int64_t hold_back, std::int64_t search_version) {
  EngineOptions options;
  options.model_path = model_path;
  options.chunk_ms = narrow<std::uint32_t>("chunk_ms", chunk_ms);
  options.precision = parse_precision(precision);
  options.max_stream = narrow<std::uint32_t>("max_stream", max_stream);
  options.batch_size = narrow<std::uint32_t>("batch_size", batch_size);
  options.workers = narrow<std::uint32_t>("workers", workers);
  options.partial_timeout_ms = narrow<std::int32_t>("partial_timeout", partial_timeout);
  options.max_utterance_ms = narrow<std::int32_t>("max_utterance", max_utterance);
  options.idle_timeout_ms = narrow<std::int32_t>("idle_timeout", idle_timeout);
  options.back_pressure = parse_back_pressure(back_pressure);
  options.block_timeout_ms = narrow<std::int32_t>("block_timeout", block_timeout);
  options.ring_bytes = narrow<std::size_t>("ring_bytes", ring_bytes);
  options.fifo_bytes = narrow<std::size_t>("fifo_bytes", fifo_bytes);
  options.max_batch_ms = max_batch_ms;
  options.close_timeout_ms = narrow<std::int32_t>("close_timeout", close_timeout);
  options.cpus = cpus;
  options.huge_pages = huge_pages;
  options.simd = parse_simd(simd);
  options.log_level = parse_log_level(log_level);
  options.second_pass = second_pass;
  options.second_pass_workers = narrow<std::uint32_t>("second_pass_workers", second_pass_workers);
  options.second_pass_timeout_ms = narrow<std::int32_t>("second_pass_timeout_ms", second_pass_timeout_ms);
  options.dictionary = dictionary;
  options.dictionary_version = narrow<std::uint32_t>("dictionary_version", dictionary_version);
  options.watch_config = watch_config;
  options.config_file = config_file;
  options.start_timeout_ms = narrow<std::int32_t>("start_timeout", start_timeout);
  options.vad = parse_vad(vad);
  options.vad_threshold = vad_threshold;
  options.vad_hangover_ms = narrow<std::int32_t>("vad_hangover_ms", vad_hangover_ms);
  options.vad_pre_roll_ms = narrow<std::int32_t>("vad_pre_roll_ms", vad_pre_roll_ms);
  options.vad_model = vad_model;
  options.beam_size = narrow<std::uint32_t>("beam_size", beam_size);
  options.lm = lm;
  options.lm_weight = lm_weight;
  options.word_bonus = word_bonus;
  options.blank_penalty = blank_penalty;
  options.token_threshold = token_threshold;
  options.score_threshold = score_threshold;
  options.alternatives = narrow<std::uint32_t>("alternatives", alternatives);
  options.hotwords = hotwords;
  options.hotword_boost = hotword_boost;
  options.hold_back_ms = narrow<std::int32_t>("hold_back", hold_back);
  options.search_version = narrow<std::uint32_t>("search_version", search_version);
  const nb::gil_scoped_release nogil;
  new (self) EngineHandle(options);
}

using Hotwords = std::vector<std::pair<std::string, float>>;

std::vector<Hotword> to_hotwords(const Hotwords& pairs) {
  std::vector<Hotword> hotwords;
  for (const auto& [phrase, boost] : pairs) hotwords.push_back({phrase, boost});
  return hotwords;
}

SessionId new_session(const EngineHandle& self, const std::string& name, std::int64_t sample_rate,
                      const std::string& encoding, const std::string& model, std::int64_t chunk_ms,
                      const std::string& priority, const Hotwords& hotwords, const std::vector<std::string>& grammar) {
  SessionOptions options;
  options.name = name;
  options.sample_rate = narrow<std::uint32_t>("sample_rate", sample_rate);
  options.encoding = parse_encoding(encoding);
  options.model = model;
  options.chunk_ms = narrow<std::uint32_t>("chunk_ms", chunk_ms);
  options.priority = parse_priority(priority);
  options.hotwords = to_hotwords(hotwords);
  options.grammar = grammar;
  const nb::gil_scoped_release nogil;
  return self->new_session(options);
}

void feed_pcm(const EngineHandle& self, nb::handle session, nb::handle pcm) {
  const SessionId sid = to_sid(session);
  const PcmView view(pcm);
  const nb::gil_scoped_release nogil;
  switch (view.kind()) {
    case PcmView::Kind::kBytes:
      self->feed_pcm(sid, view.data(), view.bytes());
      break;
    case PcmView::Kind::kInt16:
      self->feed_pcm(sid, view.int16(), view.count());
      break;
    case PcmView::Kind::kFloat32:
      self->feed_pcm(sid, view.float32(), view.count());
      break;
  }
}

template <void (Engine::*Verb)(SessionId)>
void session_verb(const EngineHandle& self, nb::handle session) {
  const SessionId sid = to_sid(session);
  const nb::gil_scoped_release nogil;
  ((*self).*Verb)(sid);
}

bool on_main_thread() {
  return static_cast<pid_t>(::syscall(SYS_gettid)) == ::getpid();
}

std::optional<std::string> next_event(const EngineHandle& self, nb::handle session, std::int64_t timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const SessionId sid = to_sid(session);
  const bool sliced = on_main_thread();
  const Clock::time_point begin = Clock::now();
  std::string json;
  for (;;) {
    const std::int64_t spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
    std::int64_t wait = timeout_ms < 0 ? -1 : std::max<std::int64_t>(0, timeout_ms - spent);
    const bool last = wait >= 0 && (!sliced || wait <= kSignalSliceMs);
    if (sliced && !last) wait = kSignalSliceMs;
    bool taken = false;
    {
      const nb::gil_scoped_release nogil;
      taken = self->next_event(
          sid, [&json](const Event& event) { json = to_json(event); }, wait);
    }
    if (taken) return json;
    if (!self->drain_open()) throw Error(ErrorCode::kEngineClosed, "the engine was closed before this session ended");
    if (last) return std::nullopt;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
}

std::optional<std::string> next_partial(const EngineHandle& self, nb::handle session) {
  const SessionId sid = to_sid(session);
  std::string json;
  bool taken = false;
  {
    const nb::gil_scoped_release nogil;
    taken = self->next_partial(sid, [&json](const Event& event) { json = to_json(event); });
  }
  return taken ? std::optional<std::string>(json) : std::nullopt;
}

struct Drained {
  EventType type = EventType::kPartial;
  SessionId sid = 0;
  std::string json;
};

nb::list drain(const EngineHandle& self, std::int64_t timeout_ms) {
  std::vector<Drained> taken;
  {
    const nb::gil_scoped_release nogil;
    self->drain([&taken](const Event& event) { taken.push_back({event.type, event.sid, to_json(event)}); }, timeout_ms);
  }
  nb::list events;
  for (const Drained& event : taken) events.append(nb::make_tuple(to_string(event.type), event.sid, event.json));
  return events;
}

nb::object next_second_pass(const EngineHandle& self, std::int64_t timeout_ms) {
  std::uint64_t id = 0;
  std::string language;
  std::vector<std::int16_t> samples;
  bool taken = false;
  {
    const nb::gil_scoped_release nogil;
    taken = self->next_second_pass(
        [&](const SecondPassRequest& request) {
          id = request.id;
          language = request.language;
          samples.assign(request.samples, request.samples + request.count);
        },
        timeout_ms);
  }
  if (!taken) return nb::none();
  return nb::make_tuple(id, language, nb::bytes(samples.data(), samples.size() * sizeof(std::int16_t)));
}

void answer_second_pass(const EngineHandle& self, std::uint64_t id, const std::string& text,
                        const std::vector<std::tuple<std::string, std::int64_t, std::int64_t, float>>& words) {
  const nb::gil_scoped_release nogil;
  std::vector<Word> views;
  for (const auto& [word, start_ms, end_ms, confidence] : words) views.push_back({word, start_ms, end_ms, confidence});
  self->answer_second_pass(id, text, views);
}

}  // namespace

void bind_engine(nb::module_& module) {
  nb::class_<EngineHandle>(module, "Engine",
                           "The engine of engine.h. Events cross as the JSON that every outlet sends.")
      .def("__init__", &construct, nb::kw_only(), "model_path"_a, "chunk_ms"_a, "precision"_a, "max_stream"_a,
           "batch_size"_a, "workers"_a, "partial_timeout"_a, "max_utterance"_a, "idle_timeout"_a, "back_pressure"_a,
           "block_timeout"_a, "ring_bytes"_a, "fifo_bytes"_a, "max_batch_ms"_a, "close_timeout"_a, "cpus"_a,
           "huge_pages"_a, "simd"_a, "log_level"_a, "second_pass"_a, "second_pass_workers"_a,
           "second_pass_timeout_ms"_a, "start_timeout"_a, "vad"_a, "vad_threshold"_a, "vad_hangover_ms"_a,
           "vad_pre_roll_ms"_a, "vad_model"_a, "dictionary"_a, "dictionary_version"_a, "watch_config"_a,
           "config_file"_a, "beam_size"_a, "lm"_a, "lm_weight"_a, "word_bonus"_a, "blank_penalty"_a,
           "token_threshold"_a, "score_threshold"_a, "alternatives"_a, "hotwords"_a, "hotword_boost"_a, "hold_back"_a,
           "search_version"_a)
      .def("new_session", &new_session, nb::kw_only(), "name"_a, "sample_rate"_a, "encoding"_a, "model"_a, "chunk_ms"_a,
           "priority"_a, "hotwords"_a, "grammar"_a)
      .def(
          "set_hotwords",
          [](const EngineHandle& self, const Hotwords& hotwords) {
            const nb::gil_scoped_release nogil;
            self->set_hotwords(to_hotwords(hotwords));
          },
          "hotwords"_a)
      .def(
          "set_session_hotwords",
          [](const EngineHandle& self, nb::handle session, const Hotwords& hotwords) {
            const SessionId sid = to_sid(session);
            const nb::gil_scoped_release nogil;
            self->set_hotwords(sid, to_hotwords(hotwords));
          },
          "sid"_a, "hotwords"_a,
          nb::sig("def set_session_hotwords(self, sid: int, hotwords: collections.abc.Sequence[tuple[str, float]]) -> "
                  "None"))
      .def("feed_pcm", &feed_pcm, "sid"_a, "pcm"_a.none(),
           nb::sig("def feed_pcm(self, sid: int, pcm: typing_extensions.Buffer) -> None"))
      .def("end_utterance", &session_verb<&Engine::end_utterance>, "sid"_a,
           nb::sig("def end_utterance(self, sid: int) -> None"))
      .def("reset", &session_verb<&Engine::reset>, "sid"_a, nb::sig("def reset(self, sid: int) -> None"))
      .def("finish", &session_verb<&Engine::finish>, "sid"_a, nb::sig("def finish(self, sid: int) -> None"))
      .def("close_session", &session_verb<&Engine::close_session>, "sid"_a,
           nb::sig("def close_session(self, sid: int) -> None"))
      .def(
          "swap_dictionary", [](const EngineHandle& self, const std::string& path) { self->swap_dictionary(path); },
          "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "swap_lm", [](const EngineHandle& self, const std::string& lm) { self->swap_lm(lm); }, "lm"_a,
          nb::call_guard<nb::gil_scoped_release>())
      .def("release", &session_verb<&Engine::release>, "sid"_a, nb::sig("def release(self, sid: int) -> None"))
      .def(
          "close", [](const EngineHandle& self) { self->close(); }, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "stats", [](const EngineHandle& self) { return self->stats(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("clear_delays", [](const EngineHandle& self) { self->clear_delays(); })
      .def(
          "model", [](const EngineHandle& self) { return self->model(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("next_event", &next_event, "sid"_a, "timeout_ms"_a,
           nb::sig("def next_event(self, sid: int, timeout_ms: int) -> str | None"))
      .def("next_partial", &next_partial, "sid"_a, nb::sig("def next_partial(self, sid: int) -> str | None"))
      .def("drain", &drain, "timeout_ms"_a, nb::sig("def drain(self, timeout_ms: int) -> list[tuple[str, int, str]]"),
           "Waits for events; each is (type, sid, JSON). Empty on time-out.")
      .def(
          "drain_open", [](const EngineHandle& self) { return self->drain_open(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "attach_drain", [](const EngineHandle& self) { self->attach_drain(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "mark_dispatcher_thread", [](const EngineHandle& self) { self->mark_dispatcher_thread(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "count_callback_error", [](const EngineHandle& self) { self->count_callback_error(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("next_second_pass", &next_second_pass, "timeout_ms"_a,
           nb::sig("def next_second_pass(self, timeout_ms: int) -> tuple[int, str, bytes] | None"),
           "Waits for an utterance to hear again: (id, language, 16-bit samples at 16 kHz). None on time-out.")
      .def("answer_second_pass", &answer_second_pass, "id"_a, "text"_a, "words"_a,
           nb::sig("def answer_second_pass(self, id: int, text: str, "
                   "words: collections.abc.Sequence[tuple[str, int, int, float]]) -> None"))
      .def(
          "refuse_second_pass", [](const EngineHandle& self, std::uint64_t id) { self->refuse_second_pass(id); },
          "id"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "count_second_pass_restart", [](const EngineHandle& self) { self->count_second_pass_restart(); },
          nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace cosyvoice::python
