#include "engine/pipeline.h"

#include <string>
#include <utility>

#include "backend/grammar.h"
#include "bundle/utf8.h"
#include "config/engine_options.h"
#include "engine/search_options.h"
#include "frontend/lane_choice.h"
#include "frontend/pcm_decoder.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/thread.h"

namespace cosyvoice {
namespace {

/// The hard limit comes so long after max_utterance.
constexpr std::int32_t kHardLimitMs = 5000;
/// After close_timeout the sessions that are left are closed, which takes a chunk at most.
constexpr std::int64_t kForcedCloseNs = 2'000 * kNsPerMs;

EndpointOptions endpoint_options(const EngineOptions& options) {
  EndpointOptions endpoint;
  endpoint.start_timeout_ms = options.start_timeout_ms;
  endpoint.partial_timeout_ms = options.partial_timeout_ms;
  endpoint.max_utterance_ms = options.max_utterance_ms;
  endpoint.hard_limit_ms = options.max_utterance_ms + kHardLimitMs;
  return endpoint;
}

const EngineOptions& validated(const EngineOptions& options, SecondPassServer server) {
  validate(options);
  if (!options.second_pass.empty() && server == SecondPassServer::kNobody) {
    throw Error(ErrorCode::kInvalidArgument,
                "second_pass = " + in_quotes(options.second_pass) +
                    ", but this program hears nothing again: the Python package does, a C++ program with "
                    "SecondPassServer::kCaller (docs/guides/second-pass.md); else leave second_pass empty");
  }
  if (options.itn) {
    throw Error(
        ErrorCode::kInvalidArgument,
        "itn = true, but this program writes no digits: the Python package does; else leave transcript.itn false");
  }
  set_log_level(options.log_level);
  return options;
}

}  // namespace

Pipeline::Pipeline(const EngineOptions& given, ModelLoader load, SecondPassServer server)
    : options(validated(given, server)),
      affinity_(std::in_place, parse_cpu_list(options.cpus)),
      workers(options.workers != 0 ? options.workers : usable_cores()),
      silence_skip(options),
      slots(options),
      scheduler_(options.max_stream, options.batch_size),
      models_(options, workers, scheduler_, std::move(load)),
      delivery(
          slots, counters, [this](Slot& slot) { frontend_.enqueue(slot); },
          [this](Slot& slot) { backend_.room_made(slot); }),
      second_pass_(options.second_pass.empty() ? nullptr
                                               : std::make_unique<SecondPass>(options, [this] { backend_.wake(); })),
      backend_(
          slots, counters, dictionary_, endpoint_options(options), options.hold_back_ms, second_pass_.get(),
          options.second_pass_timeout_ms, [this](Slot& slot) { delivery.posted(slot); },
          [this](Slot& slot) { frontend_.enqueue(slot); },
          [this](Slot& slot) {
            frontend_.enqueue(slot);
            delivery.session_over(slot);
          }),
      core_(scheduler_, models_, counters, options.batch_size,
            [this](const EncoderOutput& output) { backend_.push(output); }),
      frontend_(
          slots, models_, scheduler_, counters, second_pass_.get(), silence_skip, options.idle_timeout_ms,
          [this](Slot& slot) {
            EncoderOutput order;
            order.slot = slot.index;
            backend_.push(order);
          },
          [this](Slot& slot) { delivery.session_over(slot); }),
      producer(slots, counters, options, [this](Slot& slot) { frontend_.enqueue(slot); }) {
  choose_lane_kernels(options.simd);
  models_.change_search(search_change(options, open_lm(options.lm)));
  models_.choose(options.model_path, options.chunk_ms);
  live_config.emplace(options, models_, dictionary_, counters);
  backend_.start();
  core_.start(workers);
  frontend_.start();
  affinity_.reset();
}

Pipeline::~Pipeline() {
  try {
    close();
    dispatcher_.join_deferred();
  } catch (const std::exception& error) {
    log_message(LogLevel::kError, std::string("close failed: ") + error.what());
  }
}

SessionId Pipeline::open_session(const SessionOptions& session) {
  validate(session);
  const bool is_default = session.model.empty();
  const ModelRegistry::Choice choice =
      models_.choose(is_default ? options.model_path : session.model,
                     session.chunk_ms == 0 && is_default ? options.chunk_ms : session.chunk_ms);
  const Manifest& manifest = choice.instance->model->manifest();
  choice.instance->lm.tidy();  // of searches that have let go of theirs since
  choice.instance->hotwords.tidy();
  SearchSources sources;
  sources.lm = &choice.instance->lm;
  sources.hotwords = &choice.instance->hotwords;
  if (!session.grammar.empty()) {
    sources.grammar = std::make_shared<Grammar>(session.grammar, choice.instance->spelling());
  }
  std::shared_ptr<const HotwordList> own_hotwords = choice.instance->spelled(session.hotwords);
  SessionId sid = 0;
  Slot& slot = slots.acquire(sid);
  try {
    slot.options = session;
    slot.model = choice.instance;
    slot.chunk_frames = choice.chunk_frames;
    slot.queue = choice.queue;
    slot.ring.open(bytes_per_sample(session.encoding));
    const std::size_t rows =
        feature_rows(choice.chunk_frames, manifest.network.look_ahead, pre_roll_frames(manifest, options));
    slot.stream.open(manifest.features, session.sample_rate, session.encoding, rows);
    if (silence_skip.on()) silence_skip.open(slot, rows);
    slot.audio.open(session.sample_rate);
  } catch (...) {
    slots.put_back(slot);
    throw;
  }
  while (slot.marks.front() != nullptr) slot.marks.pop();
  slot.finishing.store(false, std::memory_order_relaxed);
  slot.finish_asked.store(false, std::memory_order_relaxed);
  slot.close_asked.store(false, std::memory_order_relaxed);
  slot.last_write_ns.store(now_ns(), std::memory_order_relaxed);
  slot.front = Slot::Front{};
  slot.accounted = 0;
  slot.result = FlightResult{};
  slot.front.resets_done = slot.resets_asked.load(std::memory_order_relaxed);
  slot.back = Slot::Back{};
  slot.hotwords.publish(std::move(own_hotwords));
  sources.own_hotwords = &slot.hotwords;
  slot.decoder.open(manifest.network.blank, &choice.instance->tokens, beam_options(options), always_beam(options),
                    std::move(sources));
  slot.transcript.set_tokens(&choice.instance->tokens);
  slot.transcript.clear();
  delivery.open(slot, sid);
  count(counters.sessions_opened);
  slot.state.store(SlotState::kOpen, std::memory_order_seq_cst);
  return sid;
}

void Pipeline::set_hotwords(const std::vector<Hotword>& hotwords) {
  SearchChange change;
  change.hotwords = hotwords;
  models_.change_search(change);
  count(counters.search_swaps);
}

void Pipeline::set_hotwords(SessionId sid, const std::vector<Hotword>& hotwords) {
  Slot& slot = slots.find(sid);
  const SlotVisit visit(slots, slot);
  if (!visit.open(sid)) {
    throw Error(ErrorCode::kSessionFinished,
                "session " + std::to_string(sid) + " is over; give hotwords to the next with new_session");
  }
  slot.hotwords.publish(slot.model->spelled(hotwords));
}

void Pipeline::close() {
  closing_.store(true, std::memory_order_seq_cst);
  const std::lock_guard<std::mutex> lock(close_mutex_);
  if (closed_) return;
  each_session([this](SessionId sid) { producer.finish(sid); });
  if (!delivery.wait_until_quiet(now_ns() + options.close_timeout_ms * kNsPerMs)) {
    log_message(LogLevel::kWarning,
                "close: after " + std::to_string(options.close_timeout_ms) + " ms " +
                    std::to_string(slots.open_sessions()) +
                    " sessions have not finished and are closed, or events were not taken; raise close_timeout");
    backend_.give_up_second_pass();
    each_session([this](SessionId sid) { producer.close_session(sid); });
    delivery.wait_until_quiet(now_ns() + kForcedCloseNs);
  }
  stop_threads();
  if (second_pass_ != nullptr) second_pass_->finish();
  delivery.finish();
  dispatcher_.join();
  closed_ = true;
}

void Pipeline::stop_threads() {
  frontend_.stop();
  scheduler_.stop();
  core_.join();
  backend_.stop();
}

void Pipeline::close_later() {
  closing_.store(true, std::memory_order_seq_cst);
  dispatcher_.defer([this] { close(); });
}

template <class Verb>
void Pipeline::each_session(Verb&& verb) {
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    const SessionId sid = slots[i].sid.load(std::memory_order_acquire);
    if (sid == 0) continue;
    try {
      verb(sid);
    } catch (const Error&) {  // it ended meanwhile
    }
  }
}

void Pipeline::register_callback(EventCallback on_partial, EventCallback on_final, EventCallback on_event) {
  const AffinityScope affinity(parse_cpu_list(options.cpus));
  dispatcher_.start(delivery, counters, std::move(on_partial), std::move(on_final), std::move(on_event));
}

Stats Pipeline::stats() const {
  const Counters& from = counters;
  const auto read = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  Stats stats;
  stats.sessions_ended = read(from.sessions_ended);
  stats.sessions_opened = read(from.sessions_opened);
  stats.sessions = static_cast<std::uint32_t>(stats.sessions_opened - stats.sessions_ended);
  // What was decoded is read before what was accepted, so that "lost" is never below zero.
  stats.decoded_samples = read(from.decoded_samples);
  stats.dropped_samples = read(from.dropped_samples);
  stats.skipped_samples = read(from.skipped_samples);
  stats.accepted_samples = read(from.accepted_samples);
  stats.chunks = read(from.chunks);
  stats.batches = read(from.batches);
  stats.partials = read(from.partials);
  stats.finals = read(from.finals);
  stats.errors = read(from.errors);
  stats.callback_errors = read(from.callback_errors);
  stats.partial_delay = from.partial_delay.summary();
  stats.final_delay = from.final_delay.summary();
  stats.delivery_delay = from.delivery_delay.summary();
  stats.session_bytes = slots.bytes_per_slot();
  stats.state_bytes = models_.default_model().state_bytes_per_slot();
  stats.second_passes = read(from.second_passes);
  stats.second_pass_timeouts = read(from.second_pass_timeouts);
  stats.second_pass_overflows = read(from.second_pass_overflows);
  stats.second_pass_failures = read(from.second_pass_failures);
  stats.second_pass_restarts = read(from.second_pass_restarts);
  stats.dictionary_swaps = read(from.dictionary_swaps);
  stats.search_swaps = read(from.search_swaps);
  stats.config_failures = read(from.config_failures);
  stats.second_pass_delay = from.second_pass_delay.summary();
  return stats;
}

SecondPass& Pipeline::second_pass() {
  if (second_pass_ != nullptr) return *second_pass_;
  throw Error(ErrorCode::kInvalidArgument,
              "this engine has no second pass; name its model in EngineOptions::second_pass");
}

ModelInfo Pipeline::model_info() const {
  const Manifest& manifest = models_.default_model().manifest();
  ModelInfo info;
  info.name = manifest.name;
  info.language = manifest.language;
  info.weights = manifest.trained ? "trained" : "random";
  info.path = manifest.directory;
  info.version = manifest.version;
  for (const std::uint32_t frames : manifest.network.chunks) info.chunk_ms.push_back(manifest.chunk_ms(frames));
  info.default_chunk_ms = options.chunk_ms != 0 ? options.chunk_ms : manifest.chunk_ms(manifest.network.default_chunk);
  info.look_ahead_ms = manifest.chunk_ms(manifest.network.look_ahead);
  info.sample_rate = manifest.features.sample_rate;
  info.output_frame_ms = manifest.network.output_frame_ms;
  const PrecisionChoice& chosen = models_.default_model().precision();
  info.precision = to_string(chosen.precision);
  info.precision_reason = chosen.reason;
  return info;
}

}  // namespace cosyvoice
