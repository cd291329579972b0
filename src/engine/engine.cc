// The public API: every verb checks that the engine may still be used and goes to the pipeline.
#include <string>
#include <utility>

#include "cosyvoice/engine.h"
#include "engine/pipeline.h"
#include "runtime/thread.h"

namespace cosyvoice {

class Engine::Impl {
 public:
  Impl(const EngineOptions& options, SecondPassServer server) : pipeline(options, load_bundle, server) {}

  void check() const {
    if (fork_generation() == born_in) return;
    throw Error(ErrorCode::kEngineForked,
                "this engine was made before the process forked, and its threads stayed in the parent; make a new "
                "engine in the child (or use the spawn start method)");
  }
  void check_open() const {
    check();
    if (pipeline.closing()) throw Error(ErrorCode::kEngineClosed, "the engine was closed; make a new one");
  }

  const std::uint32_t born_in = fork_generation();
  Pipeline pipeline;
};

Engine::Engine(const EngineOptions& options, SecondPassServer server)
    : impl_(std::make_unique<Impl>(options, server)) {}

Engine::~Engine() {
  // In a forked child the threads it would join do not exist.
  if (fork_generation() != impl_->born_in) impl_.release();
}

void Engine::register_callback(EventCallback on_partial, EventCallback on_final, EventCallback on_event) {
  impl_->check_open();
  impl_->pipeline.register_callback(std::move(on_partial), std::move(on_final), std::move(on_event));
}

SessionId Engine::new_session(const SessionOptions& options) {
  impl_->check_open();
  return impl_->pipeline.open_session(options);
}

void Engine::swap_dictionary(const std::string& path) {
  impl_->check_open();
  impl_->pipeline.live_config->swap_dictionary(path);
}

void Engine::swap_lm(const std::string& lm) {
  impl_->check_open();
  impl_->pipeline.live_config->swap_lm(lm);
}

void Engine::set_hotwords(const std::vector<Hotword>& hotwords) {
  impl_->check_open();
  impl_->pipeline.set_hotwords(hotwords);
}

void Engine::set_hotwords(SessionId sid, const std::vector<Hotword>& hotwords) {
  impl_->check_open();
  impl_->pipeline.set_hotwords(sid, hotwords);
}

void Engine::feed_pcm(SessionId sid, const void* bytes, std::size_t size) {
  impl_->check_open();
  impl_->pipeline.producer.feed_bytes(sid, bytes, size);
}

void Engine::feed_pcm(SessionId sid, const std::int16_t* samples, std::size_t count) {
  impl_->check_open();
  impl_->pipeline.producer.feed_samples(sid, samples, count);
}

void Engine::feed_pcm(SessionId sid, const float* samples, std::size_t count) {
  impl_->check_open();
  impl_->pipeline.producer.feed_samples(sid, samples, count);
}

void Engine::end_utterance(SessionId sid) {
  impl_->check_open();
  impl_->pipeline.producer.end_utterance(sid);
}

void Engine::reset(SessionId sid) {
  impl_->check_open();
  impl_->pipeline.producer.reset(sid);
}

void Engine::finish(SessionId sid) {
  impl_->check_open();
  impl_->pipeline.producer.finish(sid);
}

void Engine::close_session(SessionId sid) {
  impl_->check_open();
  impl_->pipeline.producer.close_session(sid);
}

void Engine::close() {
  impl_->check();
  if (Producer::on_dispatcher_thread()) {
    impl_->pipeline.close_later();
  } else {
    impl_->pipeline.close();
  }
}

Stats Engine::stats() const {
  impl_->check();
  return impl_->pipeline.stats();
}

void Engine::clear_delays() {
  impl_->check();
  impl_->pipeline.counters.partial_delay.clear();
  impl_->pipeline.counters.final_delay.clear();
  impl_->pipeline.counters.delivery_delay.clear();
  impl_->pipeline.counters.second_pass_delay.clear();
}

ModelInfo Engine::model() const {
  impl_->check();
  return impl_->pipeline.model_info();
}

bool Engine::next_event(SessionId sid, const EventCallback& take, std::int64_t timeout_ms) {
  impl_->check();
  return impl_->pipeline.delivery.next_event(impl_->pipeline.slots.find(sid), sid, take, timeout_ms);
}

bool Engine::next_partial(SessionId sid, const EventCallback& take) {
  impl_->check();
  return impl_->pipeline.delivery.next_partial(impl_->pipeline.slots.find(sid), sid, take);
}

std::size_t Engine::drain(const EventCallback& take, std::int64_t timeout_ms) {
  impl_->check();
  return impl_->pipeline.delivery.drain(take, timeout_ms);
}

bool Engine::drain_open() const {
  impl_->check();
  return impl_->pipeline.delivery.drain_open();
}

void Engine::attach_drain() {
  impl_->check_open();
  impl_->pipeline.delivery.attach_drain();
}

void Engine::mark_dispatcher_thread() {
  Producer::mark_dispatcher_thread();
}

void Engine::count_callback_error() {
  count(impl_->pipeline.counters.callback_errors);
}

void Engine::release(SessionId sid) {
  impl_->check();
  impl_->pipeline.delivery.release(impl_->pipeline.slots.find(sid), sid);
}

bool Engine::next_second_pass(const std::function<void(const SecondPassRequest&)>& take, std::int64_t timeout_ms) {
  impl_->check();
  return impl_->pipeline.second_pass().next(take, timeout_ms);
}

void Engine::answer_second_pass(std::uint64_t id, std::string_view text, const std::vector<Word>& words) {
  impl_->check();
  impl_->pipeline.second_pass().answer(id, text, words);
}

void Engine::refuse_second_pass(std::uint64_t id) {
  impl_->check();
  impl_->pipeline.second_pass().refuse(id);
}

void Engine::count_second_pass_restart() {
  count(impl_->pipeline.counters.second_pass_restarts);
}

}  // namespace cosyvoice
