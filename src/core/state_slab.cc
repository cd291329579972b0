#include "core/state_slab.h"

#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "runtime/cache_line.h"

namespace cosyvoice {
namespace {

std::uint32_t initial_bits(const StateOptions& state) {
  if (state.type == ElementType::kF16) return half_bits(state.initial);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &state.initial, sizeof bits);
  return bits;
}

std::size_t product(const std::vector<std::uint32_t>& shape, std::size_t begin, std::size_t end) {
  std::size_t result = 1;
  for (std::size_t axis = begin; axis < end; ++axis) result *= shape[axis];
  return result;
}

/// A row of a batched tensor as if it were contiguous: its pieces of `inner` bytes lie `rows` pieces apart.
class RowBytes {
 public:
  RowBytes(BatchRow at, std::size_t inner) : at_(at), inner_(inner) {}

  /// Calls piece(tensor offset, offset from `begin`, bytes) for the row's bytes [begin, begin + size).
  template <class Piece>
  void for_each(std::size_t begin, std::size_t size, Piece&& piece) const {
    for (std::size_t done = 0; done < size;) {
      const std::size_t within = (begin + done) % inner_;
      const std::size_t bytes = std::min(inner_ - within, size - done);
      piece(((begin + done) / inner_ * at_.rows + at_.row) * inner_ + within, done, bytes);
      done += bytes;
    }
  }

 private:
  BatchRow at_;
  std::size_t inner_;
};

void fill(std::byte* to, std::size_t bytes, std::uint32_t bits, std::size_t element_bytes) noexcept {
  if (bits == 0) {
    std::memset(to, 0, bytes);
  } else if (element_bytes == sizeof(std::uint32_t)) {
    std::fill_n(reinterpret_cast<std::uint32_t*>(to), bytes / element_bytes, bits);
  } else {
    std::fill_n(reinterpret_cast<std::uint16_t*>(to), bytes / element_bytes, static_cast<std::uint16_t>(bits));
  }
}

}  // namespace

StateSlab::StateSlab(const std::vector<StateOptions>& states, std::uint32_t slots, bool huge_pages) {
  slot_bytes_ = round_up(states.size() * sizeof(Mark), kCacheLine);
  for (const StateOptions& options : states) {
    State state;
    state.is_ring = options.advance == Advance::kRing;
    state.batch_is_outside = !state.is_ring || options.batch_axis < options.axis;
    state.element_bytes = options.type == ElementType::kF16 ? 2 : 4;
    state.initial = initial_bits(options);
    const std::size_t rank = options.shape.size();
    state.bytes = product(options.shape, 0, rank) * state.element_bytes;
    state.inner_bytes = product(options.shape, options.batch_axis + 1, rank) * state.element_bytes;
    if (state.is_ring) {
      state.window = options.shape[options.axis];
      state.step_bytes = product(options.shape, options.axis + 1, rank) * state.element_bytes;
      state.outer = product(options.shape, 0, options.axis);
    }
    state.offset = slot_bytes_;
    slot_bytes_ += round_up(state.bytes, kCacheLine);
    states_.push_back(state);
  }
  if (slot_bytes_ != 0) slab_ = Slab(slot_bytes_ * slots, "network states", huge_pages);
}

void StateSlab::gather(std::size_t index, std::uint32_t slot, bool fresh, BatchRow at,
                       std::byte* tensor) const noexcept {
  const State& state = states_[index];
  const RowBytes row(at, state.inner_bytes);
  const auto fill_row = [&](std::size_t begin, std::size_t size) {
    row.for_each(begin, size, [&](std::size_t offset, std::size_t, std::size_t bytes) {
      fill(tensor + offset, bytes, state.initial, state.element_bytes);
    });
  };
  if (fresh) return fill_row(0, state.bytes);

  const std::byte* source = slot_data(slot) + state.offset;
  const auto copy = [&](std::size_t to, std::size_t from, std::size_t size) {
    row.for_each(to, size, [&](std::size_t offset, std::size_t done, std::size_t bytes) {
      std::memcpy(tensor + offset, source + from + done, bytes);
    });
  };
  if (!state.is_ring) return copy(0, 0, state.bytes);

  const Mark mark = marks(slot)[index];
  const std::size_t unwritten = (state.window - mark.filled) * state.step_bytes;
  const std::size_t oldest = mark.filled == state.window ? mark.head * state.step_bytes : 0;  // else places 0 … filled
  const std::size_t turn = state.window * state.step_bytes;
  for (std::size_t outer = 0; outer < state.outer; ++outer) {
    const std::size_t base = outer * turn;
    const std::size_t first = std::min(turn - unwritten, turn - oldest);
    fill_row(base, unwritten);
    copy(base + unwritten, base + oldest, first);
    copy(base + unwritten + first, base, turn - unwritten - first);
  }
}

bool StateSlab::fits(std::size_t index, std::size_t rows, std::size_t tensor_bytes) const noexcept {
  const State& state = states_[index];
  if (!state.is_ring) return tensor_bytes == rows * state.bytes;
  return tensor_bytes != 0 && tensor_bytes % (rows * state.outer * state.step_bytes) == 0;
}

bool StateSlab::scatter(std::size_t index, std::uint32_t slot, bool fresh, BatchRow at, const std::byte* tensor,
                        std::size_t tensor_bytes) noexcept {
  if (!fits(index, at.rows, tensor_bytes)) return false;
  const State& state = states_[index];
  std::byte* target = slot_data(slot) + state.offset;
  const std::size_t row_bytes = tensor_bytes / at.rows;
  // The output is as the input but for its length along the ring's axis, which the contiguous piece of a row follows.
  const std::size_t inner = state.batch_is_outside ? state.inner_bytes * row_bytes / state.bytes : state.inner_bytes;
  const RowBytes row(at, inner);
  const auto copy = [&](std::size_t to, std::size_t from, std::size_t size) {
    row.for_each(from, size, [&](std::size_t offset, std::size_t done, std::size_t bytes) {
      std::memcpy(target + to + done, tensor + offset, bytes);
    });
  };
  if (!state.is_ring) {
    copy(0, 0, state.bytes);
    return true;
  }
  Mark& mark = marks(slot)[index];
  if (fresh) mark = Mark{};
  const std::size_t length = row_bytes / (state.outer * state.step_bytes);
  const std::size_t kept = std::min(length, state.window);  // of an output longer than the window, its end
  const std::size_t first = std::min(kept, state.window - mark.head);
  for (std::size_t outer = 0; outer < state.outer; ++outer) {
    const std::size_t base = outer * state.window * state.step_bytes;
    const std::size_t from = (outer * length + length - kept) * state.step_bytes;
    copy(base + mark.head * state.step_bytes, from, first * state.step_bytes);
    copy(base, from + first * state.step_bytes, (kept - first) * state.step_bytes);
  }
  mark.head = static_cast<std::uint32_t>((mark.head + kept) % state.window);
  mark.filled = static_cast<std::uint32_t>(std::min(mark.filled + kept, state.window));
  return true;
}

}  // namespace cosyvoice
