// What a cv_engine* points to: the engine, and what pulling needs beside it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "c_api/event.h"
#include "cosyvoice/c_api.h"
#include "cosyvoice/engine.h"

namespace cosyvoice::c_api {

/// cv_next_event(CV_ANY_SESSION): the engine's drain(), one event a call.
class AllSessions {
 public:
  /// Null on time-out. Throws kEngineClosed when the engine was closed and all was taken.
  std::unique_ptr<OwnedEvent> next(Engine& engine, std::int64_t timeout_ms);

 private:
  std::mutex mutex_;
  bool attached_ = false;
  std::deque<std::unique_ptr<OwnedEvent>> waiting_;  ///< of the last drain: no more than the sessions' own memory held
};

}  // namespace cosyvoice::c_api

struct cv_engine {
  enum class Outlet : std::uint8_t { kNone, kCallbacks, kPull };

  explicit cv_engine(const cosyvoice::EngineOptions& options) : engine(options), model(engine.model()) {}

  /// Throws kInvalidArgument when the engine's events go another way.
  void choose(Outlet wanted);

  cosyvoice::Engine engine;
  const cosyvoice::ModelInfo model;  ///< cv_model_info points into it
  cosyvoice::c_api::AllSessions all_sessions;
  std::atomic<Outlet> outlet{Outlet::kNone};
};
