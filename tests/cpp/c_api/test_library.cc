// What the C API tells of the library as a whole.
#include <doctest/doctest.h>

#include <mutex>
#include <string>
#include <vector>

#include "cosyvoice/c_api.h"
#include "runtime/log.h"

using namespace cosyvoice;

namespace {

struct Lines {
  std::mutex mutex;
  std::vector<std::string> seen;
};

void keep_line(int level, const char* message, void* user_data) {
  auto& lines = *static_cast<Lines*>(user_data);
  const std::lock_guard<std::mutex> lock(lines.mutex);
  lines.seen.push_back(std::to_string(level) + " " + message);
}

}  // namespace

TEST_CASE("the log callback gets messages until it is taken away") {
  Lines lines;
  log_message(LogLevel::kError, "to nobody");
  REQUIRE(cv_set_log_callback(keep_line, &lines) == CV_OK);
  log_message(LogLevel::kWarning, std::string_view("cut here, not there").substr(0, 8));
  log_message(LogLevel::kError, "broken");
  REQUIRE(cv_set_log_callback(nullptr, nullptr) == CV_OK);
  log_message(LogLevel::kError, "to nobody");
  CHECK(lines.seen == std::vector<std::string>{"2 cut here", "3 broken"});
}

TEST_CASE("the version is the project's") {
  CHECK(std::string(cv_version()) == COSYVOICE_VERSION);
}

TEST_CASE("embedded models are counted and named, and nothing lies behind the last") {
  const std::size_t count = cv_embedded_model_count();
  for (std::size_t i = 0; i < count; ++i) CHECK(std::string(cv_embedded_model(i)).size() > 0);
  CHECK(cv_embedded_model(count) == nullptr);
  CHECK(cv_embedded_model(static_cast<std::size_t>(-1)) == nullptr);
}
