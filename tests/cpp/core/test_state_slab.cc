#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "core/state_slab.h"

using namespace cosyvoice;

namespace {

StateOptions state_of(std::vector<std::uint32_t> shape, std::uint32_t batch_axis, Advance advance,
                      std::uint32_t axis = 0) {
  StateOptions state;
  state.shape = std::move(shape);
  state.batch_axis = batch_axis;
  state.advance = advance;
  state.axis = axis;
  state.initial = -1.0F;
  return state;
}

std::vector<float> gathered(const StateSlab& slab, std::uint32_t slot, bool fresh, BatchRow at, std::size_t values) {
  std::vector<float> tensor(values, 99.0F);
  slab.gather(0, slot, fresh, at, reinterpret_cast<std::byte*>(tensor.data()));
  return tensor;
}

bool scattered(StateSlab& slab, std::uint32_t slot, bool fresh, BatchRow at, const std::vector<float>& tensor) {
  return slab.scatter(0, slot, fresh, at, reinterpret_cast<const std::byte*>(tensor.data()),
                      tensor.size() * sizeof(float));
}

}  // namespace

TEST_CASE("a replaced state comes back from its own row and slot") {
  StateSlab slab({state_of({1, 2}, 0, Advance::kReplace)}, 2);
  CHECK(gathered(slab, 0, true, {1, 3}, 6) == std::vector<float>{99, 99, -1, -1, 99, 99});
  CHECK(scattered(slab, 0, true, {1, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(scattered(slab, 1, true, {2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(gathered(slab, 0, false, {0, 2}, 4) == std::vector<float>{3, 4, 99, 99});
  CHECK(gathered(slab, 1, false, {0, 1}, 2) == std::vector<float>{5, 6});
  CHECK(gathered(slab, 0, true, {0, 1}, 2) == std::vector<float>{-1, -1});
}

TEST_CASE("a batch axis inside interleaves the rows") {
  // Shape [2, 1, 2]: with 2 rows the tensor is [2, 2, 2], row r at [:, r, :].
  StateSlab slab({state_of({2, 1, 2}, 1, Advance::kReplace)}, 1);
  CHECK(scattered(slab, 0, true, {1, 2}, {0, 1, 10, 11, 2, 3, 12, 13}));
  CHECK(gathered(slab, 0, false, {0, 1}, 4) == std::vector<float>{10, 11, 12, 13});
  CHECK(gathered(slab, 0, false, {0, 2}, 8) == std::vector<float>{10, 11, 99, 99, 12, 13, 99, 99});
}

TEST_CASE("a ring is unrolled oldest first, initial values where nothing was written") {
  StateSlab slab({state_of({1, 4, 1}, 0, Advance::kRing, 1)}, 1);
  CHECK(gathered(slab, 0, true, {0, 1}, 4) == std::vector<float>{-1, -1, -1, -1});
  CHECK(scattered(slab, 0, true, {0, 1}, {1, 2, 3}));
  CHECK(gathered(slab, 0, false, {0, 1}, 4) == std::vector<float>{-1, 1, 2, 3});
  CHECK(scattered(slab, 0, false, {0, 1}, {4, 5}));
  CHECK(gathered(slab, 0, false, {0, 1}, 4) == std::vector<float>{2, 3, 4, 5});
  CHECK(scattered(slab, 0, false, {0, 1}, {6}));
  CHECK(gathered(slab, 0, false, {0, 1}, 4) == std::vector<float>{3, 4, 5, 6});
  // Longer than the window: its end counts.
  CHECK(scattered(slab, 0, false, {0, 1}, {7, 8, 9, 10, 11, 12}));
  CHECK(gathered(slab, 0, false, {0, 1}, 4) == std::vector<float>{9, 10, 11, 12});
  // A new utterance forgets without clearing.
  CHECK(scattered(slab, 0, true, {0, 1}, {20}));
  CHECK(gathered(slab, 0, false, {0, 1}, 4) == std::vector<float>{-1, -1, -1, 20});
}

TEST_CASE("an output whose size does not fit is refused and changes nothing") {
  StateSlab slab({state_of({1, 4, 2}, 0, Advance::kRing, 1)}, 1);
  CHECK(scattered(slab, 0, true, {0, 1}, {1, 2}));
  CHECK_FALSE(scattered(slab, 0, false, {0, 1}, {3, 4, 5}));
  CHECK_FALSE(scattered(slab, 0, false, {0, 2}, {3, 4}));
  CHECK_FALSE(scattered(slab, 0, false, {0, 1}, {}));
  CHECK(gathered(slab, 0, false, {0, 1}, 8) == std::vector<float>{-1, -1, -1, -1, -1, -1, 1, 2});
  StateSlab replaced({state_of({1, 2}, 0, Advance::kReplace)}, 1);
  CHECK_FALSE(scattered(replaced, 0, true, {0, 1}, {1, 2, 3}));
}

TEST_CASE("a slot's bytes are whole cache lines, and no state needs no memory") {
  StateSlab slab({state_of({1, 3}, 0, Advance::kReplace), state_of({1, 40}, 0, Advance::kReplace)}, 1);
  CHECK(slab.row_bytes(0) == 12);
  CHECK(slab.bytes_per_slot() == 64 + 64 + 192);
  CHECK(StateSlab({}, 5).bytes_per_slot() == 0);
}

TEST_CASE("float16 states hold their bits, and their initial value") {
  StateOptions state = state_of({1, 3}, 0, Advance::kRing, 1);
  state.type = ElementType::kF16;
  state.initial = 1.0F;
  StateSlab slab({state}, 1);
  const std::uint16_t value = 0x1234;
  CHECK(slab.scatter(0, 0, true, {0, 1}, reinterpret_cast<const std::byte*>(&value), sizeof value));
  std::vector<std::uint16_t> tensor(3);
  slab.gather(0, 0, false, {0, 1}, reinterpret_cast<std::byte*>(tensor.data()));
  CHECK(tensor == std::vector<std::uint16_t>{0x3C00, 0x3C00, 0x1234});
}

namespace {

/// The plain definition: a state as a list of steps along its axis, each step a map from the other axes' indices.
struct PlainRing {
  StateOptions options;
  std::deque<std::vector<float>> steps;  // oldest first, each [outer][inner]

  std::size_t outer() const { return length(0, options.axis); }
  std::size_t inner() const { return length(options.axis + 1, options.shape.size()); }
  std::size_t length(std::size_t begin, std::size_t end) const {
    std::size_t result = 1;
    for (std::size_t i = begin; i < end; ++i) result *= options.shape[i];
    return result;
  }
};

/// Index in a batched tensor of the element with these coordinates (batch coordinate replaced by the row).
std::size_t element_index(const StateOptions& options, std::size_t steps, std::size_t rows, std::size_t row,
                          std::size_t outer, std::size_t step, std::size_t inner) {
  std::vector<std::size_t> coordinates(options.shape.size());
  for (std::size_t axis = options.shape.size(); axis-- > options.axis + 1;) {
    coordinates[axis] = inner % options.shape[axis];
    inner /= options.shape[axis];
  }
  coordinates[options.axis] = step;
  for (std::size_t axis = options.axis; axis-- > 0;) {
    coordinates[axis] = outer % options.shape[axis];
    outer /= options.shape[axis];
  }
  coordinates[options.batch_axis] = row;
  std::size_t index = 0;
  for (std::size_t axis = 0; axis < options.shape.size(); ++axis) {
    const std::size_t size = axis == options.batch_axis ? rows : axis == options.axis ? steps : options.shape[axis];
    index = index * size + coordinates[axis];
  }
  return index;
}

}  // namespace

TEST_CASE("rings on any axis and batch axis agree with the plain definition") {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t limit) {
    return static_cast<std::uint32_t>(std::uniform_int_distribution<std::size_t>(0, limit - 1)(random));
  };
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint32_t rank = 2 + below(3);
    StateOptions options;
    options.advance = Advance::kRing;
    options.initial = 0.25F;
    for (std::uint32_t axis = 0; axis < rank; ++axis) options.shape.push_back(1 + below(4));
    options.batch_axis = below(rank);
    options.shape[options.batch_axis] = 1;
    do options.axis = below(rank);
    while (options.axis == options.batch_axis);
    constexpr std::uint32_t kSlots = 3;
    StateSlab slab({options}, kSlots);
    std::vector<PlainRing> plain(kSlots, PlainRing{options, {}});
    const std::size_t outer = plain[0].outer(), inner = plain[0].inner(), window = options.shape[options.axis];
    std::vector<bool> opened(kSlots, false);
    for (int operation = 0; operation < 12; ++operation) {
      const std::uint32_t slot = below(kSlots);
      const bool fresh = !opened[slot] || below(5) == 0;
      opened[slot] = true;
      if (fresh) plain[slot].steps.assign(window, std::vector<float>(outer * inner, options.initial));
      const std::size_t rows = 1 + below(3), row = below(rows), length = 1 + below(window + 2);
      std::vector<float> in(rows * outer * window * inner, -5.0F), expected = in;
      slab.gather(0, slot, fresh, {row, rows}, reinterpret_cast<std::byte*>(in.data()));
      std::vector<float> out(rows * outer * length * inner);
      for (float& value : out) value = static_cast<float>(below(1000));
      for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < inner; ++i) {
          for (std::size_t s = 0; s < window; ++s) {
            expected[element_index(options, window, rows, row, o, s, i)] = plain[slot].steps[s][o * inner + i];
          }
        }
      }
      CHECK(in == expected);
      CHECK(scattered(slab, slot, fresh, {row, rows}, out));
      for (std::size_t s = 0; s < length; ++s) {
        std::vector<float> step(outer * inner);
        for (std::size_t o = 0; o < outer; ++o) {
          for (std::size_t i = 0; i < inner; ++i) {
            step[o * inner + i] = out[element_index(options, length, rows, row, o, s, i)];
          }
        }
        plain[slot].steps.push_back(step);
        plain[slot].steps.pop_front();
      }
    }
  }
}
