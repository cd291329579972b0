// A beam search with memory of its own, and random network output for it.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backend/beam_scratch.h"
#include "backend/ctc_beam.h"

namespace cosyvoice::testing {

class Beam {
 public:
  explicit Beam(const TokenTable& tokens, const BeamOptions& options = {}, FusionSources sources = {},
                std::uint32_t blank = 0)
      : memory_(CtcBeam::bytes_needed(options.beam_size) / sizeof(std::max_align_t) + 1),
        search(reinterpret_cast<std::byte*>(memory_.data()), options.beam_size) {
    search.start(blank, options, Fusion(&tokens, std::move(sources)));
  }

  void decode(const std::vector<float>& rows, std::size_t dim) {
    search.decode(rows.data(), rows.size() / dim, dim, scratch);
  }
  std::string text() {
    search.write(transcript, scratch);
    return std::string(transcript.text());
  }
  std::string finish() {
    search.finish(transcript, alternatives, scratch);
    return std::string(transcript.text());
  }
  std::vector<std::string> others() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      texts.emplace_back(alternatives.text().substr(alternatives[i].text_begin, alternatives[i].text_size));
    }
    return texts;
  }

 private:
  std::vector<std::max_align_t> memory_;

 public:
  CtcBeam search;
  BeamScratch scratch;
  Transcript transcript;
  Alternatives alternatives;
};

/// Nothing is pruned, as far as `beam_size` allows.
inline BeamOptions exhaustive() {
  BeamOptions options;
  options.beam_size = CtcBeam::kMostHypotheses;
  options.token_threshold = 1e9F;
  options.score_threshold = 1e9F;
  options.alternatives = 10;
  return options;
}

/// ln of probabilities: each row's given ones, and the rest shared by the others.
inline std::vector<float> rows(std::size_t dim, const std::vector<std::vector<std::pair<std::size_t, double>>>& given) {
  std::vector<float> log_probs;
  for (const auto& row : given) {
    double rest = 1.0;
    for (const auto& [id, probability] : row) rest -= probability;
    const auto share = static_cast<float>(std::log(rest / static_cast<double>(dim - row.size())));
    const std::size_t begin = log_probs.size();
    log_probs.insert(log_probs.end(), dim, share);
    for (const auto& [id, probability] : row) log_probs[begin + id] = static_cast<float>(std::log(probability));
  }
  return log_probs;
}

inline std::vector<float> random_rows(std::mt19937& random, std::size_t frames, std::size_t dim, double sharpness) {
  std::normal_distribution<double> normal(0.0, sharpness);
  std::vector<float> log_probs;
  for (std::size_t t = 0; t < frames; ++t) {
    std::vector<double> values(dim);
    double sum = 0.0;
    for (double& value : values) sum += std::exp(value = normal(random));
    for (const double value : values) log_probs.push_back(static_cast<float>(value - std::log(sum)));
  }
  return log_probs;
}

}  // namespace cosyvoice::testing
