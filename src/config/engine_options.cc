#include "config/engine_options.h"

#include <cmath>
#include <string>
#include <type_traits>
#include <variant>

#include "bundle/utf8.h"
#include "config/schema.h"
#include "runtime/affinity.h"
#include "runtime/cache_line.h"

namespace cosyvoice {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& range) {
  throw Error(ErrorCode::kInvalidArgument, option + " = " + value + ", but it must be " + range);
}

void check(const ConfigKey& key, double value) {
  const std::string option(key.option);
  if (!std::isfinite(value) || value < key.low || value > key.high) {
    refuse(option, number_text(value), number_text(key.low) + " to " + number_text(key.high) + std::string(key.unit));
  }
  if (key.power_of_two && !is_power_of_two(static_cast<std::size_t>(value))) {
    refuse(option, number_text(value),
           "a power of two; the next is " + std::to_string(next_power_of_two(static_cast<std::size_t>(value))));
  }
}

}  // namespace

void validate(const EngineOptions& options) {
  for (const ConfigKey& key : config_schema()) {
    std::visit(
        [&](auto member) {
          using Value = std::decay_t<decltype(options.*member)>;
          if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            check(key, static_cast<double>(options.*member));
          }
        },
        key.field);
  }
  if (options.vad == VadKind::kSilero && options.vad_threshold > 1.0) {
    refuse("vad_threshold", number_text(options.vad_threshold), "a probability, 0 to 1, where vad is silero");
  }
  parse_cpu_list(options.cpus);
}

void validate(const SessionOptions& options) {
  if (options.sample_rate < 8000 || options.sample_rate > 48000) {
    refuse("sample_rate", std::to_string(options.sample_rate), "8000 to 48000 Hz");
  }
  if (options.name.size() > 1024) refuse("the length of name", std::to_string(options.name.size()), "0 to 1024 bytes");
  if (first_malformed_utf8(options.name) != options.name.size()) {
    throw Error(ErrorCode::kInvalidArgument, "name is not UTF-8, which its events (JSON) need; encode it as UTF-8");
  }
}

}  // namespace cosyvoice
