#include "engine/engine_options.h"

#include <cmath>
#include <string>

#include "bundle/utf8.h"
#include "engine/mailbox.h"
#include "runtime/cache_line.h"

namespace cosyvoice {
namespace {

template <class Number>
void require_range(const char* option, Number value, Number low, Number high, const char* unit) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::kInvalidArgument, std::string(option) + " = " + std::to_string(value) + ", but it must be " +
                                               std::to_string(low) + " to " + std::to_string(high) + unit);
}

void require_power_of_two(const char* option, std::size_t value, std::size_t low, std::size_t high) {
  require_range(option, value, low, high, " bytes");
  if (is_power_of_two(value)) return;
  throw Error(ErrorCode::kInvalidArgument, std::string(option) + " = " + std::to_string(value) +
                                               ", but it must be a power of two; the next is " +
                                               std::to_string(next_power_of_two(value)));
}

constexpr std::int32_t kHour = 3600 * 1000;

}  // namespace

void validate(const EngineOptions& options) {
  if (options.model_path.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "model_path is empty; give the directory of a model bundle");
  }
  require_range<std::uint32_t>("max_stream", options.max_stream, 1, 65536, " sessions");
  require_range<std::uint32_t>("batch_size", options.batch_size, 1, 256, " chunks");
  require_range<std::uint32_t>("workers", options.workers, 0, 1024, " threads (0: one a core)");
  require_range<std::int32_t>("partial_timeout", options.partial_timeout_ms, 100, kHour, " ms");
  require_range<std::int32_t>("max_utterance", options.max_utterance_ms, 1000, kHour, " ms");
  require_range<std::int32_t>("idle_timeout", options.idle_timeout_ms, 10, kHour, " ms");
  require_range<std::int32_t>("block_timeout", options.block_timeout_ms, 0, kHour, " ms");
  require_range<std::int32_t>("close_timeout", options.close_timeout_ms, 0, kHour, " ms");
  require_power_of_two("ring_bytes", options.ring_bytes, 4 * 1024, std::size_t{1} << 30);
  require_power_of_two("fifo_bytes", options.fifo_bytes,
                       next_power_of_two(Mailbox::kReservedEvents * Mailbox::max_event_bytes()), std::size_t{1} << 30);
  if (!std::isfinite(options.max_batch_ms) || options.max_batch_ms <= 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "max_batch_ms = " + std::to_string(options.max_batch_ms) + ", but it must be above 0");
  }
}

void validate(const SessionOptions& options) {
  require_range<std::uint32_t>("sample_rate", options.sample_rate, 8000, 48000, " Hz");
  require_range<std::size_t>("the length of name", options.name.size(), 0, 1024, " bytes");
  if (first_malformed_utf8(options.name) != options.name.size()) {
    throw Error(ErrorCode::kInvalidArgument, "name is not UTF-8, which its events (JSON) need; encode it as UTF-8");
  }
}

}  // namespace cosyvoice
