#include "engine/utterance_queue.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace cosyvoice {

UtteranceQueue::UtteranceQueue(std::size_t capacity, std::size_t audio_bytes)
    : audio_bytes_(audio_bytes), audio_(capacity * audio_bytes, "utterances that wait for the second pass") {
  entries_.resize(capacity);
  for (Entry& entry : entries_) entry.language.reserve(kLanguageBytes);
}

bool UtteranceQueue::push(const SecondPassRequest& request, std::int64_t deadline_ns) noexcept {
  const std::uint64_t position = pushed_.load(std::memory_order_relaxed);
  // Acquire: the taker is done with the entry's bytes.
  if (position - popped_.load(std::memory_order_acquire) == entries_.size()) return false;
  const std::size_t place = static_cast<std::size_t>(position % entries_.size());
  auto* samples = reinterpret_cast<std::int16_t*>(audio_.data() + place * audio_bytes_);
  const std::size_t bytes = std::min(request.count * sizeof(std::int16_t), audio_bytes_);
  std::memcpy(samples, request.samples, bytes);
  Entry& entry = entries_[place];
  entry.request = request;
  entry.request.samples = samples;
  entry.request.count = bytes / sizeof(std::int16_t);
  entry.language.assign(request.language.substr(0, kLanguageBytes));
  entry.request.language = entry.language;
  entry.deadline_ns = deadline_ns;
  pushed_.store(position + 1, std::memory_order_release);
  return true;
}

const UtteranceQueue::Entry* UtteranceQueue::front() const noexcept {
  const std::uint64_t position = popped_.load(std::memory_order_relaxed);
  if (pushed_.load(std::memory_order_acquire) == position) return nullptr;
  return &entries_[static_cast<std::size_t>(position % entries_.size())];
}

void UtteranceQueue::pop() noexcept {
  const std::uint64_t position = popped_.load(std::memory_order_relaxed);
  madvise(audio_.data() + static_cast<std::size_t>(position % entries_.size()) * audio_bytes_, audio_bytes_,
          MADV_DONTNEED);
  popped_.store(position + 1, std::memory_order_release);
}

}  // namespace cosyvoice
