// Which session has which slot. A sid names its slot by arithmetic, so looking one up takes no lock:
//   sid = generation · max_stream + index + 1
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cosyvoice/engine.h"
#include "engine/slot.h"
#include "runtime/slab.h"

namespace cosyvoice {

/// What is mapped for one session, by part, in bytes.
struct SlotMemory {
  std::size_t audio = 0, features = 0, network_output = 0, events = 0;
  std::size_t second_pass = 0;  ///< the open utterance's audio at most; 0 without a second pass
  std::size_t search = 0;       ///< hypotheses; touched only where sessions use a beam
  std::size_t total() const noexcept { return audio + features + network_output + events + second_pass + search; }
};

class SlotTable {
 public:
  /// Room in each slot for feature rows and for one chunk's output; a model that needs more is refused.
  static constexpr std::size_t kFeatureBytes = 256 * 1024;
  static constexpr std::size_t kLogProbBytes = 256 * 1024;

  static SlotMemory memory_of_slot(const EngineOptions& options);

  explicit SlotTable(const EngineOptions& options);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
  Slot& operator[](std::uint32_t index) noexcept { return *slots_[index]; }
  std::size_t bytes_per_slot() const noexcept { return bytes_per_slot_; }

  /// A free slot in state kOpening and the sid it will have. Throws kEngineFull, saying how many sessions only wait to
  /// be read.
  Slot& acquire(SessionId& sid);
  /// Undoes acquire() when opening failed.
  void put_back(Slot& slot);
  /// Throws kUnknownSession: never existed, or has ended.
  Slot& find(SessionId sid);
  /// Frees the slot if its session is over, its last event was taken and no visitor is inside.
  void free_if_done(Slot& slot) noexcept;
  /// Sessions that have not ended.
  std::uint32_t open_sessions() const noexcept;

 private:
  /// A session whose last event was taken, and whose slot is about to be free. Under the lock.
  bool any_leaving() const noexcept;
  Error full() const;

  Slab slab_, utterance_slab_, search_slab_;
  std::size_t bytes_per_slot_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::mutex mutex_;  ///< the list below
  std::vector<std::uint32_t> free_;
};

/// A caller's stay in a slot: while it lasts, the slot is not given to another session.
class SlotVisit {
 public:
  SlotVisit(SlotTable& slots, Slot& slot) noexcept : slots_(slots), slot_(slot) {
    slot_.visitors.fetch_add(1, std::memory_order_seq_cst);
  }
  ~SlotVisit() {
    slot_.visitors.fetch_sub(1, std::memory_order_seq_cst);
    slots_.free_if_done(slot_);
  }
  SlotVisit(const SlotVisit&) = delete;
  SlotVisit& operator=(const SlotVisit&) = delete;

  /// The session is this one and has not ended. Once true, its slot stays its own for the whole visit.
  bool open(SessionId sid) const noexcept {
    return slot_.state.load(std::memory_order_seq_cst) == SlotState::kOpen &&
           slot_.sid.load(std::memory_order_acquire) == sid;
  }

 private:
  SlotTable& slots_;
  Slot& slot_;
};

}  // namespace cosyvoice
