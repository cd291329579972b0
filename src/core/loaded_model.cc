#include "core/loaded_model.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "core/batch_run.h"
#include "core/copy_pool.h"
#include "core/state_slab.h"
#include "cosyvoice/engine.h"
#include "runtime/affinity.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/thread.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kTimedRuns = 3;

/// Calls body(0) … body(count - 1), each on a thread of its own where there are cores for it; rethrows the first fault.
void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& body) {
  const std::size_t width = std::min<std::size_t>(count, usable_cores());
  std::vector<std::exception_ptr> faults(count);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        faults[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < width; ++i) threads.push_back(start_thread("cv-load", work));
  work();
  for (std::thread& thread : threads) thread.join();
  for (const auto& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
}

class Model final : public LoadedModel, public std::enable_shared_from_this<Model> {
 public:
  Model(Manifest manifest, const ModelRuntimeOptions& options, const ReadNetwork& read)
      : manifest_(std::move(manifest)),
        options_(checked(options)),
        precision_(choose_precision(manifest_, options_.precision, processor_has_vnni())),
        states_(manifest_.network.states, options_.slots, options_.huge_pages),
        batch_run_(manifest_, states_),
        pool_(compile(read)),
        caps_(manifest_.network.chunks.size()),
        next_encoder_(manifest_.network.chunks.size()) {}

  const Manifest& manifest() const override { return manifest_; }
  const PrecisionChoice& precision() const override { return precision_; }
  std::size_t state_bytes_per_slot() const override { return states_.bytes_per_slot(); }

  void prepare(std::uint32_t chunk_frames) override {
    const std::lock_guard lock(preparing_);
    std::atomic<std::uint32_t>& cap = caps_[chunk_index(chunk_frames)];
    if (cap.load(std::memory_order_relaxed) != 0) return;
    const std::uint32_t measured = measure_cap(chunk_frames);
    // The other copies meet every batch size once, so that no live chunk pays for building its kernels.
    for_each_in_parallel(pool_.size() - 1, [&](std::size_t i) {
      for (std::uint32_t rows = 1; rows <= measured; ++rows) time_once(i + 1, chunk_frames, rows);
    });
    cap.store(measured, std::memory_order_release);
  }

  std::uint32_t batch_cap(std::uint32_t chunk_frames) const override {
    const std::uint32_t cap = caps_[chunk_index(chunk_frames)].load(std::memory_order_acquire);
    if (cap == 0) {
      throw Error(ErrorCode::kInvalidArgument, manifest_.name + ": the chunk of " + std::to_string(chunk_frames) +
                                                   " feature frames is not prepared; call prepare() first");
    }
    return cap;
  }

  std::unique_ptr<Encoder> make_encoder(std::uint32_t chunk_frames) override;

  void run(std::size_t preferred, const FeatureChunk* const* chunks, std::size_t count,
           EncoderOutput* outputs) noexcept {
    const CopyPool::Loan copy = pool_.any(preferred);
    for (std::size_t done = 0; done < count;) {
      const std::size_t rows = std::min<std::size_t>(count - done, options_.batch_size);
      batch_run_.run(*copy, chunks + done, rows, outputs + done);
      done += rows;
    }
  }

 private:
  static const ModelRuntimeOptions& checked(const ModelRuntimeOptions& options) {
    if (options.slots != 0 && options.batch_size != 0 && options.workers != 0 && options.max_batch_ms > 0.0)
      return options;
    throw Error(ErrorCode::kInvalidArgument,
                "expected slots, batch_size, workers and max_batch_ms above 0, found " + std::to_string(options.slots) +
                    ", " + std::to_string(options.batch_size) + ", " + std::to_string(options.workers) + " and " +
                    std::to_string(options.max_batch_ms));
  }

  std::vector<std::unique_ptr<NetworkCopy>> compile(const ReadNetwork& read) const {
    const std::unique_ptr<Network> network = read(manifest_, network_file());
    std::vector<std::unique_ptr<NetworkCopy>> copies(options_.workers);
    for_each_in_parallel(copies.size(), [&](std::size_t i) { copies[i] = network->compile(options_.batch_size); });
    return copies;
  }

  const std::string& network_file() const noexcept {
    return precision_.precision == Precision::kInt8 ? manifest_.network.int8_file : manifest_.network.file;
  }

  std::size_t chunk_index(std::uint32_t chunk_frames) const {
    const auto& chunks = manifest_.network.chunks;
    const auto found = std::find(chunks.begin(), chunks.end(), chunk_frames);
    if (found != chunks.end()) return static_cast<std::size_t>(found - chunks.begin());
    std::string known;
    for (const auto chunk : chunks) known += (known.empty() ? "" : ", ") + std::to_string(chunk);
    throw Error(ErrorCode::kInvalidArgument, manifest_.name + ": expected a chunk of " + known +
                                                 " feature frames, found " + std::to_string(chunk_frames));
  }

  /// Milliseconds of one inference of zeros. The copy is given back between runs, so live chunks wait for one at most.
  double time_once(std::size_t copy_index, std::uint32_t chunk_frames, std::uint32_t rows) {
    const CopyPool::Loan copy = pool_.one(copy_index);
    const NetworkOptions& network = manifest_.network;
    const std::size_t feature_bytes = (chunk_frames + network.look_ahead) * manifest_.features.dim() * sizeof(float);
    std::memset(copy->input(0), 0, rows * feature_bytes);
    std::size_t index = 1;
    for (std::size_t i = 0; i < network.counters.size(); ++i) {
      std::memset(copy->input(index++), 0, rows * sizeof(std::int64_t));
    }
    for (std::size_t i = 0; i < states_.count(); ++i, ++index) {
      for (std::size_t row = 0; row < rows; ++row) states_.gather(i, 0, true, {row, rows}, copy->input(index));
    }
    const std::int64_t begin = now_ns();
    try {
      batch_run_.infer(*copy, chunk_frames, rows);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& fault) {
      throw Error(ErrorCode::kInvalidModel, network_file() + ": the network fails on a silent chunk of " +
                                                std::to_string(chunk_frames) + " feature frames: " + fault.what() +
                                                "; export it again");
    }
    return to_ms(now_ns() - begin);
  }

  /// The largest batch whose median stays below max_batch_ms; 1 where none does.
  std::uint32_t measure_cap(std::uint32_t chunk_frames) {
    for (std::uint32_t rows = 1; rows <= options_.batch_size; ++rows) {
      time_once(0, chunk_frames, rows);  // builds the kernels
      std::array<double, kTimedRuns> times{};
      for (double& time : times) time = time_once(0, chunk_frames, rows);
      std::sort(times.begin(), times.end());
      if (times[kTimedRuns / 2] <= options_.max_batch_ms) continue;
      if (rows > 1) return rows - 1;
      log_message(LogLevel::kWarning,
                  manifest_.name + ": one chunk of " + std::to_string(manifest_.chunk_ms(chunk_frames)) + " ms takes " +
                      std::to_string(times[kTimedRuns / 2]) + " ms to compute, more than max_batch_ms (" +
                      std::to_string(options_.max_batch_ms) + ")");
      return 1;
    }
    return options_.batch_size;
  }

  const Manifest manifest_;
  const ModelRuntimeOptions options_;
  const PrecisionChoice precision_;
  StateSlab states_;
  BatchRun batch_run_;
  CopyPool pool_;
  std::mutex preparing_;
  std::vector<std::atomic<std::uint32_t>> caps_;          // by chunk length; 0: not prepared
  std::vector<std::atomic<std::uint32_t>> next_encoder_;  // by chunk length: encoders made so far
};

class ModelEncoder final : public Encoder {
 public:
  ModelEncoder(std::shared_ptr<Model> model, std::size_t preferred) : model_(std::move(model)), preferred_(preferred) {}
  void run(const FeatureChunk* const* chunks, std::size_t count, EncoderOutput* outputs) noexcept override {
    model_->run(preferred_, chunks, count, outputs);
  }

 private:
  std::shared_ptr<Model> model_;
  std::size_t preferred_;
};

std::unique_ptr<Encoder> Model::make_encoder(std::uint32_t chunk_frames) {
  batch_cap(chunk_frames);  // refuses what was not prepared
  // The n-th encoder of every chunk length prefers the n-th copy: made in the workers' order, each worker keeps to one.
  return std::make_unique<ModelEncoder>(shared_from_this(), next_encoder_[chunk_index(chunk_frames)]++);
}

}  // namespace

std::shared_ptr<LoadedModel> load_model(Manifest manifest, const ModelRuntimeOptions& options,
                                        const ReadNetwork& read) {
  return std::make_shared<Model>(std::move(manifest), options, read);
}

std::shared_ptr<LoadedModel> load_openvino_model(Manifest manifest, const ModelRuntimeOptions& options) {
  return load_model(std::move(manifest), options, read_openvino_network);
}

}  // namespace cosyvoice
