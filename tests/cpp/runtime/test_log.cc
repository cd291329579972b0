#include "runtime/log.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace cosyvoice {

TEST_CASE("messages below the level are not sent") {
  std::vector<std::string> seen;
  set_log_callback(
      [&](LogLevel level, std::string_view text) { seen.push_back(to_string(level) + (":" + std::string(text))); });
  set_log_level(LogLevel::kWarning);
  log_message(LogLevel::kInfo, "a");
  log_message(LogLevel::kWarning, "b");
  set_log_level(LogLevel::kDebug);
  log_message(LogLevel::kDebug, "c");
  set_log_level(LogLevel::kInfo);
  log_message(LogLevel::kDebug, "d");
  set_log_callback({});
  CHECK(seen == std::vector<std::string>{"warning:b", "debug:c"});
}

}  // namespace cosyvoice
