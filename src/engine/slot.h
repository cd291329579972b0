// One session's fixed place: everything it needs, in memory mapped at start. Who may touch what:
//
//   producer part   callers of feed_pcm and of the marks, one at a time (`producer`), all under a SlotVisit
//   front part      the Front-End thread
//   flight          passes round: Front-End (order) → worker (chunk) → Back-End (result) → Front-End. `in_flight` is
//   the hand-over:
//                   the Front-End sets it, the Back-End clears it, and between the two only the Core and the Back-End
//                   touch the flight, the states and the back part.
//   back part       the Back-End thread, while a flight is with it
//   mailbox         the Back-End writes, outlets read
//
// A slot is kFree → kOpening (new_session fills it) → kOpen → kOver (the Front-End has done its last step) → kFree (the
// last event was taken). Entries for a slot that wait in a stage's queue may outlive a session: they are harmless, each
// stage looks at the state first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/ctc_search.h"
#include "backend/transcript.h"
#include "cosyvoice/engine.h"
#include "engine/counters.h"
#include "engine/dictionary.h"
#include "engine/mailbox.h"
#include "frontend/audio_ring.h"
#include "frontend/energy_vad.h"
#include "frontend/feature_stream.h"
#include "frontend/speech_track.h"
#include "frontend/utterance_audio.h"
#include "runtime/spsc_ring.h"
#include "runtime/wakeup.h"
#include "types/feature_chunk.h"

namespace cosyvoice {

struct ModelInstance;

enum class SlotState : std::uint8_t { kFree, kOpening, kOpen, kOver };
enum class ProducerState : std::uint8_t { kIdle, kFeeding, kMarking };

/// A place in the audio at which the utterance ends; all audio before it is decoded first.
struct Mark {
  enum class Kind : std::uint8_t { kNone, kEndUtterance, kIdle, kFinish };
  Kind kind = Kind::kNone;
  std::uint64_t sample = 0;  ///< of the session, at its own rate
  std::int64_t at_ns = 0;    ///< when it was asked for: the final's delay counts from here
};

/// Front-End → Back-End: what to do with a slot, beside the network's output.
struct FlightOrder {
  enum class Kind : std::uint8_t {
    kChunk,
    kSkip,    ///< a chunk that is silent: the network does not hear it
    kSpeech,  ///< speech began at start_ms
    kMark,
    kReset,
    kClose
  };
  Kind kind = Kind::kChunk;
  Mark::Kind mark = Mark::Kind::kNone;  ///< kChunk: the utterance ends with this chunk; kMark: it ends without one
  std::int64_t start_ms = 0;            ///< of the chunk's first frame; of the dropped stretch
  std::int64_t end_ms = 0;              ///< where the audio handled so far ends
  std::int64_t heard_ms = 0;            ///< the same with the look-ahead: audio without which this was not possible
  std::int64_t since_ns = 0;            ///< the delay of what comes of it counts from here
  std::uint64_t decoded_until = 0;      ///< session sample up to which audio counts as decoded once this is done
  bool speaking = false;                ///< a detector hears speech at the chunk's end
};

/// A final waits for a second pass over this stretch of the session's audio.
struct HearAgain {
  std::uint64_t id = 0;  ///< 0: none
  std::uint64_t utterance = 0;
  std::int64_t begin_ms = 0, end_ms = 0;
  std::int64_t deadline_ns = -1;  ///< after it nobody needs the answer; < 0: not known yet
};

/// Back-End → Front-End.
struct FlightResult {
  bool restart = false;              ///< an end-point: states start afresh
  bool failed = false;               ///< the session ended with an error
  std::int64_t silence_ms = 0;       ///< blank before the end-point: what of it may be read again
  bool has_words = false;            ///< the open utterance has
  std::int64_t quiet_ms = 0;         ///< blank, heard or skipped, at the end of all audio so far
  std::int64_t silence_left_ms = 0;  ///< the utterance ends after so much more of it
  std::int64_t keep_ms = 0;          ///< audio from here on may be heard again
  HearAgain hear_again;
};

struct Slot {
  Slot(std::uint32_t slot_index, std::byte* ring_memory, std::size_t ring_bytes, std::byte* feature_memory,
       std::size_t feature_bytes, float* log_prob_memory, std::byte* mailbox_memory, std::size_t fifo_bytes,
       std::byte* audio_memory, std::size_t audio_bytes, std::byte* search_memory, std::uint32_t hypotheses)
      : index(slot_index),
        ring(ring_memory, ring_bytes),
        marks(kMarks),
        stream(feature_memory, feature_bytes),
        audio(audio_memory, audio_bytes),
        log_probs(log_prob_memory),
        decoder(search_memory, hypotheses),
        mailbox(mailbox_memory, fifo_bytes) {}

  static constexpr std::size_t kMarks = 64;  ///< ends of utterances that may wait

  const std::uint32_t index;
  std::atomic<SlotState> state{SlotState::kFree};
  std::atomic<SessionId> sid{0};
  std::uint64_t generation = 0;  ///< sessions this slot has had; the table's lock

  // Set by new_session, constant while the session lives.
  SessionOptions options;
  std::shared_ptr<ModelInstance> model;
  std::uint32_t chunk_frames = 0;
  std::uint32_t queue = 0;

  Published<HotwordList> hotwords;  ///< the session's own; any thread may replace them

  // Producer part.
  std::atomic<ProducerState> producer{ProducerState::kIdle};
  std::atomic<bool> finishing{false};  ///< no more audio: finish, close or an error
  AudioRing ring;
  SpscRing<Mark> marks;  ///< end_utterance: pushed by whoever holds `producer`, popped by the Front-End
  std::atomic<bool> finish_asked{false};  ///< `finish_mark` is written: it comes after all of `marks`
  Mark finish_mark;
  Wakeup room;                                 ///< the ring got room, or the session ends
  std::atomic<std::uint64_t> reset_target{0};  ///< samples before this are to be discarded …
  std::atomic<std::uint32_t> resets_asked{0};  ///< … when this differs from Front::resets_done
  std::atomic<bool> close_asked{false};
  std::atomic<std::int64_t> close_ns{0};
  std::atomic<std::int64_t> last_write_ns{0};

  // Front part.
  FeatureStream stream;
  UtteranceAudio audio;  ///< for the second pass; keeps nothing without one
  EnergyVad energy;      ///< these two where silence is skipped
  SpeechTrack speech;
  struct Front {
    std::uint64_t stream_start = 0;  ///< session sample that is the stream's sample 0
    std::uint64_t next_frame = 0;    ///< of the stream: where the next chunk begins
    std::int64_t position = 0;       ///< feature frames since the states were fresh
    bool fresh = true;
    bool awaiting = false;   ///< a flight is out or its result was not looked at yet
    bool held_back = false;  ///< the next chunk waits to know whether speech follows it
    Mark mark;               ///< the end being worked towards, if any
    std::uint32_t resets_done = 0;
  } front;

  // Flight.
  std::atomic<bool> in_flight{false};
  FlightOrder order;
  FlightResult result;
  std::uint64_t accounted = 0;  ///< samples counted as decoded or dropped; with the flight, or the Front-End's
  FeatureChunk chunk;
  float* log_probs;

  // Back part.
  CtcSearch decoder;
  Transcript transcript;
  struct Back {
    std::uint64_t utterance = 1;
    std::int64_t origin_ms = 0;    ///< session time of the transcript's frame 0
    bool anything = false;         ///< the open utterance has had a chunk
    bool announced = false;        ///< its speech_start was posted
    std::int64_t quiet_ms = 0;     ///< FlightResult's
    std::size_t shown_text = 0;    ///< size and …
    std::uint64_t shown_hash = 0;  ///< … hash of the text of the last partial
    std::int64_t keep_ms = 0;      ///< audio before is not kept for a second pass, or belongs to utterances before
    std::shared_ptr<const Dictionary> dictionary;  ///< of the utterance since its first word; null: none
  } back;

  // Delivery.
  Mailbox mailbox;
  Wakeup events;  ///< for those who pull
  std::atomic<bool> pulled{false};
  std::atomic<bool> fifo_blocked{false};   ///< decoding waits until an event is taken
  std::atomic<bool> held_blocked{false};   ///< events that the Back-End holds wait until one is taken
  std::atomic<std::uint32_t> held{0};      ///< events that wait for a second pass, or behind one; the Back-End writes
  std::atomic<SessionId> pull_ended{0};    ///< the session whose `ended` was pulled
  std::atomic<std::uint32_t> visitors{0};  ///< callers inside (SlotVisit): the slot must not be reused
};

/// After this the session takes no more audio and no marks. Any thread; waits for one that is being written.
void refuse_audio(Slot& slot) noexcept;

enum class Fate : std::uint8_t { kDecoded, kSkipped, kDropped };
/// Counts the session's samples before `until` that were not counted yet. Whoever has the flight, or the Front-End
/// without one; before the event that tells of it.
void account(Slot& slot, Counters& counters, std::uint64_t until, Fate fate) noexcept;

}  // namespace cosyvoice
