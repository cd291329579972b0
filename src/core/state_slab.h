// The network states of every slot of one model, in one mapped piece; each slot's part is touched by one worker at a
// time.
//
//   slot │ marks of each ring: head, filled │ state 0 │ state 1 │ …      each part begins a cache line
//
// A `replace` state lies in the slot as its shape says. A `ring` state is a true ring along its axis: `head` is the
// place written next, so appending copies the new part alone; for the network it is unrolled, oldest first, by two
// copies for each step of the axes outside. Nothing is cleared when an utterance begins: `fresh` says to read initial
// values instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bundle/manifest.h"
#include "runtime/slab.h"

namespace cosyvoice {

/// Which row of a batched tensor is meant.
struct BatchRow {
  std::size_t row = 0;   ///< < rows
  std::size_t rows = 1;  ///< length of the tensor's batch axis
};

class StateSlab {
 public:
  /// Maps the states of `slots` slots. Throws Error(kInvalidArgument) when the system refuses.
  StateSlab(const std::vector<StateOptions>& states, std::uint32_t slots, bool huge_pages = false);

  std::size_t count() const noexcept { return states_.size(); }
  std::size_t bytes_per_slot() const noexcept { return slot_bytes_; }
  /// Bytes of one row of a state's input tensor.
  std::size_t row_bytes(std::size_t state) const noexcept { return states_[state].bytes; }

  /// Writes the state of `slot` into its row of the input `tensor`, whose other axes are those of the state's shape.
  void gather(std::size_t state, std::uint32_t slot, bool fresh, BatchRow at, std::byte* tensor) const noexcept;

  /// Advances the state by the row of the output `tensor`, of `tensor_bytes` for all rows. A replace state takes the
  /// row; a ring appends it, however long along its axis. False, and nothing is changed: the tensor's size does not fit
  /// the shape.
  bool scatter(std::size_t state, std::uint32_t slot, bool fresh, BatchRow at, const std::byte* tensor,
               std::size_t tensor_bytes) noexcept;

  /// Whether scatter() would take an output of this size.
  bool fits(std::size_t state, std::size_t rows, std::size_t tensor_bytes) const noexcept;

 private:
  struct Mark {
    std::uint32_t head = 0;    // place along the axis that is written next
    std::uint32_t filled = 0;  // places written since the utterance began, the window at most
  };
  struct State {
    bool is_ring = false;
    bool batch_is_outside = true;  // the batch axis comes before the ring's
    std::size_t element_bytes = 4;
    std::uint32_t initial = 0;    // bits, of element_bytes
    std::size_t bytes = 0;        // of one session's shape
    std::size_t inner_bytes = 0;  // a row's contiguous piece in a batched tensor: the axes after the batch axis
    std::size_t window = 1;       // length of the ring's axis
    std::size_t step_bytes = 0;   // one place along the ring's axis: the axes after it
    std::size_t outer = 1;        // steps of the axes before the ring's
    std::size_t offset = 0;       // in the slot
  };

  std::byte* slot_data(std::uint32_t slot) const noexcept { return slab_.data() + slot * slot_bytes_; }
  Mark* marks(std::uint32_t slot) const noexcept { return reinterpret_cast<Mark*>(slot_data(slot)); }

  std::vector<State> states_;
  std::size_t slot_bytes_ = 0;
  Slab slab_;
};

}  // namespace cosyvoice
