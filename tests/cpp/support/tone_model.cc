#include "support/tone_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace cosyvoice::testing {
namespace {

constexpr std::uint32_t kBins = 40;
constexpr std::uint32_t kFramesPerOutput = 4;
constexpr float kQuiet = 2.0F;  // ln of the power under which a frame is silence
constexpr double kPi = 3.14159265358979323846;

/// What the model remembers of a session: where it is, and the answers it has not given yet, oldest first.
struct ToneState {
  std::int64_t position = 0;
  std::array<std::uint32_t, kMostLate> pending{};
};

/// In the middle of the band's mel bins, and below 4 kHz so that 8 kHz audio has them all.
double tone_hz(std::uint32_t which) {
  return 350.0 * std::pow(1.35, which);
}

class ToneEncoder final : public Encoder {
 public:
  ToneEncoder(const Manifest& manifest, std::vector<ToneState>& states, std::shared_ptr<ToneFaults> faults)
      : manifest_(manifest), states_(states), faults_(std::move(faults)) {}

  void run(const FeatureChunk* const* chunks, std::size_t count, EncoderOutput* outputs) noexcept override {
    for (std::size_t i = 0; i < count; ++i) outputs[i] = run_one(*chunks[i]);
  }

 private:
  EncoderOutput run_one(const FeatureChunk& chunk) noexcept {
    ToneState& state = states_[chunk.slot];
    if (chunk.fresh) state = ToneState{};
    if (chunk.position != state.position) faults_->contract_violations++;
    state.position = chunk.position + chunk.frames;
    const float checksum = sum(chunk);

    EncoderOutput output;
    output.slot = chunk.slot;
    output.frames = chunk.frames / kFramesPerOutput;
    output.dim = kTones + 1;
    output.data = chunk.log_probs;
    for (std::uint32_t frame = 0; frame < output.frames; ++frame) {
      const std::uint32_t token = delayed(state, loudest(chunk.features + frame * kFramesPerOutput * kBins));
      if (token != 0 && token - 1 == faults_->failing_tone.load()) output.status = ErrorCode::kInferenceFailed;
      float* row = chunk.log_probs + frame * output.dim;
      std::fill(row, row + output.dim, -5.0F);
      row[token] = -0.1F;
    }
    if (sum(chunk) != checksum) faults_->contract_violations++;
    return output;
  }

  std::uint32_t delayed(ToneState& state, std::uint32_t token) const noexcept {
    const std::uint32_t late = faults_->late_frames;
    if (late == 0) return token;
    const std::uint32_t oldest = state.pending[0];
    std::copy(state.pending.begin() + 1, state.pending.begin() + late, state.pending.begin());
    state.pending[late - 1] = token;
    return oldest;
  }

  float sum(const FeatureChunk& chunk) const noexcept {
    float total = 0;
    for (std::uint32_t i = 0; i < (chunk.frames + manifest_.network.look_ahead) * kBins; ++i)
      total += chunk.features[i];
    return total;
  }

  static std::uint32_t loudest(const float* features) noexcept {
    float power[kBins] = {};
    for (std::uint32_t frame = 0; frame < kFramesPerOutput; ++frame) {
      for (std::uint32_t bin = 0; bin < kBins; ++bin) power[bin] += features[frame * kBins + bin] / kFramesPerOutput;
    }
    const auto best = static_cast<std::uint32_t>(std::max_element(power, power + kBins) - power);
    if (power[best] < kQuiet) return 0;
    const auto mel = [](double hz) { return 1127.0 * std::log(1.0 + hz / 700.0); };
    const double centre = mel(20.0) + (best + 1) * (mel(8000.0) - mel(20.0)) / (kBins + 1);
    std::uint32_t nearest = 0;
    for (std::uint32_t tone = 1; tone < kTones; ++tone) {
      if (std::abs(mel(tone_hz(tone)) - centre) < std::abs(mel(tone_hz(nearest)) - centre)) nearest = tone;
    }
    return nearest + 1;
  }

  const Manifest& manifest_;
  std::vector<ToneState>& states_;
  std::shared_ptr<ToneFaults> faults_;
};

class ToneModel final : public LoadedModel {
 public:
  ToneModel(std::uint32_t slots, std::shared_ptr<ToneFaults> faults)
      : manifest_(tone_manifest()), states_(slots), faults_(std::move(faults)) {}
  const Manifest& manifest() const override { return manifest_; }
  const PrecisionChoice& precision() const override { return precision_; }
  void prepare(std::uint32_t) override {}
  std::uint32_t batch_cap(std::uint32_t) const override { return 8; }
  std::unique_ptr<Encoder> make_encoder(std::uint32_t) override {
    return std::make_unique<ToneEncoder>(manifest_, states_, faults_);
  }
  std::size_t state_bytes_per_slot() const override { return sizeof(ToneState); }

 private:
  const PrecisionChoice precision_{Precision::kF32, "it is no network"};
  Manifest manifest_;
  std::vector<ToneState> states_;  // by slot
  std::shared_ptr<ToneFaults> faults_;
};

}  // namespace

Manifest tone_manifest() {
  Manifest manifest;
  manifest.directory = "tones";
  manifest.name = "tones";
  manifest.version = 1;
  manifest.word_boundary = "_";
  manifest.letter_case = "lower";
  FeatureOptions& features = manifest.features;
  features.sample_rate = 16000;
  features.window_ms = 25;
  features.hop_ms = 10;
  features.fft = 512;
  features.mel.bins = kBins;
  features.mel.triangles = MelTriangles::kMel;
  features.mel.low_hz = 20;
  features.mel.high_hz = 8000;
  features.floor = 1e-10;
  features.edges = Edges::kCentred;
  NetworkOptions& network = manifest.network;
  network.output_frame_ms = 40;
  network.blank = 0;
  network.chunks = {16, 32};
  network.default_chunk = 32;
  network.look_ahead = 1;
  network.tail_padding_ms = 320;
  manifest.tokens.push_back("<blk>");
  for (std::uint32_t i = 0; i < kTones; ++i) manifest.tokens.push_back("_" + tone_word(i));
  return manifest;
}

std::shared_ptr<LoadedModel> make_tone_model(std::uint32_t slots, std::shared_ptr<ToneFaults> faults) {
  return std::make_shared<ToneModel>(slots, std::move(faults));
}

std::vector<std::int16_t> tone(std::uint32_t which, int ms, int rate) {
  std::vector<std::int16_t> samples(static_cast<std::size_t>(ms) * static_cast<std::size_t>(rate) / 1000);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<std::int16_t>(
        std::lround(9000.0 * std::sin(2 * kPi * tone_hz(which) * static_cast<double>(i) / rate)));
  }
  return samples;
}

std::vector<std::int16_t> silence(int ms, int rate) {
  return std::vector<std::int16_t>(static_cast<std::size_t>(ms) * static_cast<std::size_t>(rate) / 1000, 0);
}

std::vector<std::int16_t> join(const std::vector<std::vector<std::int16_t>>& parts) {
  std::vector<std::int16_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string tone_word(std::uint32_t which) {
  return std::string(1, static_cast<char>('a' + which));
}

}  // namespace cosyvoice::testing
