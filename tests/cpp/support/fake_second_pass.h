// Hears utterances again on threads of its own, as an application would, without a model.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "support/pipeline_fixture.h"

namespace cosyvoice::testing {

class FakeSecondPass {
 public:
  using Hear = std::function<void(SecondPass&, const SecondPassRequest&)>;
  FakeSecondPass(TonePipeline& pipeline, int threads, Hear hear) : pipeline_(pipeline), hear_(std::move(hear)) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  /// Closes the pipeline, for only then do the threads end.
  ~FakeSecondPass() {
    pipeline_->close();
    for (std::thread& thread : threads_) thread.join();
  }
  FakeSecondPass(const FakeSecondPass&) = delete;
  FakeSecondPass& operator=(const FakeSecondPass&) = delete;

  std::atomic<int> heard{0};

 private:
  void serve() {
    for (;;) {
      try {
        SecondPass& second_pass = pipeline_->second_pass();
        std::vector<std::int16_t> samples;
        SecondPassRequest mine;
        second_pass.next(
            [&](const SecondPassRequest& request) {
              mine = request;
              samples.assign(request.samples, request.samples + request.count);
            },
            -1);
        mine.samples = samples.data();
        ++heard;
        hear_(second_pass, mine);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kEngineClosed) return;
        throw;
      }
    }
  }

  TonePipeline& pipeline_;
  const Hear hear_;
  std::vector<std::thread> threads_;
};

/// Milliseconds of the request that are loud, from the first to the last.
inline std::pair<std::int64_t, std::int64_t> loud_part(const SecondPassRequest& request) {
  std::size_t first = request.count, last = 0;
  for (std::size_t i = 0; i < request.count; ++i) {
    if (request.samples[i] < 1000 && request.samples[i] > -1000) continue;
    first = std::min(first, i);
    last = i;
  }
  return {static_cast<std::int64_t>(first / 16), static_cast<std::int64_t>(last / 16)};
}

}  // namespace cosyvoice::testing
