// An Engine as Python owns it.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <memory>

#include "cosyvoice/engine.h"

namespace cosyvoice::python {

class EngineHandle {
 public:
  explicit EngineHandle(const EngineOptions& options)
      : engine_(std::make_unique<Engine>(options)), owner_(::getpid()) {}

  /// In a forked child the engine's threads do not exist, and stopping them would wait without end: it is left as it
  /// is.
  ~EngineHandle() {
    if (::getpid() != owner_) {
      static_cast<void>(engine_.release());
      return;
    }
    const nanobind::gil_scoped_release nogil;
    engine_.reset();
  }
  EngineHandle(const EngineHandle&) = delete;
  EngineHandle& operator=(const EngineHandle&) = delete;

  Engine& operator*() const noexcept { return *engine_; }
  Engine* operator->() const noexcept { return engine_.get(); }

 private:
  std::unique_ptr<Engine> engine_;
  pid_t owner_;
};

}  // namespace cosyvoice::python
