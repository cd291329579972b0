#include "bench/pacer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "bench/usage.h"

namespace cosyvoice::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kStaggerSeconds = 1.0;
constexpr auto kTick = std::chrono::milliseconds(200);
constexpr std::int64_t kDrainWaitMs = 100;

Clock::duration ticks(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

/// Takes the engine's events on a thread of its own and counts them.
class Outlet {
 public:
  explicit Outlet(Engine& engine) : engine_(engine) {
    engine_.attach_drain();
    thread_ = std::thread([this] { run(); });
  }
  ~Outlet() {
    stop_.store(true);
    thread_.join();
  }
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  /// True once `sessions` sessions have ended.
  bool wait_ended(std::uint64_t sessions, std::chrono::milliseconds wait) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, wait, [this, sessions] { return ended_ >= sessions; });
  }
  void report(PacerReport& report) {
    const std::lock_guard<std::mutex> lock(mutex_);
    report.partial_events = partials_;
    report.final_events = finals_;
    report.error_events = errors_;
  }

 private:
  void run() {
    while (!stop_.load()) {
      engine_.drain([this](const Event& event) { count(event); }, kDrainWaitMs);
    }
  }
  void count(const Event& event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (event.type == EventType::kPartial) ++partials_;
    if (event.type == EventType::kFinal) ++finals_;
    if (event.type == EventType::kError) ++errors_;
    if (event.ended) {
      ++ended_;
      changed_.notify_all();
    }
  }

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t partials_ = 0, finals_ = 0, errors_ = 0, ended_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

struct Stream {
  SessionId sid = 0;
  Clock::time_point start;
  std::uint64_t fed = 0;     ///< samples
  std::size_t position = 0;  ///< in the recording
};

/// Earliest packet first.
struct Due {
  Clock::time_point at;
  std::size_t stream;
  bool operator<(const Due& other) const { return at > other.at; }
};

class Pacer {
 public:
  Pacer(Engine& engine, const std::int16_t* samples, std::size_t count, const PacerOptions& options)
      : engine_(engine), samples_(samples), count_(count), options_(options), outlet_(engine) {}

  /// What is still open after an error is closed, so that the engine can be used again.
  ~Pacer() {
    for (const Stream& stream : streams_) {
      try {
        engine_.close_session(stream.sid);
      } catch (const Error&) {  // it has ended already
      }
    }
  }
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  PacerReport run() {
    const Stats before = engine_.stats();
    open_streams();
    feed_all();
    await_ends();
    const Stats after = engine_.stats();
    report_.partial_delay = after.partial_delay;
    report_.final_delay = after.final_delay;
    report_.dropped_samples = after.dropped_samples - before.dropped_samples;
    report_.skipped_samples = after.skipped_samples - before.skipped_samples;
    report_.lost_samples = (after.accepted_samples - before.accepted_samples) -
                           (after.decoded_samples - before.decoded_samples) - report_.dropped_samples -
                           report_.skipped_samples;
    report_.rss_mb = std::max(report_.rss_mb, rss_mb());
    outlet_.report(report_);
    return report_;
  }

 private:
  void open_streams() {
    SessionOptions session;
    session.sample_rate = options_.sample_rate;
    session.chunk_ms = options_.chunk_ms;
    for (std::size_t i = 0; i < options_.streams; ++i) {
      Stream stream;
      stream.sid = engine_.new_session(session);
      stream.position = i * count_ / options_.streams;
      streams_.push_back(stream);
    }
    // Opening may have loaded a network: time begins afterwards.
    begin_ = Clock::now();
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(options_.streams);
      streams_[i].start = begin_ + ticks(options_.together ? 0.0 : kStaggerSeconds * share);
    }
  }

  void feed_all() {
    const std::size_t packet = static_cast<std::size_t>(options_.sample_rate) * options_.packet_ms / 1000;
    const auto total = static_cast<std::uint64_t>(options_.seconds * options_.sample_rate);
    const Clock::time_point measured_from = begin_ + ticks(options_.warm_up_seconds);
    bool measuring = false;
    Clock::time_point measured_begin;
    double cpu_begin = 0.0;
    std::priority_queue<Due> due;
    for (std::size_t i = 0; i < streams_.size(); ++i) due.push({arrival(streams_[i], packet, total), i});
    while (!due.empty()) {
      const Due next = due.top();
      due.pop();
      sleep_until(next.at);
      const Clock::time_point now = Clock::now();
      if (!measuring && now >= measured_from) {
        measuring = true;
        measured_begin = now;
        cpu_begin = cpu_seconds();
        engine_.clear_delays();
      }
      report_.feeder_late_ms = std::max(report_.feeder_late_ms, 1e3 * Seconds(now - next.at).count());
      Stream& stream = streams_[next.stream];
      feed(stream, std::min<std::uint64_t>(packet, total - stream.fed));
      if (stream.fed < total) {
        due.push({arrival(stream, packet, total), next.stream});
      } else {
        engine_.finish(stream.sid);
      }
    }
    report_.wall_seconds = Seconds(Clock::now() - measured_begin).count();
    report_.cpu_percent = 100.0 * (cpu_seconds() - cpu_begin) / report_.wall_seconds;
    report_.rss_mb = rss_mb();
  }

  /// A packet arrives when its last sample has been spoken.
  Clock::time_point arrival(const Stream& stream, std::size_t packet, std::uint64_t total) const {
    const std::uint64_t end = std::min<std::uint64_t>(stream.fed + packet, total);
    return stream.start + ticks(static_cast<double>(end) / options_.sample_rate);
  }

  void sleep_until(Clock::time_point when) {
    while (options_.tick && Clock::now() + kTick < when) {
      std::this_thread::sleep_for(kTick);
      tick();
    }
    std::this_thread::sleep_until(when);
    if (Clock::now() - ticked_ >= kTick) tick();
  }

  void tick() {
    ticked_ = Clock::now();
    if (options_.tick) options_.tick();
  }

  void feed(Stream& stream, std::uint64_t samples) {
    std::uint64_t left = samples;
    while (left > 0) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, count_ - stream.position));
      try {
        engine_.feed_pcm(stream.sid, samples_ + stream.position, part);
        report_.fed_samples += part;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::kBufferFull) throw;
        report_.refused_samples += part;
      }
      stream.position = (stream.position + part) % count_;
      left -= part;
    }
    stream.fed += samples;
  }

  void await_ends() {
    while (!outlet_.wait_ended(streams_.size(), kTick)) tick();
  }

  Engine& engine_;
  const std::int16_t* samples_;
  std::size_t count_;
  PacerOptions options_;
  Outlet outlet_;
  std::vector<Stream> streams_;
  Clock::time_point begin_, ticked_ = Clock::now();
  PacerReport report_;
};

void check(std::size_t count, const PacerOptions& options) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::kInvalidArgument, message); };
  if (options.streams == 0) refuse("streams is 0; at least one is needed");
  if (count == 0) refuse("the recording is empty; at least one sample is needed");
  if (options.packet_ms == 0) refuse("packet_ms is 0; 64 is usual");
  if (options.seconds <= options.warm_up_seconds) {
    refuse("seconds is " + std::to_string(options.seconds) + "; it must exceed the warm-up of " +
           std::to_string(options.warm_up_seconds) + " s");
  }
}

}  // namespace

PacerReport run_pacer(Engine& engine, const std::int16_t* samples, std::size_t count, const PacerOptions& options) {
  check(count, options);
  return Pacer(engine, samples, count, options).run();
}

}  // namespace cosyvoice::bench
