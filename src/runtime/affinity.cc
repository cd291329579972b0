#include "runtime/affinity.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument, "cpus = '" + text + "': " + why);
}

/// One core number at the front of `rest`, which loses it.
std::uint32_t take_number(const std::string& text, std::string_view& rest) {
  std::uint32_t number = 0;
  const auto [stop, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (fault != std::errc{} || number >= CPU_SETSIZE) {
    refuse(text, "expected core numbers from 0 to " + std::to_string(CPU_SETSIZE - 1) + " like 0-3,8, found '" +
                     std::string(rest) + "'");
  }
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  return number;
}

std::string list_of(const cpu_set_t& cpus) {
  std::string list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) list += (list.empty() ? "" : ",") + std::to_string(cpu);
  }
  return list;
}

}  // namespace

std::vector<std::uint32_t> parse_cpu_list(const std::string& text) {
  std::vector<std::uint32_t> cpus;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::uint32_t first = take_number(text, rest);
    std::uint32_t last = first;
    if (!rest.empty() && rest.front() == '-') {
      rest.remove_prefix(1);
      last = take_number(text, rest);
      if (last < first) refuse(text, "the range " + std::to_string(first) + "-" + std::to_string(last) + " goes down");
    }
    for (std::uint32_t cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (rest.empty()) break;
    if (rest.front() != ',' || rest.size() == 1) {
      refuse(text, "expected a comma and a core number, found '" + std::string(rest) + "'");
    }
    rest.remove_prefix(1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

AffinityScope::AffinityScope(const std::vector<std::uint32_t>& cpus) {
  if (cpus.empty()) return;
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) {
    throw Error(ErrorCode::kInvalidArgument, std::string("cpus: the cores of this process cannot be read: ") +
                                                 std::strerror(errno) + "; leave cpus empty");
  }
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const std::uint32_t cpu : cpus) CPU_SET(cpu, &wanted);
  cpu_set_t both;
  CPU_AND(&both, &wanted, &before_);
  // The kernel would drop the others without a word.
  if (!CPU_EQUAL(&both, &wanted)) {
    throw Error(ErrorCode::kInvalidArgument, "cpus = " + list_of(wanted) + ", but this process may use " +
                                                 list_of(before_) +
                                                 "; name some of these, or start it with more "
                                                 "(taskset, cpuset)");
  }
  if (sched_setaffinity(0, sizeof wanted, &wanted) != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "cpus = " + list_of(wanted) + ": the system refuses: " + std::strerror(errno) + "; leave cpus empty");
  }
  changed_ = true;
}

AffinityScope::~AffinityScope() {
  if (changed_) sched_setaffinity(0, sizeof before_, &before_);
}

std::uint32_t usable_cores() noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  const int count = CPU_COUNT(&cores);
  return count > 0 ? static_cast<std::uint32_t>(count) : 1;
}

}  // namespace cosyvoice
