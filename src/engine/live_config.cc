#include "engine/live_config.h"

#include <array>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "bundle/utf8.h"
#include "config/schema.h"
#include "engine/search_setting.h"
#include "runtime/log.h"

namespace cosyvoice {
namespace {

std::shared_ptr<const Dictionary> read_dictionary(const std::string& path) {
  return path.empty() ? nullptr : Dictionary::read(path);
}

std::string from(const std::string& path) {
  return path.empty() ? std::string() : " from " + in_quotes(path);
}

/// Keys that are switched while sessions run, beside their sections' versions.
constexpr std::array<std::string_view, 6> kLive = {"dictionary.path",   "search.lm",       "search.lm_weight",
                                                   "search.word_bonus", "search.hotwords", "search.hotword_boost"};

bool is_live(const ConfigKey& key) {
  for (const std::string_view path : kLive) {
    if (key.path() == path) return true;
  }
  return false;
}

bool is_version(const ConfigKey& key) noexcept {
  return key.name == "version";
}

bool differ(const ConfigKey& key, const EngineOptions& one, const EngineOptions& other) {
  return key.value_of(one) != key.value_of(other);
}

/// Takes a section's keys that are switched, and its version.
void take(std::string_view section, const EngineOptions& next, EngineOptions& current) {
  for (const ConfigKey& key : config_schema()) {
    if (key.section != section || !(is_live(key) || is_version(key))) continue;
    std::visit([&](auto member) { current.*member = next.*member; }, key.field);
  }
}

}  // namespace

LiveConfig::LiveConfig(const EngineOptions& options, ModelRegistry& models, Published<Dictionary>& dictionary,
                       Counters& counters)
    : models_(models), dictionary_(dictionary), counters_(counters), current_(options) {
  if (!options.dictionary.empty()) swap_dictionary(options.dictionary);
  if (options.config_file.empty() || !options.watch_config) return;
  try {
    current_ = read_config(options.config_file);
    watch_ = std::make_unique<FileWatch>(options.config_file, [this] { look_again(); });
  } catch (const std::exception& error) {
    log_message(LogLevel::kWarning, "configuration: " + options.config_file +
                                        " is not watched, so its changes need a new engine: " + error.what());
  }
}

void LiveConfig::swap_dictionary(const std::string& path) {
  auto next = read_dictionary(path);
  const std::size_t entries = next == nullptr ? 0 : next->size();
  dictionary_.publish(std::move(next));
  count(counters_.dictionary_swaps);
  log_message(LogLevel::kInfo, "dictionary: " + std::to_string(entries) + " entries" + from(path));
}

void LiveConfig::swap_lm(const std::string& option) {
  SearchChange change;
  change.lm = open_checked_lm(option);
  models_.change_search(change);
  count(counters_.search_swaps);
  log_message(LogLevel::kInfo, "search: " + describe_lm(option));
}

void LiveConfig::swap_search(const EngineOptions& next) {
  const SearchChange change = search_change(next, open_checked_lm(next.lm));
  models_.change_search(change);
  count(counters_.search_swaps);
  log_message(LogLevel::kInfo, "search: " + describe_lm(next.lm) + ", " + std::to_string(change.hotwords->size()) +
                                   " hotwords" + from(next.hotwords));
}

void LiveConfig::look_again() noexcept {
  attempt("nothing", [this] {
    const EngineOptions next = read_config(current_.config_file);
    switch_risen("dictionary", current_.dictionary_version, next.dictionary_version, next,
                 [&] { swap_dictionary(next.dictionary); });
    switch_risen("search", current_.search_version, next.search_version, next, [&] { swap_search(next); });
    name_others(next);
  });
}

template <class Action>
bool LiveConfig::attempt(std::string_view what, Action&& action) noexcept {
  try {
    action();
    return true;
  } catch (const std::exception& error) {
    count(counters_.config_failures);
    log_message(LogLevel::kError, "configuration: " + std::string(what) + " is switched: " + error.what());
    return false;
  }
}

template <class Swap>
void LiveConfig::switch_risen(std::string_view section, std::uint32_t from, std::uint32_t to, const EngineOptions& next,
                              Swap&& swap) {
  if (to > from) {
    if (attempt("nothing in " + std::string(section), swap)) take(section, next, current_);
    return;
  }
  bool changed = to < from;
  for (const ConfigKey& key : config_schema()) {
    changed |= key.section == section && is_live(key) && differ(key, next, current_);
  }
  if (changed) {
    log_message(LogLevel::kWarning, "configuration: " + std::string(section) + " stays as it is: its version is " +
                                        std::to_string(to) + ", and to be switched it must be above " +
                                        std::to_string(from));
  }
}

void LiveConfig::name_others(const EngineOptions& next) const {
  std::string others;
  for (const ConfigKey& key : config_schema()) {
    if (is_live(key) || is_version(key) || !differ(key, next, current_)) continue;
    others += (others.empty() ? "" : ", ") + key.path();
  }
  if (!others.empty()) {
    log_message(LogLevel::kWarning, "configuration: " + others + " changed, which needs a new engine");
  }
}

}  // namespace cosyvoice
