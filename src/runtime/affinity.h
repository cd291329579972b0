// Which cores a thread may run on.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cosyvoice {

/// "0-3,8" → {0, 1, 2, 3, 8}, sorted, each once; an empty text gives none. Throws Error(kInvalidArgument) that says
/// what is expected.
std::vector<std::uint32_t> parse_cpu_list(const std::string& text);

/// While it lives the calling thread runs on these cores alone, and so does, for good, every thread that it starts
/// meanwhile. No cores: nothing changes.
class AffinityScope {
 public:
  /// Throws Error(kInvalidArgument) when the process may use none or not all of them.
  explicit AffinityScope(const std::vector<std::uint32_t>& cpus);
  ~AffinityScope();
  AffinityScope(const AffinityScope&) = delete;
  AffinityScope& operator=(const AffinityScope&) = delete;

 private:
  bool changed_ = false;
  cpu_set_t before_{};
};

/// Cores that the calling thread may run on.
std::uint32_t usable_cores() noexcept;

}  // namespace cosyvoice
