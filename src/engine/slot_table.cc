#include "engine/slot_table.h"

#include <algorithm>
#include <string>
#include <thread>

#include "engine/model_registry.h"
#include "engine/search_options.h"
#include "runtime/cache_line.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

SlotMemory SlotTable::memory_of_slot(const EngineOptions& options) {
  SlotMemory memory;
  memory.audio = round_up(AudioRing::bytes_needed(options.ring_bytes), kPage);
  memory.features = round_up(FeatureStream::bytes_needed(kFeatureBytes), kPage);
  memory.network_output = kLogProbBytes;
  memory.events = round_up(Mailbox::bytes_needed(options.fifo_bytes), kPage);
  if (!options.second_pass.empty()) memory.second_pass = UtteranceAudio::bytes_needed(options.max_utterance_ms);
  memory.search = round_up(CtcBeam::bytes_needed(most_hypotheses(options)), kPage);
  return memory;
}

SlotTable::SlotTable(const EngineOptions& options) {
  const SlotMemory part = memory_of_slot(options);
  bytes_per_slot_ = part.total();
  const std::size_t slot_bytes = bytes_per_slot_ - part.second_pass - part.search;
  slab_ = Slab(slot_bytes * options.max_stream, "the sessions' slots", options.huge_pages);
  // Apart and without huge pages, because its pages go back to the system after each utterance.
  utterance_slab_ = Slab(part.second_pass * options.max_stream, "the utterances' audio");
  // Likewise, because most sessions may never touch it.
  search_slab_ = Slab(part.search * options.max_stream, "the sessions' hypotheses");
  slots_.reserve(options.max_stream);
  free_.reserve(options.max_stream);
  for (std::uint32_t i = 0; i < options.max_stream; ++i) {
    std::byte* memory = slab_.data() + slot_bytes * i;
    std::byte* feature_memory = memory + part.audio;
    std::byte* log_probs = feature_memory + part.features;
    slots_.push_back(std::make_unique<Slot>(
        i, memory, options.ring_bytes, feature_memory, kFeatureBytes, reinterpret_cast<float*>(log_probs),
        log_probs + part.network_output, options.fifo_bytes, utterance_slab_.data() + part.second_pass * i,
        part.second_pass, search_slab_.data() + part.search * i, most_hypotheses(options)));
    free_.push_back(options.max_stream - 1 - i);
  }
}

Slot& SlotTable::acquire(SessionId& sid) {
  std::unique_lock<std::mutex> lock(mutex_);
  // Who took a session's last event may be here before the Front-End has let go of it.
  while (free_.empty() && any_leaving()) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  if (free_.empty()) throw full();
  Slot& slot = *slots_[free_.back()];
  free_.pop_back();
  slot.state.store(SlotState::kOpening, std::memory_order_relaxed);
  sid = slot.generation * size() + slot.index + 1;
  ++slot.generation;
  return slot;
}

bool SlotTable::any_leaving() const noexcept {
  return std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->mailbox.exhausted(); });
}

Error SlotTable::full() const {
  const std::string all = std::to_string(size());
  const std::string unread = std::to_string(size() - open_sessions());
  return Error(ErrorCode::kEngineFull, "all " + all + " sessions are in use (max_stream = " + all + "), of which " +
                                           unread +
                                           " have ended and wait until their events are taken; end sessions, read "
                                           "their events, or raise max_stream");
}

void SlotTable::put_back(Slot& slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  slot.state.store(SlotState::kFree, std::memory_order_relaxed);
  free_.push_back(slot.index);
}

Slot& SlotTable::find(SessionId sid) {
  if (sid != 0) {
    Slot& slot = *slots_[static_cast<std::uint32_t>((sid - 1) % size())];
    if (slot.sid.load(std::memory_order_acquire) == sid) return slot;
    const std::lock_guard<std::mutex> lock(mutex_);
    if ((sid - 1) / size() < slot.generation) {
      throw Error(
          ErrorCode::kUnknownSession,
          "session " + std::to_string(sid) + " has ended and its last event was taken; open another with new_session");
    }
  }
  throw Error(ErrorCode::kUnknownSession, "session " + std::to_string(sid) +
                                              " never existed in this engine; use the sid that new_session returned");
}

void SlotTable::free_if_done(Slot& slot) noexcept {
  // A visitor counts itself before it takes an event or looks at the state: whoever sees the session over and its
  // mailbox exhausted sees the visitors that came before that.
  if (slot.state.load(std::memory_order_seq_cst) != SlotState::kOver || !slot.mailbox.exhausted() ||
      slot.visitors.load(std::memory_order_seq_cst) != 0) {
    return;
  }
  SlotState over = SlotState::kOver;
  if (!slot.state.compare_exchange_strong(over, SlotState::kOpening, std::memory_order_acq_rel)) return;
  slot.sid.store(0, std::memory_order_release);
  slot.decoder.close();
  slot.model.reset();
  put_back(slot);
}

std::uint32_t SlotTable::open_sessions() const noexcept {
  std::uint32_t open = 0;
  for (const auto& slot : slots_) open += slot->state.load(std::memory_order_relaxed) == SlotState::kOpen ? 1U : 0U;
  return open;
}

}  // namespace cosyvoice
