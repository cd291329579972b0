#include "frontend/feature_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "configurations.h"
#include "frontend/feature_extractor.h"
#include "frontend/pcm_decoder.h"

using namespace cosyvoice;
using namespace cosyvoice::test;

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
using Rows = std::vector<std::vector<float>>;

/// One session as the Front-End keeps it: ring, stream and the memory of both.
class Session {
 public:
  Session(const FeatureOptions& features, std::uint32_t rate, std::size_t capacity, std::size_t ring_bytes = 1U << 16U)
      : memory_(lines(AudioRing::bytes_needed(ring_bytes)) +
                lines(FeatureStream::bytes_needed(capacity * features.dim() * 4))),
        ring(at(0), ring_bytes),
        stream(at(lines(AudioRing::bytes_needed(ring_bytes))), capacity * features.dim() * 4),
        dim_(features.dim()) {
    ring.open(2);
    stream.open(features, rate, Encoding::kS16le, capacity);
  }

  std::size_t feed(const std::vector<std::int16_t>& audio, std::size_t first, std::size_t most) {
    const std::size_t count = std::min({most, audio.size() - first, ring.writable_samples()});
    ring.write(audio.data() + first, count, 1);
    return count;
  }

  /// Takes complete rows, `keep` of them staying, and makes room.
  void collect(std::size_t keep = 0) {
    for (; seen_ < stream.end(); ++seen_) {
      const float* row = stream.features(seen_);
      rows.emplace_back(row, row + dim_);
    }
    if (stream.end() > keep) stream.release_before(stream.end() - keep);
    stream.compact();
  }

  void restart() {
    stream.restart();
    rows.clear();
    seen_ = 0;
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  static std::size_t lines(std::size_t bytes) { return (bytes + 63) / 64; }
  std::byte* at(std::size_t line) { return reinterpret_cast<std::byte*>(memory_.data() + line); }
  std::vector<Line> memory_;

 public:
  AudioRing ring;
  FeatureStream stream;
  Rows rows;

 private:
  std::size_t dim_;
  std::uint64_t seen_ = 0;
};

void run(FeatureExtractor& extractor, Session& session) {
  FeatureStream* stream = &session.stream;
  extractor.run(&stream, 1);
}

/// All of `audio` and then silence up to the frames that cover it, in the plainest order of calls.
Rows features_of(const FeatureOptions& options, std::uint32_t rate, const std::vector<std::int16_t>& audio) {
  FeatureExtractor extractor(options);
  Session session(options, rate, 64);
  for (std::size_t fed = 0; fed < audio.size() || session.ring.readable().samples > 0;) {
    fed += session.feed(audio, fed, 5000);
    session.stream.read_from(session.ring, kNoLimit);
    run(extractor, session);
    session.collect();
  }
  const std::uint64_t frames = session.stream.frames_covering(audio.size());
  while (session.stream.end() < frames) {
    session.stream.pad_to(frames);
    run(extractor, session);
    session.collect();
  }
  CHECK(session.stream.end() == frames);
  return session.rows;
}

FeatureOptions stacked(std::uint32_t frames, std::uint32_t stride) {
  FeatureOptions options = en_lite_features();
  options.stack_frames = frames;
  options.stack_stride = stride;
  return options;
}

struct Case {
  const char* name;
  FeatureOptions options;
  std::uint32_t rate;
};

std::vector<Case> cases() {
  return {{"en 16 kHz", en_features(), 16000},           {"en 8 kHz", en_features(), 8000},
          {"en 44.1 kHz", en_features(), 44100},         {"en-lite 48 kHz", en_lite_features(), 48000},
          {"en-lite 16 kHz", en_lite_features(), 16000}, {"stack 4/2", stacked(4, 2), 8000},
          {"stack 7/6", stacked(7, 6), 16000},           {"stack 2/5", stacked(2, 5), 44100}};
}

std::vector<std::int16_t> speech(std::uint32_t rate, double seconds, std::uint32_t seed = 1) {
  return to_s16(speech_like(static_cast<std::size_t>(rate * seconds), rate, seed));
}

}  // namespace

TEST_CASE("rows are the definition's: framing, edges and stacking at the model's rate") {
  for (const FeatureOptions& options :
       {en_features(), en_lite_features(), stacked(4, 2), stacked(7, 6), stacked(3, 1), stacked(2, 5)}) {
    const std::vector<std::int16_t> audio = speech(16000, 0.7);
    const Rows rows = features_of(options, 16000, audio);
    const auto window = static_cast<std::ptrdiff_t>(options.window_samples());
    const auto hop = static_cast<std::ptrdiff_t>(options.hop_samples());
    const std::ptrdiff_t lead = options.edges == Edges::kCentred ? window / 2 : 0;
    REQUIRE(rows.size() > 2);
    double worst = 0.0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t part = 0; part < options.stack_frames; ++part) {
        const auto mel = static_cast<std::ptrdiff_t>(k * options.stack_stride + part);
        std::vector<float> frame(static_cast<std::size_t>(window), 0.0F), expected(options.mel.bins);
        for (std::ptrdiff_t i = 0; i < window; ++i) {
          const std::ptrdiff_t at = mel * hop - lead + i;
          if (at >= 0 && at < static_cast<std::ptrdiff_t>(audio.size())) {
            frame[static_cast<std::size_t>(i)] = static_cast<float>(audio[static_cast<std::size_t>(at)]) / 32768.0F;
          }
        }
        log_mel_reference(options, frame.data(), expected.data());
        for (std::size_t bin = 0; bin < expected.size(); ++bin) {
          worst = std::max(worst, std::abs(double{rows[k][part * expected.size() + bin]} - expected[bin]));
        }
      }
    }
    CHECK(worst <= 1e-4);
  }
}

TEST_CASE("any packet sizes and any order of calls give the same rows, bit for bit") {
  for (const Case& item : cases()) {
    CAPTURE(std::string(item.name));
    const std::vector<std::int16_t> audio = speech(item.rate, 1.5);
    const Rows expected = features_of(item.options, item.rate, audio);
    FeatureExtractor extractor(item.options);
    std::mt19937 random(7);
    for (const std::size_t packet : {1U, 160U, 3000U}) {
      Session session(item.options, item.rate, 20, 1U << 13U);
      std::size_t fed = 0;
      for (int idle = 0; idle < 200;) {
        const std::uint64_t before = session.stream.samples_read() + session.stream.end() + fed;
        switch (random() % 4) {
          case 0:
            for (int burst = packet == 1 ? 100 : 1; burst-- > 0;)
              fed += session.feed(audio, fed, 1 + random() % packet);
            break;
          case 1:
            session.stream.read_from(session.ring, session.ring.read() + random() % 2000);
            break;
          case 2:
            run(extractor, session);
            break;
          default:
            session.collect(random() % 10);
        }
        idle =
            session.stream.samples_read() + session.stream.end() + fed == before && fed == audio.size() ? idle + 1 : 0;
      }
      CHECK(session.stream.samples_read() == audio.size());
      const std::uint64_t frames = session.stream.frames_covering(audio.size());
      while (session.stream.end() < frames) {
        session.stream.pad_to(session.stream.end() + 1 + random() % (frames - session.stream.end()));
        run(extractor, session);
        session.collect();
      }
      REQUIRE(session.rows.size() >= frames);
      session.rows.resize(frames);
      CHECK(session.rows == expected);
    }
  }
}

TEST_CASE("a frame is complete exactly when samples_needed have come") {
  for (const Case& item : cases()) {
    CAPTURE(std::string(item.name));
    const std::vector<std::int16_t> audio = speech(item.rate, 1.0);
    FeatureExtractor extractor(item.options);
    Session session(item.options, item.rate, 64);
    std::size_t fed = 0;
    for (std::uint64_t frame = 0; frame < 5; ++frame) {
      const std::uint64_t needed = session.stream.samples_needed(frame);
      if (needed > fed) fed += session.feed(audio, fed, needed - 1 - fed);
      session.stream.read_from(session.ring, kNoLimit);
      run(extractor, session);
      CHECK(session.stream.end() == frame);
      fed += session.feed(audio, fed, 1);
      session.stream.read_from(session.ring, kNoLimit);
      run(extractor, session);
      CHECK(session.stream.end() == frame + 1);
    }
  }
}

TEST_CASE("frames_covering by hand") {
  Session en(en_features(), 16000, 8);  // centred, 160 samples a hop
  CHECK(en.stream.frames_covering(0) == 0);
  CHECK(en.stream.frames_covering(1) == 1);
  CHECK(en.stream.frames_covering(160) == 1);
  CHECK(en.stream.frames_covering(161) == 2);
  CHECK(en.stream.frames_covering(16000) == 100);
  CHECK(en.stream.samples_needed(0) == 200);
  CHECK(en.stream.samples_needed(3) == 680);
  Session lite(en_lite_features(), 16000, 8);  // snip, 512 samples every 256
  CHECK(lite.stream.frames_covering(1) == 1);
  CHECK(lite.stream.frames_covering(512) == 1);
  CHECK(lite.stream.frames_covering(513) == 2);
  CHECK(lite.stream.frames_covering(768) == 2);
  CHECK(lite.stream.samples_needed(0) == 512);
  CHECK(lite.stream.samples_needed(1) == 768);
  const FeatureOptions four_two = stacked(4, 2);
  Session stack(four_two, 16000, 8);  // frame k: mel frames 2k … 2k + 3, so up to sample (2k + 3) · 256 + 512
  CHECK(stack.stream.frames_covering(1) == 1);
  CHECK(stack.stream.frames_covering(1280) == 1);
  CHECK(stack.stream.frames_covering(1281) == 2);
  CHECK(stack.stream.frames_covering(1792) == 2);
  CHECK(stack.stream.frames_covering(1793) == 3);
  CHECK(stack.stream.samples_needed(1) == 1792);
  Session telephone(en_lite_features(), 8000, 8);
  CHECK(telephone.stream.frames_covering(256) == 1);
  CHECK(telephone.stream.frames_covering(257) == 2);
}

TEST_CASE("the limit is never passed, and reading goes on from there") {
  const FeatureOptions options = en_features();
  for (const std::uint32_t rate : {16000U, 44100U}) {
    Session session(options, rate, 64);
    const std::vector<std::int16_t> audio = speech(rate, 0.2);
    session.feed(audio, 0, 3000);
    CHECK(session.stream.read_from(session.ring, 0) == 0);
    CHECK(session.stream.read_from(session.ring, 1234) == 1234);
    CHECK(session.stream.read_from(session.ring, 1234) == 0);
    CHECK(session.stream.read_from(session.ring, 1000) == 0);
    CHECK(session.ring.read() == 1234);
    session.stream.restart();
    CHECK(session.stream.samples_read() == 0);
    CHECK(session.stream.read_from(session.ring, 2000) == 766);  // the limit counts from the session's start
    CHECK(session.stream.samples_read() == 766);
  }
}

TEST_CASE("restart in mid-stream equals a fresh stream") {
  for (const Case& item : cases()) {
    CAPTURE(std::string(item.name));
    const std::vector<std::int16_t> audio = speech(item.rate, 0.8);
    const std::size_t cut = item.rate / 3;
    const std::vector<std::int16_t> tail(audio.begin() + static_cast<std::ptrdiff_t>(cut), audio.end());
    FeatureExtractor extractor(item.options);
    Session session(item.options, item.rate, 64, 1U << 18U);
    session.feed(audio, 0, audio.size());
    session.stream.read_from(session.ring, cut);
    run(extractor, session);
    session.collect(3);
    session.stream.read_from(session.ring, cut);
    session.stream.pad_to(session.stream.end() + 2);
    session.restart();
    while (session.stream.samples_read() < tail.size()) {
      session.stream.read_from(session.ring, kNoLimit);
      run(extractor, session);
      session.collect();
    }
    const std::uint64_t frames = session.stream.frames_covering(tail.size());
    while (session.stream.end() < frames) {
      session.stream.pad_to(frames);
      run(extractor, session);
      session.collect();
    }
    CHECK(session.rows == features_of(item.options, item.rate, tail));
  }
}

TEST_CASE("a full row buffer holds exactly its capacity, stops the reader and loses nothing") {
  for (const Case& item : cases()) {
    CAPTURE(std::string(item.name));
    constexpr std::size_t kCapacity = 6;
    const std::vector<std::int16_t> audio = speech(item.rate, 4.0);
    const Rows expected = features_of(item.options, item.rate, audio);
    FeatureExtractor extractor(item.options);
    Session session(item.options, item.rate, kCapacity, 1U << 19U);
    session.feed(audio, 0, audio.size());
    const auto fill = [&] {
      do {
        run(extractor, session);
      } while (session.stream.read_from(session.ring, kNoLimit) > 0);
    };
    std::uint64_t begin = 0;
    for (; begin + kCapacity < expected.size() - 8; begin += 2) {
      fill();
      REQUIRE(session.stream.end() == begin + kCapacity);
      CHECK(session.stream.begin() == begin);
      const float* block = session.stream.features(begin);  // contiguous
      bool same = true;
      for (std::size_t k = 0; k < kCapacity; ++k) {
        const std::vector<float>& row = expected[begin + k];
        same = same && std::equal(row.begin(), row.end(), block + k * row.size());
      }
      CHECK(same);
      session.stream.release_before(begin + 2);
      CHECK(session.stream.pending() == 0);  // room comes with compact()
      session.stream.compact();
    }
    CHECK(begin > 4);
  }
}

TEST_CASE("streams that share an extractor's lanes get what each gets alone") {
  const FeatureOptions options = en_features();
  const std::uint32_t rates[] = {16000, 8000, 44100};
  std::vector<std::vector<std::int16_t>> audio;
  std::vector<Rows> expected;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<FeatureStream*> streams;
  for (std::uint32_t i = 0; i < 3; ++i) {
    audio.push_back(speech(rates[i], 1.0, i + 1));
    expected.push_back(features_of(options, rates[i], audio.back()));
    sessions.push_back(std::make_unique<Session>(options, rates[i], 64));
    streams.push_back(&sessions.back()->stream);
  }
  FeatureExtractor extractor(options);
  std::mt19937 random(11);
  std::size_t fed[3] = {};
  for (bool open = true; open;) {
    open = false;
    for (std::size_t i = 0; i < 3; ++i) {
      fed[i] += sessions[i]->feed(audio[i], fed[i], 1 + random() % 2500);
      sessions[i]->stream.read_from(sessions[i]->ring, kNoLimit);
      if (sessions[i]->stream.samples_read() == audio[i].size()) {
        sessions[i]->stream.pad_to(sessions[i]->stream.frames_covering(audio[i].size()));
      } else {
        open = true;
      }
    }
    extractor.run(streams.data(), streams.size());
    for (const auto& session : sessions) session->collect();
  }
  for (std::size_t i = 0; i < 3; ++i) {
    sessions[i]->stream.pad_to(expected[i].size());
  }
  extractor.run(streams.data(), streams.size());
  for (std::size_t i = 0; i < 3; ++i) {
    sessions[i]->collect();
    CHECK(sessions[i]->rows == expected[i]);
  }
}

TEST_CASE("the last sample reaches a row after padding, at every rate") {
  const FeatureOptions options = en_features();
  for (const std::uint32_t rate : {8000U, 16000U, 44100U, 48000U}) {
    CAPTURE(rate);
    std::vector<std::int16_t> quiet(rate / 2, 0), click = quiet;
    click.back() = 30000;
    const Rows without = features_of(options, rate, quiet), with = features_of(options, rate, click);
    REQUIRE(with.size() == without.size());
    CHECK(with.back() != without.back());
  }
}

TEST_CASE("a buffer that is too small is refused with both numbers") {
  const FeatureOptions options = en_features();
  std::vector<std::max_align_t> memory(FeatureStream::bytes_needed(320 * 4) / sizeof(std::max_align_t) + 1);
  FeatureStream stream(reinterpret_cast<std::byte*>(memory.data()), 320 * 4);
  CHECK_NOTHROW(stream.open(options, 16000, Encoding::kS16le, 4));
  CHECK_THROWS_WITH_AS(stream.open(options, 16000, Encoding::kS16le, 5), doctest::Contains("1600"), Error);
  CHECK_THROWS_AS(stream.open(options, 4000, Encoding::kS16le, 4), Error);
  CHECK_THROWS_AS(stream.open(options, 16000, Encoding::kS16le, 0), Error);
}
