// All stages of one engine, wired and owned: what <cosyvoice/engine.h> shows is a thin mirror of this.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "cosyvoice/engine.h"
#include "engine/backend_stage.h"
#include "engine/core_stage.h"
#include "engine/counters.h"
#include "engine/delivery.h"
#include "engine/dispatcher.h"
#include "engine/frontend_stage.h"
#include "engine/live_config.h"
#include "engine/model_registry.h"
#include "engine/producer.h"
#include "engine/second_pass.h"
#include "engine/slot_table.h"
#include "runtime/affinity.h"

namespace cosyvoice {

class Pipeline {
 public:
  /// Maps the slots, loads the default model and starts the threads. Throws as Engine's constructor does.
  Pipeline(const EngineOptions& options, ModelLoader load, SecondPassServer server = SecondPassServer::kNobody);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  SessionId open_session(const SessionOptions& session);
  /// The engine's hotwords, and a session's own; empty: none. Throw kInvalidArgument, kUnknownSession.
  void set_hotwords(const std::vector<Hotword>& hotwords);
  void set_hotwords(SessionId sid, const std::vector<Hotword>& hotwords);
  /// Finishes every session, delivers what is left, and stops the threads. Idempotent; a second caller waits for the
  /// first.
  void close();
  /// The same from the dispatcher's own thread, which cannot wait for itself: goes on beside it.
  void close_later();
  bool closing() const noexcept { return closing_.load(std::memory_order_acquire); }

  Stats stats() const;
  ModelInfo model_info() const;
  /// Throws kInvalidArgument where there is none.
  SecondPass& second_pass();
  void register_callback(EventCallback on_partial, EventCallback on_final, EventCallback on_event);

  const EngineOptions options;

 private:
  // While the constructor runs, so that every thread it starts stays on these cores.
  std::optional<AffinityScope> affinity_;

 public:
  const std::uint32_t workers;
  Counters counters;
  SilenceSkip silence_skip;
  SlotTable slots;

 private:
  BatchScheduler scheduler_;
  ModelRegistry models_;

 public:
  Delivery delivery;

 private:
  std::unique_ptr<SecondPass> second_pass_;
  Published<Dictionary> dictionary_;
  BackendStage backend_;
  CoreStage core_;
  FrontendStage frontend_;

 public:
  Producer producer;
  std::optional<LiveConfig> live_config;  ///< always there once the engine is made

 private:
  template <class Verb>
  void each_session(Verb&& verb);
  void stop_threads();

  Dispatcher dispatcher_;
  std::atomic<bool> closing_{false};
  std::mutex close_mutex_;
  bool closed_ = false;
};

}  // namespace cosyvoice
