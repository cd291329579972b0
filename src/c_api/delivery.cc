#include "c_api/delivery.h"

#include <memory>
#include <utility>

#include "c_api/engine_handle.h"
#include "c_api/event.h"
#include "c_api/guard.h"

namespace cosyvoice::c_api {
namespace {

thread_local const cv_engine* calling = nullptr;

EventCallback to_callback(const cv_engine& engine, cv_event_callback callback, void* user_data) {
  if (callback == nullptr) return {};
  return [&engine, callback, user_data](const Event& event) {
    const OwnedEvent owned(event, false);
    calling = &engine;  // and so it stays: this thread serves one engine alone
    callback(&owned, user_data);
  };
}

std::unique_ptr<OwnedEvent> next_of_session(Engine& engine, SessionId sid, std::int64_t timeout_ms) {
  std::unique_ptr<OwnedEvent> taken;
  engine.next_event(
      sid, [&taken](const Event& event) { taken = std::make_unique<OwnedEvent>(event, true); }, timeout_ms);
  if (taken == nullptr && !engine.drain_open()) {
    throw Error(ErrorCode::kEngineClosed, "the engine was closed before this session ended");
  }
  return taken;
}

}  // namespace

bool inside_callback_of(const cv_engine& engine) noexcept {
  return calling == &engine;
}

std::unique_ptr<OwnedEvent> AllSessions::next(Engine& engine, std::int64_t timeout_ms) {
  engine.drain_open();  // refuses in a forked child, where the lock below may be held for ever
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!attached_) engine.attach_drain();
  attached_ = true;
  if (waiting_.empty()) {
    engine.drain([this](const Event& event) { waiting_.push_back(std::make_unique<OwnedEvent>(event, true)); },
                 timeout_ms);
  }
  if (!waiting_.empty()) {
    std::unique_ptr<OwnedEvent> first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }
  if (!engine.drain_open()) throw Error(ErrorCode::kEngineClosed, "the engine was closed, and every event was taken");
  return nullptr;
}

}  // namespace cosyvoice::c_api

using namespace cosyvoice;
using namespace cosyvoice::c_api;

void cv_engine::choose(Outlet wanted) {
  Outlet before = Outlet::kNone;
  if (outlet.compare_exchange_strong(before, wanted) || before == wanted) return;
  throw Error(ErrorCode::kInvalidArgument,
              wanted == Outlet::kPull
                  ? "all sessions are to be pulled, but callbacks are registered; pull one session"
                  : "callbacks are to be registered, but all sessions are pulled; use one of the two");
}

extern "C" {

int cv_register_callback(cv_engine* engine, cv_event_callback on_partial, cv_event_callback on_final,
                         cv_event_callback on_event, void* user_data) {
  return guarded([&] {
    require(engine, "engine").choose(cv_engine::Outlet::kCallbacks);
    engine->engine.register_callback(to_callback(*engine, on_partial, user_data),
                                     to_callback(*engine, on_final, user_data),
                                     to_callback(*engine, on_event, user_data));
  });
}

int cv_next_event(cv_engine* engine, cv_session_id sid, int64_t timeout_ms, const cv_event** event) {
  return guarded([&] {
    require(engine, "engine");
    require(event, "event");
    if (sid != CV_ANY_SESSION) {
      *event = next_of_session(engine->engine, sid, timeout_ms).release();
    } else {
      engine->choose(cv_engine::Outlet::kPull);
      *event = engine->all_sessions.next(engine->engine, timeout_ms).release();
    }
  });
}

int cv_next_partial(cv_engine* engine, cv_session_id sid, const cv_event** event) {
  return guarded([&] {
    require(engine, "engine");
    require(event, "event");
    std::unique_ptr<OwnedEvent> taken;
    engine->engine.next_partial(sid, [&taken](const Event& each) { taken = std::make_unique<OwnedEvent>(each, true); });
    *event = taken.release();
  });
}

}  // extern "C"
