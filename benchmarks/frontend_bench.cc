// What the Front-End costs: microseconds a frame by variant of the kernels and by lanes in use, and the whole way from
// a session's 16-bit samples to rows, at several rates, as streams a core could carry in real time. One thread.
// Prints one JSON object a line, with the processor's name.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bundle/manifest.h"
#include "frontend/feature_extractor.h"
#include "frontend/lane_choice.h"

using namespace cosyvoice;

namespace {

constexpr std::size_t kHeldSamples = 1U << 16U;

/// The configuration of an embedded network.
FeatureOptions features_of(const std::string& bundle) {
  return load_manifest(COSYVOICE_SOURCE_DIR "/python/cosyvoice/models/" + bundle).features;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

template <class Work>
double seconds_of(const Work& work) {
  double best = 1e9;  // the best of five: other programs only ever make it slower
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void bench_kernels(const char* name, const FeatureOptions& options) {
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0.0F, 0.1F);
  std::vector<float> samples(kHeldSamples), rows(LogMel::kLanes * options.mel.bins);
  for (float& sample : samples) sample = noise(random);
  LogMel log_mel(options);
  const LaneKernelList list = available_lane_kernels();
  for (std::size_t v = 0; v < list.count; ++v) {
    for (const std::size_t lanes : {std::size_t{1}, std::size_t{4}, LogMel::kLanes}) {
      constexpr std::size_t kCalls = 2000;
      const double seconds = seconds_of([&] {
        const float* frames[LogMel::kLanes];
        float* outputs[LogMel::kLanes];
        for (std::size_t call = 0; call < kCalls; ++call) {
          for (std::size_t i = 0; i < lanes; ++i) {
            frames[i] = samples.data() + ((call * lanes + i) * options.hop_samples()) % (samples.size() - 512);
            outputs[i] = rows.data() + i * options.mel.bins;
          }
          log_mel.compute_with(*list.items[v], frames, lanes, outputs);
        }
      });
      std::printf(
          "{\"bench\": \"log_mel\", \"features\": \"%s\", \"kernels\": \"%s\", \"lanes\": %zu, \"us_per_frame\": "
          "%.3f}\n",
          name, list.items[v]->name, lanes, 1e6 * seconds / static_cast<double>(kCalls * lanes));
    }
  }
}

struct Session {
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  static constexpr std::size_t kRing = 1U << 16U, kRows = 64;
  Session(const FeatureOptions& options, std::uint32_t rate)
      : ring_memory(AudioRing::bytes_needed(kRing) / 64 + 1),
        stream_memory(FeatureStream::bytes_needed(kRows * options.dim() * 4) / 64 + 1),
        ring(reinterpret_cast<std::byte*>(ring_memory.data()), kRing),
        stream(reinterpret_cast<std::byte*>(stream_memory.data()), kRows * options.dim() * 4) {
    ring.open(2);
    stream.open(options, rate, Encoding::kS16le, kRows);
  }
  std::vector<Line> ring_memory, stream_memory;
  AudioRing ring;
  FeatureStream stream;
};

/// `count` sessions are fed packets of 64 ms in turn; every packet of all is followed by one pass of the extractor.
void bench_streams(const char* name, const FeatureOptions& options, std::uint32_t rate, std::size_t count) {
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<FeatureStream*> streams;
  for (std::size_t i = 0; i < count; ++i) {
    sessions.push_back(std::make_unique<Session>(options, rate));
    streams.push_back(&sessions.back()->stream);
  }
  std::mt19937 random(2);
  std::vector<std::int16_t> packet(rate * 64 / 1000);
  for (std::int16_t& sample : packet) sample = static_cast<std::int16_t>(static_cast<int>(random() % 8192) - 4096);
  FeatureExtractor extractor(options);
  constexpr std::size_t kPackets = 50;
  const double seconds = seconds_of([&] {
    for (std::size_t p = 0; p < kPackets; ++p) {
      for (const auto& session : sessions) {
        session->ring.write(packet.data(), packet.size(), 0);
        session->stream.read_from(session->ring, UINT64_MAX);
      }
      extractor.run(streams.data(), streams.size());
      for (const auto& session : sessions) {
        session->stream.release_before(session->stream.end());
        session->stream.compact();
      }
    }
  });
  const double audio = 0.064 * static_cast<double>(kPackets * count);
  std::printf(
      "{\"bench\": \"frontend\", \"features\": \"%s\", \"rate\": %u, \"sessions\": %zu, \"us_per_audio_second\": %.1f, "
      "\"streams_per_core\": %.0f}\n",
      name, rate, count, 1e6 * seconds / audio, audio / seconds);
}

}  // namespace

int main() {
  std::printf("{\"bench\": \"machine\", \"cpu\": \"%s\", \"kernels\": \"%s\"}\n", processor().c_str(),
              lane_kernels().name);
  bench_kernels("en", features_of("en"));
  bench_kernels("en-lite", features_of("en-lite"));
  for (const std::uint32_t rate : {16000U, 8000U, 44100U, 48000U}) {
    for (const std::size_t sessions : {1U, 64U}) {
      bench_streams("en", features_of("en"), rate, sessions);
      bench_streams("en-lite", features_of("en-lite"), rate, sessions);
    }
  }
  return 0;
}
