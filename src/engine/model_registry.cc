#include "engine/model_registry.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "backend/bound_language_model.h"
#include "bundle/embedded_bundles.h"
#include "engine/frontend_stage.h"
#include "engine/slot_table.h"
#include "runtime/log.h"

namespace cosyvoice {
namespace {

void require_fit(const Manifest& manifest, const char* what, std::size_t needed, std::size_t room) {
  if (needed <= room) return;
  throw Error(ErrorCode::kInvalidModel, manifest.directory + ": the " + what + " of its longest chunk take " +
                                            std::to_string(needed) + " bytes a session, a slot has " +
                                            std::to_string(room) + "; leave out the longest of network.chunks");
}

void check_fit(const Manifest& manifest, std::uint32_t pre_roll) {
  const std::uint32_t longest = *std::max_element(manifest.network.chunks.begin(), manifest.network.chunks.end());
  require_fit(manifest, "feature rows",
              feature_rows(longest, manifest.network.look_ahead, pre_roll) * manifest.features.dim() * sizeof(float),
              SlotTable::kFeatureBytes);
  require_fit(manifest, "output", manifest.output_frames(longest) * manifest.tokens.size() * sizeof(float),
              SlotTable::kLogProbBytes);
}

}  // namespace

std::string list_chunks(const Manifest& manifest) {
  std::string list;
  for (const std::uint32_t frames : manifest.network.chunks) {
    list += (list.empty() ? "" : ", ") + std::to_string(manifest.chunk_ms(frames));
  }
  return list + " ms";
}

std::shared_ptr<LoadedModel> load_bundle(const std::string& directory, const ModelRuntimeOptions& options) {
  return load_openvino_model(load_manifest(directory), options);
}

ModelRegistry::ModelRegistry(const EngineOptions& options, std::uint32_t workers, BatchScheduler& scheduler,
                             ModelLoader load)
    : options_(options), scheduler_(scheduler), load_(std::move(load)) {
  runtime_options_.slots = options.max_stream;
  runtime_options_.batch_size = options.batch_size;
  runtime_options_.workers = workers;
  runtime_options_.max_batch_ms = options.max_batch_ms;
  runtime_options_.huge_pages = options.huge_pages;
  runtime_options_.precision = options.precision;
}

Spelling spelling_of(const Manifest& manifest, const TokenTable& tokens) {
  const std::string& letter_case = manifest.letter_case;
  return {letter_case == "lower"   ? Spelling::Case::kLower
          : letter_case == "upper" ? Spelling::Case::kUpper
                                   : Spelling::Case::kMixed,
          tokens.has_words()};
}

std::shared_ptr<const HotwordList> ModelInstance::spelled(const std::vector<Hotword>& given) const {
  validate(given);
  return given.empty() ? nullptr : std::make_shared<HotwordList>(given, spelling());
}

std::shared_ptr<const WeightedLm> ModelInstance::bound(const SearchSetting& setting) const {
  auto weighted = std::make_shared<WeightedLm>();
  weighted->weights = setting.weights;
  if (const auto lm_model = setting.lm.own ? own_lm : setting.lm.model; lm_model != nullptr) {
    const Manifest& manifest = model->manifest();
    weighted->scorer =
        std::make_shared<BoundLanguageModel>(lm_model, manifest.tokens, manifest.directory + "/tokens.txt");
  }
  return weighted;
}

void ModelRegistry::change_search(const SearchChange& change) {
  if (change.hotwords) validate(*change.hotwords);
  const std::lock_guard<std::mutex> lock(mutex_);
  SearchSetting next = search_;
  if (change.lm) next.lm = *change.lm;
  if (change.weights) next.weights = *change.weights;
  if (change.hotwords) next.hotwords = *change.hotwords;
  std::vector<std::shared_ptr<const WeightedLm>> lms;
  std::vector<std::shared_ptr<const HotwordList>> lists;
  for (std::uint32_t i = 0; i < count(); ++i) {
    lms.push_back(models_[i]->bound(next));
    if (change.hotwords) lists.push_back(models_[i]->spelled(next.hotwords));
  }
  for (std::uint32_t i = 0; i < count(); ++i) {
    models_[i]->lm.publish(std::move(lms[i]));
    if (change.hotwords) models_[i]->hotwords.publish(std::move(lists[i]));
  }
  search_ = std::move(next);
}

ModelRegistry::Choice ModelRegistry::choose(const std::string& name, std::uint32_t chunk_ms) {
  const std::string directory = resolve_bundle(name);
  const std::lock_guard<std::mutex> lock(mutex_);
  Choice choice;
  choice.instance = find_or_load(directory);
  LoadedModel& model = *choice.instance->model;
  const Manifest& manifest = model.manifest();
  choice.chunk_frames = chunk_ms == 0 ? manifest.network.default_chunk : 0;
  for (const std::uint32_t frames : manifest.network.chunks) {
    if (manifest.chunk_ms(frames) == chunk_ms) choice.chunk_frames = frames;
  }
  if (choice.chunk_frames == 0) {
    throw Error(ErrorCode::kInvalidArgument, "chunk_ms = " + std::to_string(chunk_ms) + ", but model '" +
                                                 manifest.name + "' serves " + list_chunks(manifest) +
                                                 "; choose one of these, or 0 for its default");
  }
  const auto known = choice.instance->queues.find(choice.chunk_frames);
  if (known != choice.instance->queues.end()) {
    choice.queue = known->second;
    return choice;
  }
  model.prepare(choice.chunk_frames);
  std::vector<std::unique_ptr<Encoder>> encoders;
  for (std::uint32_t worker = 0; worker < runtime_options_.workers; ++worker) {
    encoders.push_back(model.make_encoder(choice.chunk_frames));
  }
  choice.queue = scheduler_.add_queue(model.batch_cap(choice.chunk_frames));
  encoders_[choice.queue] = std::move(encoders);
  choice.instance->queues.emplace(choice.chunk_frames, choice.queue);
  log_message(LogLevel::kInfo, "model " + manifest.name + " version " + std::to_string(manifest.version) + ", chunk " +
                                   std::to_string(manifest.chunk_ms(choice.chunk_frames)) + " ms: batches of up to " +
                                   std::to_string(model.batch_cap(choice.chunk_frames)));
  return choice;
}

std::shared_ptr<ModelInstance> ModelRegistry::find_or_load(const std::string& directory) {
  std::error_code unresolved;
  const std::string path = std::filesystem::weakly_canonical(directory, unresolved).string();
  const auto known = by_path_.find(path);
  if (known != by_path_.end()) return known->second;
  const std::uint32_t ordinal = count_.load(std::memory_order_relaxed);
  if (ordinal == kMaxModels) {
    throw Error(ErrorCode::kInvalidArgument, directory + ": an engine holds " + std::to_string(kMaxModels) +
                                                 " models and has as many; use a second engine");
  }
  std::shared_ptr<LoadedModel> model = load_(unresolved ? directory : path, runtime_options_);
  check_fit(model->manifest(), pre_roll_frames(model->manifest(), options_));
  const PrecisionChoice& chosen = model->precision();
  log_message(LogLevel::kInfo,
              "model " + model->manifest().name + " computes in " + to_string(chosen.precision) + ": " + chosen.reason);
  auto instance = std::make_shared<ModelInstance>(std::move(model), ordinal, runtime_options_.slots);
  instance->lm.publish(instance->bound(search_));
  instance->hotwords.publish(instance->spelled(search_.hotwords));
  by_path_.emplace(path, instance);
  models_[ordinal] = instance;
  count_.store(ordinal + 1, std::memory_order_release);
  return instance;
}

}  // namespace cosyvoice
