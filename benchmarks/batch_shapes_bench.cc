// What the shapes of compiled networks cost: latency and CPU time of one inference of the default chunk at three batch
// sizes, and the memory that two workers' compiled networks add. docs/decisions/001-batch-shapes.md has the results.
//
//   open    a copy for each worker, with open batch and time, computing on the worker's thread: what the engine does
//   static  a network for each chunk length and batch bucket (1, 2, 4, 8, 16), a stream for each worker
//   pool    one network with open batch and time for all workers, a stream of OpenVINO's pool for each
//
//   batch_shapes_bench BUNDLE         prints one JSON object a line
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "bundle/manifest.h"
#include "core/network.h"

using namespace cosyvoice;

namespace {

constexpr std::uint32_t kWorkers = 2, kBatchSize = 16;
constexpr std::uint32_t kBuckets[] = {1, 2, 4, 8, 16}, kTimed[] = {1, 4, 16};
constexpr int kRuns = 200;

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

double rss_mb() {
  std::ifstream file("/proc/self/statm");
  long total = 0, resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1e6;
}

/// One inference on the first worker, of `chunk` feature frames and `rows` rows; the same on any worker to warm it up.
using Infer = std::function<void(std::uint32_t worker, std::uint32_t chunk, std::uint32_t rows)>;

Infer open_copies(const Manifest& manifest) {
  const std::shared_ptr<Network> network = read_openvino_network(manifest, manifest.network.file);
  auto copies = std::make_shared<std::vector<std::unique_ptr<NetworkCopy>>>();
  for (std::uint32_t i = 0; i < kWorkers; ++i) copies->push_back(network->compile(kBatchSize));
  return [network, copies](std::uint32_t worker, std::uint32_t chunk, std::uint32_t rows) {
    (*copies)[worker]->infer(chunk, rows);
  };
}

/// Everything below compiles with OpenVINO itself, under the engine's precision.
ov::CompiledModel compiled(const Manifest& manifest, ov::Core& core, const ov::Dimension& rows,
                           const ov::Dimension& frames) {
  const auto model = core.read_model(manifest.network.file);
  std::map<std::string, ov::PartialShape> shapes;
  shapes[manifest.network.input] = {rows, frames, manifest.features.dim()};
  for (const std::string& counter : manifest.network.counters) shapes[counter] = {rows};
  for (const StateOptions& state : manifest.network.states) {
    ov::PartialShape& shape = shapes[state.input];
    for (const std::uint32_t length : state.shape) shape.push_back(length);
    shape[state.batch_axis] = rows;
  }
  model->reshape(shapes);
  return core.compile_model(
      model, "CPU",
      {ov::num_streams(static_cast<std::int32_t>(kWorkers)),
       ov::inference_num_threads(static_cast<std::int32_t>(kWorkers)), ov::hint::enable_cpu_pinning(false),
       ov::hint::inference_precision(ov::element::f32), ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY)});
}

std::vector<ov::InferRequest> requests_of(ov::CompiledModel& network) {
  std::vector<ov::InferRequest> requests;
  for (std::uint32_t i = 0; i < kWorkers; ++i) requests.push_back(network.create_infer_request());
  return requests;
}

/// Zeros under this shape; allocated by the request, as its own.
void fill_inputs(ov::InferRequest& request, const Manifest& manifest, std::uint32_t chunk, std::uint32_t rows) {
  const auto fill = [&request](const std::string& name, ov::Shape shape) {
    ov::Tensor tensor = request.get_tensor(name);
    if (tensor.get_shape() != shape) tensor.set_shape(shape);
    std::fill_n(static_cast<char*>(tensor.data()), tensor.get_byte_size(), '\0');
  };
  fill(manifest.network.input, {rows, chunk + manifest.network.look_ahead, manifest.features.dim()});
  for (const std::string& counter : manifest.network.counters) fill(counter, {rows});
  for (const StateOptions& state : manifest.network.states) {
    ov::Shape shape(state.shape.begin(), state.shape.end());
    shape[state.batch_axis] = rows;
    fill(state.input, shape);
  }
}

Infer static_buckets(const Manifest& manifest) {
  const auto core = std::make_shared<ov::Core>();
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  struct Bucket {
    ov::CompiledModel network;
    std::vector<ov::InferRequest> requests;
  };
  auto buckets = std::make_shared<std::map<Key, Bucket>>();
  for (const std::uint32_t chunk : manifest.network.chunks) {
    for (const std::uint32_t rows : kBuckets) {
      Bucket& bucket = (*buckets)[{chunk, rows}];
      bucket.network = compiled(manifest, *core, rows, chunk + manifest.network.look_ahead);
      bucket.requests = requests_of(bucket.network);
      for (auto& request : bucket.requests) fill_inputs(request, manifest, chunk, rows);
    }
  }
  return [core, buckets](std::uint32_t worker, std::uint32_t chunk, std::uint32_t rows) {
    (*buckets)[{chunk, rows}].requests[worker].infer();
  };
}

Infer pooled(const Manifest& manifest) {
  const auto core = std::make_shared<ov::Core>();
  const auto& chunks = manifest.network.chunks;
  const std::uint32_t look_ahead = manifest.network.look_ahead;
  auto network = std::make_shared<ov::CompiledModel>(
      compiled(manifest, *core, {1, kBatchSize}, {chunks.front() + look_ahead, chunks.back() + look_ahead}));
  auto requests = std::make_shared<std::vector<ov::InferRequest>>(requests_of(*network));
  auto shown = std::make_shared<std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>>();
  return [=, &manifest](std::uint32_t worker, std::uint32_t chunk, std::uint32_t rows) {
    const std::pair shape{chunk, rows};
    if ((*shown)[worker] != shape) fill_inputs((*requests)[worker], manifest, chunk, rows);
    (*shown)[worker] = shape;
    (*requests)[worker].infer();
  };
}

struct Cost {
  double best_ms = 1e9;  ///< wall clock: other programs only ever make a run slower
  double cpu_ms = 0.0;   ///< mean, of all threads
};

Cost cost_of(const Infer& infer, std::uint32_t chunk, std::uint32_t rows) {
  Cost cost;
  const std::clock_t cpu_begin = std::clock();
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    infer(0, chunk, rows);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    cost.best_ms = std::min(cost.best_ms, taken.count());
  }
  cost.cpu_ms = 1e3 * static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC / kRuns;
  return cost;
}

void bench(const Manifest& manifest, const char* name, Infer (*make)(const Manifest&)) {
  { const ov::Core plugin_loaded; }
  const double rss_before = rss_mb();
  const auto begin = std::chrono::steady_clock::now();
  const Infer infer = make(manifest);
  for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
    for (const std::uint32_t chunk : manifest.network.chunks) {
      for (const std::uint32_t rows : kBuckets) infer(worker, chunk, rows);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double rss = rss_mb() - rss_before;
  std::printf("{\"bench\": \"batch_shapes\", \"model\": \"%s\", \"shapes\": \"%s\", \"workers\": %u",
              manifest.name.c_str(), name, kWorkers);
  for (const std::uint32_t rows : kTimed) {
    const Cost cost = cost_of(infer, manifest.network.default_chunk, rows);
    std::printf(", \"batch_%u_ms\": %.3f, \"batch_%u_cpu_ms\": %.3f", rows, cost.best_ms, rows, cost.cpu_ms);
  }
  std::printf(", \"rss_growth_mb\": %.1f, \"ready_s\": %.2f}\n", rss, seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: batch_shapes_bench BUNDLE\n");
    return 2;
  }
  std::printf("{\"bench\": \"machine\", \"cpu\": \"%s\"}\n", processor().c_str());
  std::fflush(stdout);
  const std::pair<const char*, Infer (*)(const Manifest&)> variants[] = {
      {"open", open_copies}, {"static", static_buckets}, {"pool", pooled}};
  int failures = 0;
  for (const auto& [name, make] : variants) {
    const pid_t child = fork();  // a process each, so that none uses memory that another left behind
    if (child == 0) {
      try {
        bench(load_manifest(arguments[1]), name, make);
        std::_Exit(0);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        std::_Exit(1);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    failures += status == 0 ? 0 : 1;
  }
  return failures == 0 ? 0 : 1;
}
