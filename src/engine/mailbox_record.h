// What an event looks like inside a mailbox: one record of bytes, written once and read once by each reader.
//
//   RecordHead │ PackedWord … │ AlternativeText … │ text │ texts of the alternatives │ padding to 8
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/alternatives.h"
#include "backend/transcript.h"
#include "cosyvoice/engine.h"
#include "runtime/cache_line.h"

namespace cosyvoice {

/// What the Back-End knows of an event; words and text are copied into the mailbox by post().
struct EventHeader {
  EventType type = EventType::kPartial;
  Reason reason = Reason::kNone;
  ErrorCode code = ErrorCode::kOk;
  bool ended = false;
  std::uint8_t pass = 1;
  SessionId sid = 0;
  std::uint64_t utterance = 0;
  std::uint64_t seq = 0;  ///< set by the mailbox
  std::int64_t start_ms = 0, end_ms = 0;
  std::int64_t heard_ms = 0;
  std::int64_t queued_ns = 0;  ///< CLOCK_MONOTONIC when it was queued
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

/// One event as a reader took it: storage is reused, so taking allocates only until it has grown.
struct TakenEvent {
  EventHeader header;
  std::string text;
  std::vector<EventWord> words;
  std::string alternatives_text;
  std::vector<AlternativeText> alternatives;  ///< offsets into alternatives_text
};

/// What an event says, as its maker holds it.
struct EventContent {
  std::string_view text{};
  const EventWord* words = nullptr;
  std::size_t word_count = 0;
  std::string_view alternatives_text{};
  const AlternativeText* alternatives = nullptr;
  std::size_t alternative_count = 0;
};

struct RecordHead {
  EventHeader header;
  std::uint64_t fifo_position = 0;  ///< of a partial: the FIFO's tail when it was posted
  std::uint64_t stamp = 0;          ///< of a partial: counts them, from 1
  std::uint32_t bytes = 0;          ///< of the whole record, a multiple of 8
  std::uint16_t words = 0, text_size = 0;
  std::uint16_t alternatives = 0, alternatives_text_size = 0;
};

/// Times relative to the event's start, so that a word takes 16 bytes.
struct PackedWord {
  std::int32_t start_ms = 0, end_ms = 0;
  float confidence = 0.0F;
  std::uint16_t text_begin = 0, text_size = 0;
};

constexpr std::size_t kMaxRecordBytes =
    round_up(sizeof(RecordHead) + Transcript::kMaxWords * sizeof(PackedWord) + Transcript::kMaxText +
                 Alternatives::kMost * sizeof(AlternativeText) + Alternatives::kMaxText,
             8);

/// Bytes addressed modulo a power of two (mask + 1); a record may wrap.
struct RecordRing {
  std::byte* base;
  std::size_t mask;
  std::uint64_t shift;

  void write(std::uint64_t position, const void* bytes, std::size_t size) const noexcept;
  void read(std::uint64_t position, void* bytes, std::size_t size) const noexcept;
  RecordHead read_head(std::uint64_t position) const noexcept;
};

/// Cuts what is longer than a transcript can be (text at a UTF-8 boundary, words that would reach past it left out) and
/// returns the record's head with its sizes set.
RecordHead measure_record(const EventHeader& header, const EventContent& content) noexcept;
/// Writes a measured record. `content` is that which was measured.
void write_record(const RecordRing& ring, std::uint64_t position, const RecordHead& head,
                  const EventContent& content) noexcept;
/// Fills `event` from the record whose head was read.
void read_record(const RecordRing& ring, std::uint64_t position, const RecordHead& head, TakenEvent& event);

}  // namespace cosyvoice
