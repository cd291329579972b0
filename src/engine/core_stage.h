// The Core's threads: each takes batches from the scheduler, runs them through its own encoder and passes every row on.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "core/batch_scheduler.h"
#include "engine/counters.h"
#include "engine/model_registry.h"
#include "types/encoder_output.h"

namespace cosyvoice {

class CoreStage {
 public:
  CoreStage(BatchScheduler& scheduler, ModelRegistry& models, Counters& counters, std::uint32_t batch_size,
            std::function<void(const EncoderOutput&)> to_backend);
  void start(std::uint32_t workers);
  /// The scheduler must have been stopped.
  void join();

 private:
  void work(std::uint32_t worker);

  BatchScheduler& scheduler_;
  ModelRegistry& models_;
  Counters& counters_;
  const std::uint32_t batch_size_;
  const std::function<void(const EncoderOutput&)> to_backend_;
  std::vector<std::thread> threads_;
};

}  // namespace cosyvoice
