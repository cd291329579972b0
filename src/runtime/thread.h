// How the engine's threads are made: named, deaf to signals (those are the application's), with denormals flushed to
// zero.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace cosyvoice {

/// `name` shows in ps and gdb (15 characters). The thread counts denormals as zero, as inference wants it.
std::thread start_thread(const char* name, std::function<void()> body);

/// Rises in a child after fork(), where the parent's threads do not exist.
std::uint32_t fork_generation() noexcept;

}  // namespace cosyvoice
