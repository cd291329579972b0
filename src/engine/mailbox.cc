#include "engine/mailbox.h"

#include <algorithm>

namespace cosyvoice {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPartialBytes = next_power_of_two(round_up(kMaxRecordBytes, kPage));
constexpr std::size_t kPartialBuffers = 3;
constexpr std::uint32_t kBufferMask = 3;

}  // namespace

std::size_t Mailbox::bytes_needed(std::size_t fifo_bytes) {
  return round_up(fifo_bytes, kPage) + kPartialBuffers * kPartialBytes;
}

Mailbox::Mailbox(std::byte* memory, std::size_t fifo_bytes) : memory_(memory), fifo_bytes_(fifo_bytes) {
  constexpr std::size_t kLeast = next_power_of_two(kReservedEvents * kMaxRecordBytes);
  if (!is_power_of_two(fifo_bytes) || fifo_bytes < kLeast) {
    throw Error(ErrorCode::kInvalidArgument, "fifo_bytes is " + std::to_string(fifo_bytes) +
                                                 ", expected a power of two of at least " + std::to_string(kLeast) +
                                                 " (three events of the largest size); leave it at its default");
  }
}

void Mailbox::open(SessionId sid, bool callback_active, bool pull_active) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sid_ = sid;
  places_ = {};
  place(Reader::kCallback).active = callback_active;
  place(Reader::kPull).active = pull_active;
  writer_buffer_ = 0;
  middle_.store(1, std::memory_order_relaxed);
  reader_buffer_ = 2;
  reader_stamp_ = stamp_ = seq_ = 0;
  shift_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_seq_cst);
  head_.store(callback_active || pull_active ? kHeld : 0, std::memory_order_seq_cst);
}

RecordRing Mailbox::partial(std::uint32_t buffer) const noexcept {
  return {memory_ + round_up(fifo_bytes_, kPage) + buffer * kPartialBytes, kPartialBytes - 1, 0};
}

// ---- the writer

void Mailbox::post_partial(EventHeader header, const EventContent& content) noexcept {
  const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  if ((tail & kEnded) != 0) return;
  header.seq = seq_;
  RecordHead head = measure_record(header, content);
  head.fifo_position = tail;
  head.stamp = ++stamp_;
  write_record(partial(writer_buffer_), 0, head, content);
  writer_buffer_ = middle_.exchange(writer_buffer_ | kFresh, std::memory_order_acq_rel) & kBufferMask;
}

bool Mailbox::post(EventHeader header, const EventContent& content) noexcept {
  const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  if ((tail & kEnded) != 0) return false;
  header.seq = seq_ + 1;
  const RecordHead head = measure_record(header, content);
  const std::uint64_t oldest = position_of(head_.load(std::memory_order_acquire));
  if (tail - oldest + head.bytes > fifo_bytes_) return false;
  // No reader has anything left to read, and none can until tail_ moves: records may be laid elsewhere.
  if (oldest == tail) shift_.store(0 - tail, std::memory_order_relaxed);
  write_record(fifo(), tail, head, content);
  ++seq_;
  // Sequentially consistent with the readers' stores to head_: either forget_oldest() sees that no reader is left, or
  // the reader that leaves sees this record (forget_all).
  tail_.store((tail + head.bytes) | (header.ended ? kEnded : 0), std::memory_order_seq_cst);
  forget_oldest();
  return true;
}

void Mailbox::forget_oldest() noexcept {
  std::uint64_t head = head_.load(std::memory_order_seq_cst);
  if ((head & kHeld) != 0) return;
  const std::uint64_t tail = position_of(tail_.load(std::memory_order_relaxed));
  const std::uint64_t kept_at_most = fifo_bytes_ - kReservedEvents * kMaxRecordBytes;
  std::uint64_t oldest = head;
  while (tail - oldest > kept_at_most) oldest += fifo().read_head(oldest).bytes;
  // Where this fails a reader came in between: it holds the records now, or has forgotten them all.
  if (oldest != head) head_.compare_exchange_strong(head, oldest, std::memory_order_seq_cst);
}

bool Mailbox::has_room(std::size_t events) const noexcept {
  const std::uint64_t oldest = position_of(head_.load(std::memory_order_seq_cst));
  const std::uint64_t used = position_of(tail_.load(std::memory_order_acquire)) - oldest;
  return used + events * kMaxRecordBytes <= fifo_bytes_;
}

// ---- readers

bool Mailbox::set_active(SessionId sid, Reader reader, bool active) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (sid != sid_) return false;
  Place& mine = place(reader);
  if (mine.active == active) return true;
  if (active) {
    // From here on the writer forgets nothing: its compare-and-swap fails on the bit. A reader that was here before is
    // not given again what it took then.
    mine.cursor = std::max(mine.cursor, position_of(head_.fetch_or(kHeld, std::memory_order_seq_cst)));
    mine.active = true;
  } else {
    mine.active = false;
    publish_head();
  }
  return true;
}

bool Mailbox::active(SessionId sid, Reader reader) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sid == sid_ && places_[static_cast<std::size_t>(reader)].active;
}

void Mailbox::publish_head() noexcept {
  bool held = false;
  std::uint64_t oldest = UINT64_MAX;
  for (const Place& each : places_) {
    if (!each.active) continue;
    held = true;
    oldest = std::min(oldest, each.cursor);
  }
  if (held) {
    head_.store(oldest | kHeld, std::memory_order_seq_cst);
  } else {
    forget_all();
  }
}

void Mailbox::forget_all() noexcept {
  std::uint64_t forgotten = position_of(tail_.load(std::memory_order_seq_cst));
  head_.store(forgotten, std::memory_order_seq_cst);
  for (;;) {
    // The writer may have posted meanwhile, taking us for a reader still. Where the swap fails it has seen that we are
    // gone.
    const std::uint64_t tail = position_of(tail_.load(std::memory_order_seq_cst));
    if (tail == forgotten) return;
    if (!head_.compare_exchange_strong(forgotten, tail, std::memory_order_seq_cst)) return;
    forgotten = tail;
  }
}

bool Mailbox::take(SessionId sid, Reader reader, TakenEvent& event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Place& mine = place(reader);
  if (sid != sid_ || !mine.active) return false;
  // The last look is for a final that was posted, with a partial after it, between the first two.
  return take_fifo(mine, event) || take_current_partial(mine, event) || take_fifo(mine, event);
}

bool Mailbox::take_partial(SessionId sid, Reader reader, TakenEvent& event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Place& mine = place(reader);
  return sid == sid_ && mine.active && take_current_partial(mine, event);
}

bool Mailbox::take_fifo(Place& mine, TakenEvent& event) {
  if (mine.cursor == position_of(tail_.load(std::memory_order_acquire))) return false;
  const RecordHead head = fifo().read_head(mine.cursor);
  read_record(fifo(), mine.cursor, head, event);
  mine.cursor += head.bytes;
  publish_head();
  return true;
}

bool Mailbox::take_current_partial(Place& mine, TakenEvent& event) {
  if ((middle_.load(std::memory_order_relaxed) & kFresh) != 0) {
    reader_buffer_ = middle_.exchange(reader_buffer_, std::memory_order_acq_rel) & kBufferMask;
    reader_stamp_ = partial(reader_buffer_).read_head(0).stamp;
  }
  if (reader_stamp_ <= mine.partial_taken) return false;
  const RecordHead head = partial(reader_buffer_).read_head(0);
  if (head.fifo_position != mine.cursor) return false;
  if (position_of(tail_.load(std::memory_order_acquire)) != mine.cursor) return false;  // its final came
  read_record(partial(reader_buffer_), 0, head, event);
  mine.partial_taken = head.stamp;
  return true;
}

bool Mailbox::exhausted() const noexcept {
  const std::uint64_t tail = tail_.load(std::memory_order_seq_cst);
  if ((tail & kEnded) == 0) return false;
  const std::uint64_t head = head_.load(std::memory_order_seq_cst);
  return (head & kHeld) == 0 || position_of(head) == position_of(tail);
}

}  // namespace cosyvoice
