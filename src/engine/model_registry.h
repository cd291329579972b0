// The loaded models, each with what the stages need of it: its feature extractor, token table and the scheduler's
// queues.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/ctc_search.h"
#include "backend/hotword_list.h"
#include "backend/spelling.h"
#include "backend/transcript.h"
#include "core/batch_scheduler.h"
#include "core/encoder.h"
#include "engine/search_setting.h"
#include "frontend/feature_extractor.h"
#include "frontend/loudness.h"
#include "runtime/published.h"

namespace cosyvoice {

/// After so long without a piece, a word is over.
inline constexpr std::int32_t kPauseMs = 1000;

/// What the Back-End wants of a manifest.
inline WordOptions word_options(const Manifest& manifest) noexcept {
  return {{manifest.confidence_scale, manifest.confidence_offset},
          manifest.whole_frames(manifest.word_lead_ms),
          manifest.whole_frames(kPauseMs)};
}

/// How a bundle writes text.
Spelling spelling_of(const Manifest& manifest, const TokenTable& tokens);

struct ModelInstance {
  ModelInstance(std::shared_ptr<LoadedModel> loaded, std::uint32_t ordinal_in_engine, std::size_t slots)
      : model(std::move(loaded)),
        ordinal(ordinal_in_engine),
        tokens(model->manifest().tokens, model->manifest().word_boundary, word_options(model->manifest())),
        own_lm(model->manifest().lm.empty() ? nullptr : lm::LanguageModel::open(model->manifest().lm)),
        extractor(model->manifest().features),
        loudness(model->manifest().features) {
    pending.reserve(slots);
  }

  Spelling spelling() const { return spelling_of(model->manifest(), tokens); }
  /// Hotwords for its searches; null where there are none. Throws kInvalidArgument.
  std::shared_ptr<const HotwordList> spelled(const std::vector<Hotword>& given) const;
  /// A language model for its searches. Throws kInvalidModel.
  std::shared_ptr<const WeightedLm> bound(const SearchSetting& setting) const;

  std::shared_ptr<LoadedModel> model;
  const std::uint32_t ordinal;
  TokenTable tokens;
  const std::shared_ptr<const lm::LanguageModel> own_lm;  ///< its bundle's; null: none
  std::map<std::uint32_t, std::uint32_t> queues;          ///< chunk frames → scheduler queue; the registry's lock

  // What the searches of its sessions weigh; any thread may replace them (ModelRegistry does).
  Published<WeightedLm> lm;
  Published<HotwordList> hotwords;

  // The Front-End thread's own.
  FeatureExtractor extractor;
  const Loudness loudness;
  std::vector<FeatureStream*> pending;  ///< streams with frames to compute, gathered in one pass
};

/// A bundle directory → a model ready to run. Throws kModelNotFound, kInvalidModel.
using ModelLoader = std::function<std::shared_ptr<LoadedModel>(const std::string&, const ModelRuntimeOptions&)>;
/// The real one: manifest, hashes, OpenVINO.
std::shared_ptr<LoadedModel> load_bundle(const std::string& directory, const ModelRuntimeOptions& options);

class ModelRegistry {
 public:
  static constexpr std::uint32_t kMaxModels = 16;

  ModelRegistry(const EngineOptions& options, std::uint32_t workers, BatchScheduler& scheduler, ModelLoader load);

  struct Choice {
    std::shared_ptr<ModelInstance> instance;
    std::uint32_t chunk_frames = 0;
    std::uint32_t queue = 0;
  };
  /// The model of an embedded bundle or a bundle directory with one of its chunk lengths (0: its default), loaded,
  /// compiled and warmed up where this is the first time. Throws kModelNotFound, kInvalidModel, kInvalidArgument (which
  /// lists the chunks served).
  Choice choose(const std::string& name, std::uint32_t chunk_ms);

  /// What the searches of all models weigh from here on, those of models loaded later included. Throws kInvalidModel,
  /// kInvalidArgument where it does not fit one of them; then nothing has changed.
  void change_search(const SearchChange& change);

  /// A worker's encoder for a queue; valid once a chunk of that queue was taken.
  Encoder& encoder(std::uint32_t queue, std::uint32_t worker) noexcept { return *encoders_[queue][worker]; }

  /// Models loaded so far, for the Front-End's pass; index < count().
  std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  ModelInstance& operator[](std::uint32_t ordinal) noexcept { return *models_[ordinal]; }
  /// The engine's own, loaded first.
  const LoadedModel& default_model() const noexcept { return *models_[0]->model; }

 private:
  std::shared_ptr<ModelInstance> find_or_load(const std::string& directory);

  const EngineOptions& options_;
  ModelRuntimeOptions runtime_options_;
  BatchScheduler& scheduler_;
  const ModelLoader load_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ModelInstance>> by_path_;
  std::array<std::shared_ptr<ModelInstance>, kMaxModels> models_;
  std::atomic<std::uint32_t> count_{0};
  SearchSetting search_;
  static constexpr std::uint32_t kMaxQueues = 64;
  std::array<std::vector<std::unique_ptr<Encoder>>, kMaxQueues> encoders_;  ///< written before the queue's first push
};

/// "160, 320, 640 ms" and the like, for messages.
std::string list_chunks(const Manifest& manifest);

}  // namespace cosyvoice
