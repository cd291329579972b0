#include "frontend/audio_ring.h"

#include <cstring>
#include <string>

#include "cosyvoice/engine.h"

namespace cosyvoice {

std::size_t AudioRing::bytes_needed(std::size_t ring_bytes) {
  return ring_bytes + kCommits * sizeof(Commit);
}

AudioRing::AudioRing(std::byte* memory, std::size_t ring_bytes)
    : bytes_(memory), commits_(reinterpret_cast<Commit*>(memory + ring_bytes)), ring_bytes_(ring_bytes) {
  if (!is_power_of_two(ring_bytes) || ring_bytes < kCacheLine) {
    throw Error(ErrorCode::kInvalidArgument, "audio ring of " + std::to_string(ring_bytes) +
                                                 " bytes: must be a power of two, 64 or more; the next is " +
                                                 std::to_string(next_power_of_two(ring_bytes)));
  }
  open(1);
}

void AudioRing::open(std::uint32_t bytes_per_sample) noexcept {
  bytes_per_sample_ = bytes_per_sample;
  capacity_ = ring_bytes_ / bytes_per_sample;
  written_.store(0, std::memory_order_relaxed);
  read_.store(0, std::memory_order_relaxed);
  commit_tail_.store(0, std::memory_order_relaxed);
  commit_head_.store(0, std::memory_order_relaxed);
  last_write_ns_.store(0, std::memory_order_relaxed);
}

std::size_t AudioRing::writable_samples() const noexcept {
  // Acquire: the consumer's reads of the bytes it freed come before our writes over them.
  const std::uint64_t freed = read_.load(std::memory_order_acquire);
  return capacity_ - static_cast<std::size_t>(written_.load(std::memory_order_relaxed) - freed);
}

void AudioRing::write(const void* samples, std::size_t count, std::int64_t now_ns) noexcept {
  const auto* source = static_cast<const std::byte*>(samples);
  write_with(
      [this, source](std::byte* dst, std::size_t first, std::size_t n) {
        std::memcpy(dst, source + first * bytes_per_sample_, n * bytes_per_sample_);
      },
      count, now_ns);
}

void AudioRing::publish(std::size_t count, std::int64_t now_ns) noexcept {
  if (count == 0) return;
  const std::uint64_t end = written_.load(std::memory_order_relaxed) + count;
  const std::uint64_t tail = commit_tail_.load(std::memory_order_relaxed);
  if (tail - commit_head_.load(std::memory_order_acquire) < kCommits) {
    commits_[tail % kCommits] = {end, now_ns};
    commit_tail_.store(tail + 1, std::memory_order_release);
  }  // else the next commit that fits covers these samples too, and until it comes last_write_ns_ does
  last_write_ns_.store(now_ns, std::memory_order_relaxed);
  // Last, and release: whoever sees the samples sees their bytes, their commit and the time.
  written_.store(end, std::memory_order_release);
}

std::uint64_t AudioRing::written() const noexcept {
  return written_.load(std::memory_order_acquire);
}

std::uint64_t AudioRing::read() const noexcept {
  return read_.load(std::memory_order_acquire);
}

AudioRing::Span AudioRing::readable() const noexcept {
  const std::uint64_t first = read_.load(std::memory_order_relaxed);
  const auto waiting = static_cast<std::size_t>(written_.load(std::memory_order_acquire) - first);
  const std::size_t place = static_cast<std::size_t>(first) & (capacity_ - 1);
  const std::size_t before_end = capacity_ - place;
  return {bytes_ + place * bytes_per_sample_, waiting < before_end ? waiting : before_end};
}

void AudioRing::consume(std::size_t samples) noexcept {
  // Release: our reads of these bytes come before the producer's writes over them.
  read_.store(read_.load(std::memory_order_relaxed) + samples, std::memory_order_release);
}

std::int64_t AudioRing::arrival_ns(std::uint64_t sample) noexcept {
  std::uint64_t head = commit_head_.load(std::memory_order_relaxed);
  // The commit of a visible sample was pushed before the sample became visible, or left out because the ring was full.
  const std::uint64_t tail = commit_tail_.load(std::memory_order_acquire);
  while (head != tail && commits_[head % kCommits].end <= sample) ++head;
  const std::int64_t ns = head != tail ? commits_[head % kCommits].ns : last_write_ns_.load(std::memory_order_relaxed);
  // Release: our reads of the commits come before the producer's writes over them.
  commit_head_.store(head, std::memory_order_release);
  return ns;
}

}  // namespace cosyvoice
