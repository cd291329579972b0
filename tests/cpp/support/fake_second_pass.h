// Hears utterances again on threads of its own, as an application would, without a model; and what tests of that share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/pipeline_fixture.h"

namespace cosyvoice::testing {

constexpr std::int32_t kNever = 3600 * 1000;

inline EngineOptions second_pass_options(std::int32_t timeout_ms = kNever) {
  EngineOptions options = tone_options();
  options.second_pass = "fake";
  options.second_pass_timeout_ms = timeout_ms;
  return options;
}

/// Of files, whose time counts from when somebody begins to hear them.
inline SessionOptions batch_session() {
  SessionOptions session;
  session.priority = Priority::kBatch;
  return session;
}

inline void answer_with_utterance(SecondPass& second_pass, const SecondPassRequest& request) {
  second_pass.answer(request.id, "utterance " + std::to_string(request.utterance), {});
}

inline std::vector<std::int16_t> utterances(std::uint32_t count) {
  std::vector<std::vector<std::int16_t>> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    parts.push_back(tone(i % kTones, 200));
    parts.push_back(silence(1200));
  }
  return join(parts);
}

/// A door that threads wait at until it is opened.
class Door {
 public:
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

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
