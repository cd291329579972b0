#include "engine/core_stage.h"

#include <utility>

#include "runtime/thread.h"

namespace cosyvoice {

CoreStage::CoreStage(BatchScheduler& scheduler, ModelRegistry& models, Counters& counters, std::uint32_t batch_size,
                     std::function<void(const EncoderOutput&)> to_backend)
    : scheduler_(scheduler),
      models_(models),
      counters_(counters),
      batch_size_(batch_size),
      to_backend_(std::move(to_backend)) {}

void CoreStage::start(std::uint32_t workers) {
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    threads_.push_back(start_thread("cv-core", [this, worker] { work(worker); }));
  }
}

void CoreStage::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void CoreStage::work(std::uint32_t worker) {
  std::vector<const FeatureChunk*> chunks(batch_size_);
  std::vector<EncoderOutput> outputs(batch_size_);
  while (const std::size_t taken = scheduler_.take(chunks.data())) {
    models_.encoder(chunks[0]->queue, worker).run(chunks.data(), taken, outputs.data());
    count(counters_.batches);
    count(counters_.chunks, taken);
    for (std::size_t i = 0; i < taken; ++i) to_backend_(outputs[i]);
  }
}

}  // namespace cosyvoice
