// What c_api.h tells of the library as a whole.
#include <string>
#include <string_view>
#include <vector>

#include "bundle/embedded_bundles.h"
#include "c_api/guard.h"

using namespace cosyvoice;
using namespace cosyvoice::c_api;

namespace {

/// Never destroyed: the caller keeps pointers into it.
const std::vector<std::string>& embedded_names() {
  static const auto* const names = new std::vector<std::string>(embedded_bundles());
  return *names;
}

}  // namespace

extern "C" {

const char* cv_version(void) {
  return COSYVOICE_VERSION;
}

size_t cv_embedded_model_count(void) {
  size_t count = 0;
  guarded([&] { count = embedded_names().size(); });
  return count;
}

const char* cv_embedded_model(size_t index) {
  const char* name = nullptr;
  guarded([&] {
    if (index < embedded_names().size()) name = embedded_names()[index].c_str();
  });
  return name;
}

int cv_set_log_callback(cv_log_callback callback, void* user_data) {
  return guarded([&] {
    if (callback == nullptr) return set_log_callback({});
    set_log_callback([callback, user_data](LogLevel level, std::string_view message) {
      callback(static_cast<int>(level), std::string(message).c_str(), user_data);
    });
  });
}

}  // extern "C"
