// Wires the stages and owns them; what a verb does is in producer.cc (in) and delivery.cc (out).
#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "cosyvoice/engine.h"
#include "engine/backend_stage.h"
#include "engine/core_stage.h"
#include "engine/counters.h"
#include "engine/delivery.h"
#include "engine/dispatcher.h"
#include "engine/engine_options.h"
#include "engine/frontend_stage.h"
#include "engine/model_registry.h"
#include "engine/producer.h"
#include "engine/slot_table.h"
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
  endpoint.partial_timeout_ms = options.partial_timeout_ms;
  endpoint.max_utterance_ms = options.max_utterance_ms;
  endpoint.hard_limit_ms = options.max_utterance_ms + kHardLimitMs;
  return endpoint;
}

const EngineOptions& validated(const EngineOptions& options) {
  validate(options);
  return options;
}

}  // namespace

class Engine::Impl {
 public:
  explicit Impl(const EngineOptions& given)
      : options(validated(given)),
        workers(options.workers != 0 ? options.workers : usable_cores()),
        slots(options),
        scheduler(options.max_stream, options.batch_size),
        models(options, workers, scheduler),
        delivery(slots, counters, [this](Slot& slot) { frontend.enqueue(slot); }),
        backend(
            slots, counters, endpoint_options(options), [this](Slot& slot) { delivery.posted(slot); },
            [this](Slot& slot) { frontend.enqueue(slot); }),
        core(scheduler, models, counters, options.batch_size,
             [this](const EncoderOutput& output) { backend.push(output); }),
        frontend(
            slots, models, scheduler, counters, options.idle_timeout_ms,
            [this](Slot& slot) {
              EncoderOutput order;
              order.slot = slot.index;
              backend.push(order);
            },
            [this](Slot& slot) { delivery.session_over(slot); }),
        producer(slots, counters, options, [this](Slot& slot) { frontend.enqueue(slot); }) {
    models.choose(options.model_path, 0);
    backend.start();
    core.start(workers);
    frontend.start();
  }

  void check() const {
    if (fork_generation() != born_in) {
      throw Error(ErrorCode::kEngineForked,
                  "this engine was made before the process forked, and its threads stayed in the parent; make a new "
                  "engine in the child (or use the spawn start method)");
    }
  }
  void check_open() const {
    check();
    if (closing.load(std::memory_order_acquire)) {
      throw Error(ErrorCode::kEngineClosed, "the engine was closed; make a new one");
    }
  }

  SessionId open_session(const SessionOptions& session);
  void close();
  void stop_threads();

  const std::uint32_t born_in = fork_generation();
  const EngineOptions options;
  const std::uint32_t workers;
  Counters counters;
  SlotTable slots;
  BatchScheduler scheduler;
  ModelRegistry models;
  Delivery delivery;
  BackendStage backend;
  CoreStage core;
  FrontendStage frontend;
  Producer producer;
  Dispatcher dispatcher;
  std::atomic<bool> closing{false};
  std::mutex close_mutex;
  bool closed = false;
};

SessionId Engine::Impl::open_session(const SessionOptions& session) {
  validate(session);
  const ModelRegistry::Choice choice =
      models.choose(session.model.empty() ? options.model_path : session.model, session.chunk_ms);
  const Manifest& manifest = choice.instance->model->manifest();
  SessionId sid = 0;
  Slot& slot = slots.acquire(sid);
  try {
    slot.options = session;
    slot.model = choice.instance;
    slot.chunk_frames = choice.chunk_frames;
    slot.queue = choice.queue;
    slot.ring.open(bytes_per_sample(session.encoding));
    slot.stream.open(manifest.features, session.sample_rate, session.encoding,
                     feature_rows(choice.chunk_frames, manifest.network.look_ahead));
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
  slot.front.resets_done = slot.resets_asked.load(std::memory_order_relaxed);
  slot.back = Slot::Back{};
  slot.decoder = CtcGreedy(manifest.network.blank);
  slot.transcript.set_tokens(&choice.instance->tokens);
  slot.transcript.clear();
  delivery.open(slot, sid);
  count(counters.sessions_opened);
  slot.state.store(SlotState::kOpen, std::memory_order_seq_cst);
  return sid;
}

void Engine::Impl::close() {
  closing.store(true, std::memory_order_seq_cst);
  const std::lock_guard<std::mutex> lock(close_mutex);
  if (closed) return;
  const auto each_session = [this](auto&& verb) {
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
      const SessionId sid = slots[i].sid.load(std::memory_order_acquire);
      if (sid == 0) continue;
      try {
        verb(sid);
      } catch (const Error&) {  // it ended meanwhile
      }
    }
  };
  each_session([this](SessionId sid) { producer.finish(sid); });
  if (!delivery.wait_until_quiet(now_ns() + options.close_timeout_ms * kNsPerMs)) {
    log_message(LogLevel::kWarning, "close: " + std::to_string(slots.open_sessions()) +
                                        " sessions did not finish within " + std::to_string(options.close_timeout_ms) +
                                        " ms and are closed; raise close_timeout to let them");
    each_session([this](SessionId sid) { producer.close_session(sid); });
    delivery.wait_until_quiet(now_ns() + kForcedCloseNs);
  }
  stop_threads();
  delivery.finish();
  dispatcher.join();
  closed = true;
}

void Engine::Impl::stop_threads() {
  frontend.stop();
  scheduler.stop();
  core.join();
  backend.stop();
}

Engine::Engine(const EngineOptions& options) : impl_(std::make_unique<Impl>(options)) {}

Engine::~Engine() {
  if (impl_ == nullptr) return;
  if (fork_generation() != impl_->born_in) {
    impl_.release();  // NOLINT: the threads it would join live in the parent
    return;
  }
  try {
    close();
    impl_->dispatcher.join();
  } catch (const std::exception& error) {
    log_message(LogLevel::kError, std::string("close failed: ") + error.what());
  }
}

void Engine::register_callback(EventCallback on_partial, EventCallback on_final, EventCallback on_event) {
  impl_->check_open();
  impl_->dispatcher.start(impl_->delivery, impl_->counters, std::move(on_partial), std::move(on_final),
                          std::move(on_event));
}

SessionId Engine::new_session(const SessionOptions& options) {
  impl_->check_open();
  return impl_->open_session(options);
}

void Engine::feed_pcm(SessionId sid, const void* bytes, std::size_t size) {
  impl_->check_open();
  impl_->producer.feed_bytes(sid, bytes, size);
}

void Engine::feed_pcm(SessionId sid, const std::int16_t* samples, std::size_t count) {
  impl_->check_open();
  impl_->producer.feed_samples(sid, samples, count);
}

void Engine::feed_pcm(SessionId sid, const float* samples, std::size_t count) {
  impl_->check_open();
  impl_->producer.feed_samples(sid, samples, count);
}

void Engine::end_utterance(SessionId sid) {
  impl_->check_open();
  impl_->producer.end_utterance(sid);
}

void Engine::reset(SessionId sid) {
  impl_->check_open();
  impl_->producer.reset(sid);
}

void Engine::finish(SessionId sid) {
  impl_->check_open();
  impl_->producer.finish(sid);
}

void Engine::close_session(SessionId sid) {
  impl_->check_open();
  impl_->producer.close_session(sid);
}

void Engine::close() {
  impl_->check();
  if (Producer::on_dispatcher_thread()) {
    // A callback's own thread cannot wait for itself: closing goes on beside it.
    impl_->dispatcher.defer([impl = impl_.get()] { impl->close(); });
    impl_->closing.store(true, std::memory_order_release);
    return;
  }
  impl_->close();
}

Stats Engine::stats() const {
  impl_->check();
  const Counters& from = impl_->counters;
  const auto read = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  Stats stats;
  stats.sessions = impl_->slots.open_sessions();
  stats.sessions_opened = read(from.sessions_opened);
  stats.sessions_ended = read(from.sessions_ended);
  // What was decoded is read before what was accepted, so that "lost" is never below zero.
  stats.decoded_samples = read(from.decoded_samples);
  stats.dropped_samples = read(from.dropped_samples);
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
  stats.session_bytes = impl_->slots.bytes_per_slot();
  stats.state_bytes = impl_->models[0].model->state_bytes_per_slot();
  return stats;
}

void Engine::clear_delays() {
  impl_->check();
  impl_->counters.partial_delay.clear();
  impl_->counters.final_delay.clear();
  impl_->counters.delivery_delay.clear();
}

ModelInfo Engine::model() const {
  impl_->check();
  const Manifest& manifest = impl_->models[0].model->manifest();
  ModelInfo info;
  info.name = manifest.name;
  info.language = manifest.language;
  info.weights = manifest.trained ? "trained" : "random";
  info.path = manifest.directory;
  info.version = manifest.version;
  for (const std::uint32_t frames : manifest.network.chunks) info.chunk_ms.push_back(manifest.chunk_ms(frames));
  info.default_chunk_ms = manifest.chunk_ms(manifest.network.default_chunk);
  info.look_ahead_ms = manifest.chunk_ms(manifest.network.look_ahead);
  info.sample_rate = manifest.features.sample_rate;
  info.output_frame_ms = manifest.network.output_frame_ms;
  return info;
}

bool Engine::next_event(SessionId sid, const EventCallback& take, std::int64_t timeout_ms) {
  impl_->check();
  return impl_->delivery.next_event(impl_->slots.find(sid), sid, take, timeout_ms);
}

bool Engine::next_partial(SessionId sid, const EventCallback& take) {
  impl_->check();
  return impl_->delivery.next_partial(impl_->slots.find(sid), sid, take);
}

std::size_t Engine::drain(const EventCallback& take, std::int64_t timeout_ms) {
  impl_->check();
  return impl_->delivery.drain(take, timeout_ms);
}

bool Engine::drain_open() const {
  impl_->check();
  return impl_->delivery.drain_open();
}

void Engine::attach_drain() {
  impl_->check_open();
  impl_->delivery.attach_drain();
}

void Engine::mark_dispatcher_thread() {
  Producer::mark_dispatcher_thread();
}

void Engine::count_callback_error() {
  count(impl_->counters.callback_errors);
}

void Engine::release(SessionId sid) {
  impl_->check();
  impl_->delivery.release(impl_->slots.find(sid), sid);
}

}  // namespace cosyvoice
