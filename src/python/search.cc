// The search of one session over a network's output, for tests, benchmarks and the tuning of weights.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/beam_scratch.h"
#include "backend/bound_language_model.h"
#include "backend/ctc_search.h"
#include "bundle/manifest.h"
#include "config/engine_options.h"
#include "engine/model_registry.h"
#include "engine/search_options.h"
#include "python/bindings.h"
#include "python/convert.h"
#include "runtime/slab.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

using LogProbs = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Other = std::pair<std::string, float>;

class Search {
 public:
  Search(const std::string& bundle, const EngineOptions& options, const std::vector<Hotword>& hotwords)
      : manifest_(load_manifest(bundle)),
        tokens_(manifest_.tokens, manifest_.word_boundary),
        memory_(CtcBeam::bytes_needed(most_hypotheses(options)), "a search"),
        search_(memory_.data(), most_hypotheses(options)),
        transcript_(&tokens_) {
    auto lm = std::make_shared<WeightedLm>();
    lm->weights = fusion_weights(options);
    if (!options.lm.empty() && options.lm != kNoLm) {
      lm->scorer = std::make_shared<BoundLanguageModel>(lm::LanguageModel::open(options.lm), manifest_.tokens,
                                                        manifest_.directory + "/tokens.txt");
    }
    lm_.publish(std::move(lm));
    validate(hotwords);
    if (!hotwords.empty()) {
      hotwords_.publish(std::make_shared<HotwordList>(hotwords, spelling_of(manifest_, tokens_)));
    }
    SearchSources sources;
    sources.lm = &lm_;
    sources.hotwords = &hotwords_;
    search_.open(manifest_.network.blank, &tokens_, beam_options(options), always_beam(options), std::move(sources));
  }

  std::tuple<std::string, std::vector<Other>> decode(const LogProbs& rows, std::int64_t chunk_frames) {
    if (rows.shape(1) != manifest_.tokens.size() || chunk_frames < 1) {
      throw Error(ErrorCode::kInvalidArgument,
                  "log_probs has " + std::to_string(rows.shape(1)) + " columns, but the bundle has " +
                      std::to_string(manifest_.tokens.size()) + " tokens; chunk_frames must be 1 or more");
    }
    const nb::gil_scoped_release nogil;
    const std::size_t frames = rows.shape(0), dim = rows.shape(1);
    std::vector<Other> others;
    for (std::size_t at = 0; at < frames; at += static_cast<std::size_t>(chunk_frames)) {
      const std::size_t size = std::min(static_cast<std::size_t>(chunk_frames), frames - at);
      search_.decode(rows.data() + at * dim, size, dim, transcript_, scratch_);
    }
    search_.finish(transcript_, alternatives_, scratch_);
    std::string text(transcript_.text());
    for (std::size_t i = 0; i < alternatives_.size(); ++i) {
      const AlternativeText& other = alternatives_[i];
      others.emplace_back(alternatives_.text().substr(other.text_begin, other.text_size), other.confidence);
    }
    search_.reset();
    transcript_.clear();
    return {std::move(text), std::move(others)};
  }

 private:
  const Manifest manifest_;
  const TokenTable tokens_;
  Slab memory_;
  Published<WeightedLm> lm_;
  Published<HotwordList> hotwords_;
  CtcSearch search_;
  BeamScratch scratch_;
  Transcript transcript_;
  Alternatives alternatives_;
};

void construct(Search* self, const std::string& bundle, std::int64_t beam_size, const std::string& lm, double lm_weight,
               double word_bonus, double blank_penalty, double token_threshold, double score_threshold,
               std::int64_t alternatives, const std::vector<std::pair<std::string, float>>& hotwords) {
  EngineOptions options;
  options.beam_size = narrow<std::uint32_t>("beam_size", beam_size);
  options.lm = lm;
  options.lm_weight = lm_weight;
  options.word_bonus = word_bonus;
  options.blank_penalty = blank_penalty;
  options.token_threshold = token_threshold;
  options.score_threshold = score_threshold;
  options.alternatives = narrow<std::uint32_t>("alternatives", alternatives);
  validate(options);
  std::vector<Hotword> list;
  for (const auto& [phrase, boost] : hotwords) list.push_back({phrase, boost});
  const nb::gil_scoped_release nogil;
  new (self) Search(bundle, options, list);
}

}  // namespace

void bind_search(nb::module_& module) {
  const EngineOptions defaults;
  nb::class_<Search>(module, "Search", "For tests and tuning: the search of one session over a network's output.")
      .def("__init__", &construct, "bundle"_a, nb::kw_only(), "beam_size"_a = 0, "lm"_a = "",
           "lm_weight"_a = defaults.lm_weight, "word_bonus"_a = defaults.word_bonus,
           "blank_penalty"_a = defaults.blank_penalty, "token_threshold"_a = defaults.token_threshold,
           "score_threshold"_a = defaults.score_threshold, "alternatives"_a = 0,
           "hotwords"_a = std::vector<std::pair<std::string, float>>())
      .def("decode", &Search::decode, "log_probs"_a, "chunk_frames"_a = 8,
           nb::sig("def decode(self, log_probs: numpy.typing.NDArray[numpy.float32], chunk_frames: int = 8) -> "
                   "tuple[str, list[tuple[str, float]]]"),
           "One utterance, fed chunk by chunk: its text, and the others with their shares.");
}

}  // namespace cosyvoice::python
