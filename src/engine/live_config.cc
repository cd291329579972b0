#include "engine/live_config.h"

#include <string>
#include <system_error>

#include "bundle/utf8.h"
#include "config/schema.h"
#include "runtime/log.h"

namespace cosyvoice {
namespace {

std::shared_ptr<const Dictionary> read_dictionary(const std::string& path) {
  return path.empty() ? nullptr : Dictionary::read(path);
}

/// Keys of these sections are switched while sessions run.
bool is_live(std::string_view section) noexcept {
  return section == "dictionary";
}

}  // namespace

LiveConfig::LiveConfig(const EngineOptions& options, Published<Dictionary>& dictionary, Counters& counters)
    : dictionary_(dictionary), counters_(counters), current_(options) {
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
  log_message(LogLevel::kInfo, "dictionary: " + std::to_string(entries) + " entries" +
                                   (path.empty() ? std::string() : " from " + in_quotes(path)));
}

void LiveConfig::look_again() noexcept {
  try {
    switch_to(read_config(current_.config_file));
  } catch (const std::exception& error) {
    count(counters_.config_failures);
    log_message(LogLevel::kError, std::string("configuration: nothing is switched: ") + error.what());
  }
}

bool LiveConfig::risen(const char* section, std::uint32_t from, std::uint32_t to, const std::string& before,
                       const std::string& now) const {
  if (to > from) return true;
  if (to < from || before != now) {
    log_message(LogLevel::kWarning, std::string("configuration: ") + section + " stays as it is: its version is " +
                                        std::to_string(to) + ", and to be switched it must be above " +
                                        std::to_string(from));
  }
  return false;
}

void LiveConfig::switch_to(const EngineOptions& next) {
  if (risen("dictionary", current_.dictionary_version, next.dictionary_version, current_.dictionary, next.dictionary)) {
    swap_dictionary(next.dictionary);
    current_.dictionary = next.dictionary;
    current_.dictionary_version = next.dictionary_version;
  }
  name_others(next);
}

void LiveConfig::name_others(const EngineOptions& next) const {
  std::string others;
  for (const ConfigKey& key : config_schema()) {
    if (is_live(key.section) || key.value_of(next) == key.value_of(current_)) continue;
    others += (others.empty() ? "" : ", ") + key.path();
  }
  if (!others.empty()) {
    log_message(LogLevel::kWarning, "configuration: " + others + " changed, which needs a new engine");
  }
}

}  // namespace cosyvoice
