// Back-End → outlets, one for each session.
//
//   Back-End ── post_partial ──►  latest partial (a newer one replaces it)   ──► reader `callback` (the dispatcher)
//            ── post ──────────►  FIFO of everything else, bounded           ──► reader `pull` (next_event …)
//
// One writer, which never waits and takes no lock; readers exclude each other with a mutex the writer does not touch.
// Each of the two readers has its own place in the FIFO; an inactive reader holds nothing up. Rules kept here: no
// partial after its final (a partial is given out only while the FIFO event that preceded it is the last one this
// reader took), finals are never dropped (the engine asks has_room() before it lets the session decode), nothing
// follows `ended`.
//
// The FIFO is a ring of bytes in the caller's memory. Positions only grow:
//
//              head (the slowest active reader)     tail (the writer)
//                ▼                                    ▼
//   … free │ record │ record │ record │ record │ free …          place = (position + shift) mod size
//
// The lowest bit of `head` says whether any reader is active, that of `tail` whether `ended` was posted. While a reader
// is, only readers move the head. While none is, the writer throws away the oldest records, so that kReservedEvents
// always fit; a reader that joins starts at the head in either case. Where the FIFO is empty the writer shifts the next
// record to the first byte, so a session whose events are taken promptly touches one page of it. Partials pass through
// three buffers that the two sides exchange.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend/transcript.h"
#include "cosyvoice/engine.h"
#include "engine/mailbox_record.h"
#include "runtime/cache_line.h"

namespace cosyvoice {

enum class Reader : std::uint8_t { kCallback = 0, kPull = 1 };

class Mailbox {
 public:
  /// has_room() may be asked for as many; with no active reader there is always room for them.
  static constexpr std::size_t kReservedEvents = 3;

  /// Bytes for a FIFO of `fifo_bytes` and the partials; the memory is the caller's (mapped at start, 64-byte aligned).
  static std::size_t bytes_needed(std::size_t fifo_bytes);
  /// The most bytes one event can take in the FIFO. Longer texts and word lists are cut.
  static constexpr std::size_t max_event_bytes() noexcept { return kMaxRecordBytes; }
  /// Throws kInvalidArgument unless `fifo_bytes` is a power of two that holds kReservedEvents.
  Mailbox(std::byte* memory, std::size_t fifo_bytes);
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// For a new session in this slot: empty, seq 0. Readers of the session before are refused from here on, by their
  /// sid, so they may be anywhere. The caller guarantees that no writer is inside, and hands over to the next with a
  /// happens-before (the slot's publication does it).
  void open(SessionId sid, bool callback_active, bool pull_active);

  // The writer (one thread at a time, handed on with a happens-before).

  /// Replaces the partial that was not taken yet. Nothing after `ended`.
  void post_partial(EventHeader header, const EventContent& content) noexcept;
  /// Queues an event and gives it the next seq. False, and nothing is queued: no room (has_room() was not asked), or
  /// `ended` was posted already.
  bool post(EventHeader header, const EventContent& content) noexcept;
  /// Room for `events` (kReservedEvents at most) of the largest size. Any thread may ask; a true stays true for the
  /// writer until it posts. Sequentially consistent with the readers: who raises a flag and then finds no room here is
  /// seen by a reader that takes an event and then looks at the flag.
  bool has_room(std::size_t events) const noexcept;
  /// seq of the last event that is not a partial; 0: none.
  std::uint64_t last_seq() const noexcept { return seq_; }

  // Readers (any thread). A call with the sid of a session that is gone from this slot changes nothing and returns
  // false.

  /// A reader made active starts at the oldest event that any active reader has left, or where none is active, at the
  /// oldest kept; never before what it took earlier. One made inactive lets go of its events; those that no active
  /// reader has left are forgotten.
  bool set_active(SessionId sid, Reader reader, bool active);
  bool active(SessionId sid, Reader reader) const;
  /// The next event for this reader, FIFO first, then a partial that is current. False: nothing.
  bool take(SessionId sid, Reader reader, TakenEvent& event);
  /// Only the current partial: none while the FIFO holds events that this reader has not taken.
  bool take_partial(SessionId sid, Reader reader, TakenEvent& event);
  /// Every active reader has taken the event with `ended` (or there is no active reader and it was posted). Of the
  /// session that is open now; takes no lock. Whoever makes it so (by post, take or set_active) sees it in the next
  /// call; if two did at once, both may.
  bool exhausted() const noexcept;

 private:
  static constexpr std::size_t kReaders = 2;
  static constexpr std::uint32_t kFresh = 4;  // in middle_: not yet fetched by the readers

  // Positions are multiples of 8, so head_ and tail_ each have a bit to spare.
  static constexpr std::uint64_t kHeld = 1;   // in head_: a reader is active
  static constexpr std::uint64_t kEnded = 1;  // in tail_: the last record is the one with `ended`
  static constexpr std::uint64_t position_of(std::uint64_t word) noexcept { return word & ~std::uint64_t{1}; }

  struct Place {
    bool active = false;
    std::uint64_t cursor = 0;         // position of the next FIFO record
    std::uint64_t partial_taken = 0;  // stamp of the last partial it was given
  };

  RecordRing fifo() const noexcept { return {memory_, fifo_bytes_ - 1, shift_.load(std::memory_order_relaxed)}; }
  RecordRing partial(std::uint32_t buffer) const noexcept;

  // Writer.
  void forget_oldest() noexcept;

  // Readers, under mutex_.
  Place& place(Reader reader) noexcept { return places_[static_cast<std::size_t>(reader)]; }
  void publish_head() noexcept;
  void forget_all() noexcept;
  bool take_fifo(Place& place, TakenEvent& event);
  bool take_current_partial(Place& place, TakenEvent& event);

  std::byte* memory_;
  std::size_t fifo_bytes_;

  // Written by the writer.
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> shift_{0};  // changed only while the FIFO is empty, published by tail_
  std::uint64_t seq_ = 0;
  std::uint64_t stamp_ = 0;  // counts partials
  std::uint32_t writer_buffer_ = 0;

  // Exchanged: the buffer with the latest partial.
  alignas(kCacheLine) std::atomic<std::uint32_t> middle_{1};

  // Written by readers (and, while none is active, by the writer: head_).
  alignas(kCacheLine) std::atomic<std::uint64_t> head_{0};
  mutable std::mutex mutex_;
  SessionId sid_ = 0;
  std::uint32_t reader_buffer_ = 2;
  std::uint64_t reader_stamp_ = 0;  // of the partial in reader_buffer_; 0: none
  std::array<Place, kReaders> places_{};
};

}  // namespace cosyvoice
