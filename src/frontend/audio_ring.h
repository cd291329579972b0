// The producer's PCM, written once at the session's own rate and encoding, and read in place.
//
// Single producer (feed_pcm), single consumer (the Front-End thread), no lock. Beside the bytes lie commits: (index of the first sample
// after the write, CLOCK_MONOTONIC ns), so that delays are measured from the arrival of a sample. When more
// commits wait than fit, the newest are merged into the next (it then reports a later arrival than the true one of some samples).
#pragma once

#include <cstddef>
#include <cstdint>

namespace cosyvoice {

class AudioRing {
 public:
  static std::size_t bytes_needed(std::size_t ring_bytes);
  /// `memory` of bytes_needed(ring_bytes) is the caller's; `ring_bytes` is a power of two.
  AudioRing(std::byte* memory, std::size_t ring_bytes);
  void open(std::uint32_t bytes_per_sample) noexcept;  ///< empties it for a new session, sample index 0

  // Producer.
  std::size_t writable_samples() const noexcept;
  std::size_t capacity_samples() const noexcept;
  /// `count` ≤ writable_samples(). Becomes visible to the consumer at once.
  void write(const void* samples, std::size_t count, std::int64_t now_ns) noexcept;
  /// The same through `convert(dst, first, n)`, called once or twice (the ring's end), which writes n samples at dst.
  // template <class Convert> void write_with(Convert&&, count, now_ns)
  std::uint64_t written() const noexcept;   ///< samples since open(); any thread

  // Consumer.
  std::uint64_t read() const noexcept;      ///< samples consumed; any thread
  struct Span { const std::byte* data; std::size_t samples; };
  Span readable() const noexcept;           ///< contiguous part, may end at the ring's end
  void consume(std::size_t samples) noexcept;
  /// When the sample with this index arrived (index < written()); forgets commits of earlier samples.
  std::int64_t arrival_ns(std::uint64_t sample) noexcept;
  // ... private members are the implementer's
};

}  // namespace cosyvoice
