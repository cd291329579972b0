// A bounded queue of utterances with their audio, in memory mapped at start. One thread pushes (the Front-End), one at
// a time takes; neither locks. Pages of audio that was taken go back to the system.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cosyvoice/engine.h"
#include "frontend/utterance_audio.h"
#include "runtime/cache_line.h"
#include "runtime/slab.h"

namespace cosyvoice {

class UtteranceQueue {
 public:
  /// Room for `capacity` utterances of `audio_bytes` each.
  UtteranceQueue(std::size_t capacity, std::size_t audio_bytes);

  /// Copies everything; false: full. `deadline_ns` < 0: none.
  bool push(const SecondPassRequest& request, std::int64_t deadline_ns) noexcept;

  /// The oldest; null: empty. It stays until pop().
  struct Entry {
    SecondPassRequest request;
    std::string language;
    std::int64_t deadline_ns = -1;
  };
  const Entry* front() const noexcept;
  void pop() noexcept;

 private:
  static constexpr std::size_t kLanguageBytes = 64;

  std::size_t audio_bytes_;
  Slab audio_;
  std::vector<Entry> entries_;
  alignas(kCacheLine) std::atomic<std::uint64_t> pushed_{0};
  alignas(kCacheLine) std::atomic<std::uint64_t> popped_{0};
};

}  // namespace cosyvoice
