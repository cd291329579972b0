// Back-End → outlets, one for each session.
//
//   Back-End ── post_partial ──►  latest partial (a newer one replaces it)   ──► reader `callback` (the dispatcher)
//            ── post ──────────►  FIFO of everything else, bounded           ──► reader `pull` (next_event, next_partial)
//
// One writer, which never waits and takes no lock; readers exclude each other with a mutex the writer does not touch. Each of the two readers
// has its own place in the FIFO; an inactive reader holds nothing up. Rules kept here: no partial after its final (a partial
// is given out only when its `seq` is that of the last FIFO event this reader took), finals are never dropped (the
// engine asks has_room() before it lets the session decode), nothing follows `ended`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "backend/transcript.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {

/// What the Back-End knows of an event; words and text are copied into the mailbox by post().
struct EventHeader {
  EventType type = EventType::kPartial;
  Reason reason = Reason::kNone;
  ErrorCode code = ErrorCode::kOk;
  bool ended = false;
  SessionId sid = 0;
  std::uint64_t utterance = 0;
  std::uint64_t seq = 0;               ///< set by the mailbox
  std::int64_t start_ms = 0, end_ms = 0;
  std::int64_t queued_ns = 0;          ///< CLOCK_MONOTONIC when it was queued
  std::int64_t model_version = 0;
  double delay_ms = 0.0;
  float confidence = 0.0F;
};

/// Word times in milliseconds of the session, text as offsets into the event's text.
struct EventWord {
  std::uint32_t text_begin = 0, text_size = 0;
  std::int64_t start_ms = 0, end_ms = 0;
  float confidence = 0.0F;
};

enum class Reader : std::uint8_t { kCallback = 0, kPull = 1 };

/// One event as a reader took it: storage is reused, so taking allocates only until it has grown.
struct TakenEvent {
  EventHeader header;
  std::string text;
  std::vector<EventWord> words;
};

class Mailbox {
 public:
  /// Bytes for a FIFO of `fifo_bytes` (a power of two) and the partials; the memory is the caller's (mapped at start).
  static std::size_t bytes_needed(std::size_t fifo_bytes);
  /// The most bytes one event can take in the FIFO.
  static std::size_t max_event_bytes();
  Mailbox(std::byte* memory, std::size_t fifo_bytes);

  /// For a new session in this slot: empty, seq 0; `active` readers only.
  void open(bool callback_active, bool pull_active);

  // The writer (Back-End thread).
  void post_partial(EventHeader header, std::string_view text, const EventWord* words, std::size_t count) noexcept;
  void post(EventHeader header, std::string_view text, const EventWord* words, std::size_t count) noexcept;
  /// Room for `events` of the largest size.
  bool has_room(std::size_t events) const noexcept;

  // Readers (any thread).
  void set_active(Reader reader, bool active);
  bool active(Reader reader) const noexcept;
  /// The next event for this reader, FIFO first, then a partial that is current. False: nothing.
  bool take(Reader reader, TakenEvent& event);
  /// Only the current partial.
  bool take_partial(Reader reader, TakenEvent& event);
  /// Every active reader has taken the event with `ended` (or there is no active reader and it was posted).
  bool exhausted() const noexcept;

  // ... private members are the implementer's
};

}  // namespace cosyvoice
