#include "frontend/audio_ring.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "cosyvoice/engine.h"

using cosyvoice::AudioRing;

namespace {

struct Ring {
  explicit Ring(std::size_t bytes, std::uint32_t bytes_per_sample = 2)
      : memory(AudioRing::bytes_needed(bytes) / 64 + 1), ring(reinterpret_cast<std::byte*>(memory.data()), bytes) {
    ring.open(bytes_per_sample);
  }
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> memory;
  AudioRing ring;
};

std::vector<std::int16_t> ramp(int first, int count) {
  std::vector<std::int16_t> samples;
  for (int i = 0; i < count; ++i) samples.push_back(static_cast<std::int16_t>(first + i));
  return samples;
}

std::vector<std::int16_t> take(AudioRing& ring, std::size_t most) {
  const AudioRing::Span span = ring.readable();
  std::vector<std::int16_t> samples(std::min(most, span.samples));
  if (!samples.empty()) std::memcpy(samples.data(), span.data, samples.size() * 2);
  ring.consume(samples.size());
  return samples;
}

}  // namespace

TEST_CASE("a ring of 64 bytes holds 32 samples of 16 bits and gives them back in order") {
  Ring holder(64);
  AudioRing& ring = holder.ring;
  CHECK(ring.capacity_samples() == 32);
  CHECK(ring.writable_samples() == 32);
  ring.write(ramp(100, 20).data(), 20, 1);
  CHECK(ring.written() == 20);
  CHECK(ring.writable_samples() == 12);
  CHECK(take(ring, 15) == ramp(100, 15));
  CHECK(ring.read() == 15);
  CHECK(ring.writable_samples() == 27);
  ring.write(ramp(120, 27).data(), 27, 2);  // 12 up to the ring's end, 15 from its start
  CHECK(ring.writable_samples() == 0);
  CHECK(ring.readable().samples == 17);
  CHECK(take(ring, 99) == ramp(115, 17));
  CHECK(take(ring, 99) == ramp(132, 15));
  CHECK(ring.readable().samples == 0);
  CHECK(ring.read() == ring.written());
}

TEST_CASE("a converter is called once for each side of the ring's end") {
  Ring holder(64);
  AudioRing& ring = holder.ring;
  ring.write(ramp(0, 30).data(), 30, 1);
  ring.consume(30);
  std::vector<std::size_t> calls;
  const auto convert = [&](std::byte* dst, std::size_t first, std::size_t n) {
    calls.push_back(first);
    calls.push_back(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = static_cast<std::int16_t>(500 + first + i);
      std::memcpy(dst + 2 * i, &value, 2);
    }
  };
  ring.write_with(convert, 5, 2);
  CHECK(calls == std::vector<std::size_t>{0, 2, 2, 3});
  CHECK(take(ring, 99) == ramp(500, 2));
  CHECK(take(ring, 99) == ramp(502, 3));
}

TEST_CASE("a sample's arrival is the time of the write that brought it") {
  Ring holder(1024);
  AudioRing& ring = holder.ring;
  ring.write(ramp(0, 10).data(), 10, 1000);
  ring.write(ramp(10, 5).data(), 5, 2000);
  ring.write(ramp(15, 1).data(), 1, 3000);
  CHECK(ring.arrival_ns(0) == 1000);
  CHECK(ring.arrival_ns(9) == 1000);
  CHECK(ring.arrival_ns(10) == 2000);
  CHECK(ring.arrival_ns(14) == 2000);
  CHECK(ring.arrival_ns(15) == 3000);
  CHECK(ring.arrival_ns(15) == 3000);
}

TEST_CASE("with more writes than commits a sample's arrival is late, never early") {
  Ring holder(4096);
  AudioRing& ring = holder.ring;
  for (int i = 0; i < 600; ++i) ring.write(ramp(i, 1).data(), 1, 10 + i);
  CHECK(ring.arrival_ns(0) == 10);
  CHECK(ring.arrival_ns(511) == 10 + 511);
  CHECK(ring.arrival_ns(512) == 10 + 599);  // not committed: the last write's time
  ring.write(ramp(600, 1).data(), 1, 10 + 600);
  CHECK(ring.arrival_ns(513) == 10 + 600);  // merged into the next commit
  CHECK(ring.arrival_ns(600) == 10 + 600);
}

TEST_CASE("opening again empties the ring and takes the new sample size") {
  Ring holder(64);
  AudioRing& ring = holder.ring;
  ring.write(ramp(0, 20).data(), 20, 5);
  ring.open(4);
  CHECK(ring.capacity_samples() == 16);
  CHECK(ring.writable_samples() == 16);
  CHECK(ring.written() == 0);
  CHECK(ring.readable().samples == 0);
  const float value = 0.5F;
  ring.write(&value, 1, 77);
  CHECK(ring.arrival_ns(0) == 77);
}

TEST_CASE("a ring whose size is no power of two is refused") {
  std::vector<std::byte> memory(8192);
  CHECK_THROWS_AS(AudioRing(memory.data(), 100), cosyvoice::Error);
  CHECK_THROWS_AS(AudioRing(memory.data(), 32), cosyvoice::Error);
}

TEST_CASE("two threads with packets of random size: every sample once, in order, with its time") {
  // Sample i holds a hash of i, and every write's time is the index after it, so that arrivals can be checked: the true
  // arrival of sample i is the smallest write end above i.
  constexpr std::uint64_t kSamples = 400000;
  const auto value_of = [](std::uint64_t i) { return static_cast<std::uint32_t>(i * 2654435761U >> 7U); };
  for (const std::size_t bytes : {256U, 65536U}) {
    Ring holder(bytes, 4);
    AudioRing& ring = holder.ring;
    std::thread producer([&] {
      std::mt19937 random(1);
      std::vector<std::uint32_t> packet;
      for (std::uint64_t next = 0; next < kSamples;) {
        const std::size_t most = std::min<std::uint64_t>({ring.capacity_samples(), 400, kSamples - next});
        const std::size_t count = 1 + random() % most;
        while (ring.writable_samples() < count) std::this_thread::yield();
        packet.clear();
        for (std::size_t i = 0; i < count; ++i) packet.push_back(value_of(next + i));
        next += count;
        ring.write(packet.data(), count, static_cast<std::int64_t>(next));
      }
    });
    std::mt19937 random(2);
    std::uint64_t next = 0, wrong = 0, early = 0;
    while (next < kSamples) {
      const AudioRing::Span span = ring.readable();
      if (span.samples == 0) {
        std::this_thread::yield();
        continue;
      }
      const std::size_t count = 1 + random() % span.samples;
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t value;
        std::memcpy(&value, span.data + 4 * i, 4);
        wrong += value != value_of(next + i) ? 1 : 0;
      }
      if (random() % 2 == 0)
        early += ring.arrival_ns(next + count - 1) < static_cast<std::int64_t>(next + count) ? 1 : 0;
      ring.consume(count);
      next += count;
    }
    producer.join();
    CHECK(wrong == 0);
    CHECK(early == 0);
    CHECK(ring.read() == kSamples);
    CHECK(ring.writable_samples() == ring.capacity_samples());
  }
}
