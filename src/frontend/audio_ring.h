// The producer's PCM, written once at the session's own rate and encoding, and read in place.
//
// Single producer (feed_pcm), single consumer (the Front-End thread), no lock. Beside the bytes lie commits: (index of
// the first sample after the write, CLOCK_MONOTONIC ns), so that delays are measured from the arrival of a sample. When
// more commits wait than fit, the newest are merged into the next (it then reports a later arrival than the true one of
// some samples).
//
//   memory:  │ PCM, ring_bytes, sample i at (i mod capacity) │ commits, kCommits × 16 bytes │
//
// Sample indices only grow. The bytes of [read, written) belong to the consumer, all others to the producer: a release
// store of an index hands bytes over, an acquire load of it takes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/cache_line.h"

namespace cosyvoice {

class AudioRing {
 public:
  static std::size_t bytes_needed(std::size_t ring_bytes);
  /// `memory` of bytes_needed(ring_bytes), aligned to a cache line, is the caller's; `ring_bytes` is a power of two
  /// ≥ 64. Throws Error(kInvalidArgument).
  AudioRing(std::byte* memory, std::size_t ring_bytes);
  AudioRing(const AudioRing&) = delete;
  AudioRing& operator=(const AudioRing&) = delete;
  /// Empties it for a new session, sample index 0. Only while neither side uses the ring. 1, 2 or 4 bytes a sample.
  void open(std::uint32_t bytes_per_sample) noexcept;

  // Producer.
  std::size_t writable_samples() const noexcept;
  std::size_t capacity_samples() const noexcept { return capacity_; }
  /// `count` ≤ writable_samples(). Becomes visible to the consumer at once.
  void write(const void* samples, std::size_t count, std::int64_t now_ns) noexcept;
  /// The same through `convert(std::byte* dst, std::size_t first, std::size_t n)`, called once or twice (the ring's
  /// end), which writes samples first … first + n - 1 of the packet at dst.
  template <class Convert>
  void write_with(Convert&& convert, std::size_t count, std::int64_t now_ns) {
    const std::size_t place = static_cast<std::size_t>(written_.load(std::memory_order_relaxed)) & (capacity_ - 1);
    const std::size_t before_end = count < capacity_ - place ? count : capacity_ - place;
    if (before_end > 0) convert(bytes_ + place * bytes_per_sample_, std::size_t{0}, before_end);
    if (before_end < count) convert(bytes_, before_end, count - before_end);
    publish(count, now_ns);
  }
  std::uint64_t written() const noexcept;  ///< samples since open(); any thread

  // Consumer.
  std::uint64_t read() const noexcept;  ///< samples consumed; any thread
  struct Span {
    const std::byte* data;
    std::size_t samples;
  };
  Span readable() const noexcept;  ///< contiguous part, may end at the ring's end
  void consume(std::size_t samples) noexcept;
  /// When the sample with this index arrived (index < written()); forgets commits of earlier samples, so indices should
  /// not fall from call to call.
  std::int64_t arrival_ns(std::uint64_t sample) noexcept;

 private:
  struct Commit {
    std::uint64_t end;
    std::int64_t ns;
  };
  static constexpr std::size_t kCommits = 512;

  void publish(std::size_t count, std::int64_t now_ns) noexcept;

  std::byte* bytes_;
  Commit* commits_;
  std::size_t ring_bytes_;
  std::size_t capacity_ = 0;  // samples, a power of two
  std::uint32_t bytes_per_sample_ = 0;

  // The producer writes these …
  alignas(kCacheLine) std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> commit_tail_{0};
  std::atomic<std::int64_t> last_write_ns_{0};
  // … and the consumer these.
  alignas(kCacheLine) std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> commit_head_{0};
};

}  // namespace cosyvoice
