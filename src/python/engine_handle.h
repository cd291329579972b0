// An Engine as Python owns it: its end joins threads, which may want the GIL, so the GIL is given up meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "cosyvoice/engine.h"

namespace cosyvoice::python {

class EngineHandle {
 public:
  explicit EngineHandle(const EngineOptions& options)
      : engine_(std::make_unique<Engine>(options, SecondPassServer::kCaller)) {}
  ~EngineHandle() {
    const nanobind::gil_scoped_release nogil;
    engine_.reset();
  }
  EngineHandle(const EngineHandle&) = delete;
  EngineHandle& operator=(const EngineHandle&) = delete;

  Engine& operator*() const noexcept { return *engine_; }
  Engine* operator->() const noexcept { return engine_.get(); }

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace cosyvoice::python
