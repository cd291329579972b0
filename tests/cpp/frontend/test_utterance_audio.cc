// The audio that is kept for a second pass: which samples are there, and at which time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cosyvoice/engine.h"
#include "frontend/utterance_audio.h"
#include "runtime/slab.h"

using namespace cosyvoice;

namespace {

constexpr std::int32_t kMaxUtteranceMs = 1000;

/// Sample i is i mod 10007, so that each stretch says where it is from.
constexpr std::uint64_t kPeriod = 10007;

class Kept {
 public:
  explicit Kept(std::uint32_t rate = UtteranceAudio::kRate)
      : memory_(UtteranceAudio::bytes_needed(kMaxUtteranceMs), "a test's audio"),
        audio(memory_.data(), memory_.size()) {
    audio.open(rate);
  }
  void append(std::size_t count) {
    std::vector<float> samples;
    for (std::size_t i = 0; i < count; ++i) samples.push_back(static_cast<float>(next_++ % kPeriod) / 32768.0F);
    for (std::size_t i = 0; i < count; i += Resampler::kMaxInput) {
      audio.append(samples.data() + i, std::min(Resampler::kMaxInput, count - i));
    }
  }
  void skip(std::size_t count) {
    next_ += count;
    audio.skip_to(next_);
  }
  /// The stretch is there, whole, and holds what it should.
  bool holds(std::int64_t begin_ms, std::int64_t end_ms) const {
    const UtteranceAudio::Span span = audio.between(begin_ms, end_ms);
    if (span.samples == nullptr || span.count != static_cast<std::size_t>(end_ms - begin_ms) * 16) return false;
    for (std::size_t i = 0; i < span.count; ++i) {
      const std::uint64_t at = static_cast<std::uint64_t>(begin_ms) * 16 + i;
      if (span.samples[i] != static_cast<std::int16_t>(at % kPeriod)) return false;
    }
    return true;
  }

 private:
  Slab memory_;
  std::uint64_t next_ = 0;

 public:
  UtteranceAudio audio;
};

}  // namespace

TEST_CASE("what was kept is there with its time, what was forgotten is not") {
  Kept kept;
  kept.append(16000);
  CHECK(kept.holds(0, 1000));
  CHECK(kept.holds(123, 457));
  CHECK(kept.audio.between(900, 2000).count == 1600);  // as far as there is any
  kept.audio.forget_before(600);
  CHECK(kept.audio.between(599, 700).samples == nullptr);
  CHECK(kept.holds(600, 1000));
  kept.audio.forget_before(300);  // again: nothing comes back
  CHECK(kept.holds(600, 1000));
  kept.append(1600);
  CHECK(kept.holds(600, 1100));
}

TEST_CASE("hours of audio pass through, whatever is forgotten when") {
  Kept kept;
  std::mt19937 random(7);
  std::int64_t written_ms = 0, from_ms = 0;
  for (int i = 0; i < 3000; ++i) {
    const int ms = 1 + static_cast<int>(random() % 2000);
    kept.append(static_cast<std::size_t>(ms) * 16);
    written_ms += ms;
    if (random() % 3 != 0 || written_ms - from_ms > 15000) {
      from_ms = std::max(from_ms, written_ms - static_cast<std::int64_t>(random() % 3000));
      kept.audio.forget_before(from_ms);
    }
    if (i % 50 == 0) REQUIRE(kept.holds(from_ms, written_ms));
  }
}

TEST_CASE("where nothing is forgotten the oldest goes, and the rest keeps its time") {
  Kept kept;
  kept.append(16000 * 60);
  CHECK(kept.audio.between(0, 100).samples == nullptr);
  CHECK(kept.holds(50000, 60000));
}

TEST_CASE("discarded audio leaves a gap") {
  Kept kept;
  kept.append(8000);
  kept.skip(16000);
  kept.append(8000);
  CHECK(kept.audio.between(400, 500).samples == nullptr);
  CHECK(kept.audio.between(1400, 1600).samples == nullptr);
  CHECK(kept.holds(1500, 2000));
}

TEST_CASE("other rates come out at 16 kHz, at the same time") {
  for (const std::uint32_t rate : {8000U, 11025U, 48000U}) {
    CAPTURE(rate);
    Kept kept(rate);
    std::vector<float> tone(rate);
    for (std::size_t i = rate / 2; i < tone.size(); ++i) {
      tone[i] = 0.5F * static_cast<float>(std::sin(0.2 * static_cast<double>(i)));
    }
    for (std::size_t i = 0; i < tone.size(); i += 500)
      kept.audio.append(&tone[i], std::min<std::size_t>(500, rate - i));
    const UtteranceAudio::Span span = kept.audio.between(0, 990);
    REQUIRE(span.count == 990 * 16);
    std::size_t first = 0;
    while (first < span.count && std::abs(span.samples[first]) < 3000) ++first;
    CHECK(static_cast<double>(first) / 16.0 == doctest::Approx(500.0).epsilon(0.01));
  }
}

TEST_CASE("without memory nothing is kept") {
  UtteranceAudio none(nullptr, 0);
  CHECK_FALSE(none.enabled());
  none.open(8000);
  const float samples[10] = {};
  none.append(samples, 10);
  none.forget_before(1);
  none.skip_to(20);
  CHECK(none.between(0, 1).samples == nullptr);
}
