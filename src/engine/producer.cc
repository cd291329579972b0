#include "engine/producer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <utility>

#include "frontend/pcm_decoder.h"
#include "runtime/clock.h"

namespace cosyvoice {
namespace {

thread_local bool dispatcher_thread = false;

std::string named(SessionId sid) {
  return "session " + std::to_string(sid);
}

[[noreturn]] void throw_finished(SessionId sid) {
  throw Error(
      ErrorCode::kSessionFinished,
      named(sid) + " takes no more audio: it was finished, closed or has failed; open another with new_session");
}

/// Throws kUnknownSession once the session's last event was pulled, kSessionFinished between its end and that.
void require_open(const Slot& slot, const SlotVisit& visit, SessionId sid) {
  if (slot.pull_ended.load(std::memory_order_acquire) == sid) {
    throw Error(ErrorCode::kUnknownSession,
                named(sid) + " has ended and its last event was taken; open another with new_session");
  }
  if (!visit.open(sid)) throw_finished(sid);
}

const char* encoding_name(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::kS16le:
      return "s16le";
    case Encoding::kF32le:
      return "f32le";
    case Encoding::kMulaw:
      return "mulaw";
    case Encoding::kAlaw:
      return "alaw";
  }
  return "unknown";
}

/// Before any sample is read: a wrong count would lead past the caller's memory.
void require_fits(const Slot& slot, SessionId sid, std::size_t count) {
  if (count <= slot.ring.capacity_samples()) return;
  throw Error(ErrorCode::kInvalidAudio, named(sid) + ": a packet of " + std::to_string(count) +
                                            " samples, and its ring holds " +
                                            std::to_string(slot.ring.capacity_samples()) +
                                            "; nothing was taken. Feed smaller packets or raise ring_bytes");
}

void require_finite(SessionId sid, const float* samples, std::size_t count) {
  if (all_finite(samples, count)) return;
  const float* bad = std::find_if_not(samples, samples + count, [](float sample) { return std::isfinite(sample); });
  throw Error(ErrorCode::kInvalidAudio, named(sid) + ": float sample " + std::to_string(bad - samples) + " of " +
                                            std::to_string(count) +
                                            " is NaN or infinite; nothing was taken. Clean the audio at its source");
}

void refuse_samples(const Slot& slot, SessionId sid, const char* given) {
  if (slot.options.encoding == Encoding::kS16le || slot.options.encoding == Encoding::kF32le) return;
  throw Error(ErrorCode::kInvalidAudio, named(sid) + " was opened with encoding " +
                                            encoding_name(slot.options.encoding) + " and got " + given +
                                            " samples; feed bytes, or open it as s16le or f32le");
}

/// Holds `producer` for a mark or verb; a feed that waits for room is told to give up first where `ends` is set.
class Marking {
 public:
  Marking(Slot& slot, SessionId sid, bool ends) : slot_(slot) {
    for (;;) {
      ProducerState idle = ProducerState::kIdle;
      if (slot_.producer.compare_exchange_weak(idle, ProducerState::kMarking, std::memory_order_acquire)) break;
      if (idle == ProducerState::kFeeding && !ends) {
        throw Error(
            ErrorCode::kConcurrentFeed,
            named(sid) + ": end_utterance while another thread feeds it; one thread at a time owns a session's audio");
      }
      if (ends) slot_.room.notify_all();
      std::this_thread::yield();
    }
  }
  ~Marking() { slot_.producer.store(ProducerState::kIdle, std::memory_order_release); }
  Marking(const Marking&) = delete;
  Marking& operator=(const Marking&) = delete;

 private:
  Slot& slot_;
};

/// Holds `producer` for a feed.
class Feeding {
 public:
  Feeding(Slot& slot, SessionId sid) : slot_(slot) {
    for (;;) {
      ProducerState idle = ProducerState::kIdle;
      if (slot_.producer.compare_exchange_weak(idle, ProducerState::kFeeding, std::memory_order_acquire)) break;
      if (idle == ProducerState::kFeeding) {
        throw Error(
            ErrorCode::kConcurrentFeed,
            named(sid) +
                ": another thread is feeding it; nothing was taken. One thread at a time owns a session's audio");
      }
      std::this_thread::yield();  // a mark is being set: a few instructions
    }
  }
  ~Feeding() { slot_.producer.store(ProducerState::kIdle, std::memory_order_release); }
  Feeding(const Feeding&) = delete;
  Feeding& operator=(const Feeding&) = delete;

 private:
  Slot& slot_;
};

}  // namespace

Producer::Producer(SlotTable& slots, Counters& counters, const EngineOptions& options, std::function<void(Slot&)> wake)
    : slots_(slots),
      counters_(counters),
      back_pressure_(options.back_pressure),
      block_timeout_ns_(options.block_timeout_ms * kNsPerMs),
      wake_(std::move(wake)) {}

void Producer::mark_dispatcher_thread() noexcept {
  dispatcher_thread = true;
}
bool Producer::on_dispatcher_thread() noexcept {
  return dispatcher_thread;
}

void Producer::feed_bytes(SessionId sid, const void* bytes, std::size_t size) {
  Slot& slot = slots_.find(sid);
  const SlotVisit visit(slots_, slot);
  require_open(slot, visit, sid);
  const std::size_t width = bytes_per_sample(slot.options.encoding);
  if (size % width != 0) {
    throw Error(ErrorCode::kInvalidAudio, named(sid) + ": " + std::to_string(size) + " bytes are no whole number of " +
                                              encoding_name(slot.options.encoding) + " samples of " +
                                              std::to_string(width) +
                                              " bytes; nothing was taken. Keep the odd bytes for the next packet");
  }
  const std::size_t samples = size / width;
  require_fits(slot, sid, samples);
  if (slot.options.encoding == Encoding::kF32le) require_finite(sid, static_cast<const float*>(bytes), samples);
  feed(slot, sid, samples, [&](std::int64_t now) { slot.ring.write(bytes, samples, now); });
}

void Producer::feed_samples(SessionId sid, const std::int16_t* samples, std::size_t count) {
  Slot& slot = slots_.find(sid);
  const SlotVisit visit(slots_, slot);
  require_open(slot, visit, sid);
  require_fits(slot, sid, count);
  if (slot.options.encoding == Encoding::kS16le) {
    feed(slot, sid, count, [&](std::int64_t now) { slot.ring.write(samples, count, now); });
    return;
  }
  refuse_samples(slot, sid, "int16");
  feed(slot, sid, count, [&](std::int64_t now) {
    slot.ring.write_with([&](std::byte* to, std::size_t first,
                             std::size_t n) { s16_to_float(samples + first, n, reinterpret_cast<float*>(to)); },
                         count, now);
  });
}

void Producer::feed_samples(SessionId sid, const float* samples, std::size_t count) {
  Slot& slot = slots_.find(sid);
  const SlotVisit visit(slots_, slot);
  require_open(slot, visit, sid);
  refuse_samples(slot, sid, "float32");
  require_fits(slot, sid, count);
  require_finite(sid, samples, count);
  if (slot.options.encoding == Encoding::kF32le) {
    feed(slot, sid, count, [&](std::int64_t now) { slot.ring.write(samples, count, now); });
    return;
  }
  feed(slot, sid, count, [&](std::int64_t now) {
    slot.ring.write_with([&](std::byte* to, std::size_t first,
                             std::size_t n) { float_to_s16(samples + first, n, reinterpret_cast<std::int16_t*>(to)); },
                         count, now);
  });
}

template <class Write>
void Producer::feed(Slot& slot, SessionId sid, std::size_t count, Write&& write) {
  {
    const Feeding feeding(slot, sid);
    if (slot.finishing.load(std::memory_order_acquire)) throw_finished(sid);
    if (count == 0) return;
    if (slot.ring.writable_samples() < count) wait_for_room(slot, sid, count);
    const std::int64_t now = now_ns();
    write(now);
    slot.last_write_ns.store(now, std::memory_order_release);
    cosyvoice::count(counters_.accepted_samples, count);
  }
  wake_(slot);
}

void Producer::wait_for_room(Slot& slot, SessionId sid, std::size_t count) {
  const bool may_block = back_pressure_ == BackPressure::kBlock && !dispatcher_thread;
  const std::int64_t deadline = now_ns() + block_timeout_ns_;
  for (;;) {
    const Wakeup::Ticket ticket = slot.room.prepare();
    if (slot.finishing.load(std::memory_order_acquire)) throw_finished(sid);
    if (slot.ring.writable_samples() >= count) return;
    if (!may_block || !slot.room.wait(ticket, deadline)) {
      throw Error(ErrorCode::kBufferFull,
                  named(sid) + ": its ring has room for " + std::to_string(slot.ring.writable_samples()) + " of " +
                      std::to_string(count) + " samples" +
                      (may_block ? " after " + std::to_string(block_timeout_ns_ / kNsPerMs) + " ms" : std::string()) +
                      "; nothing was taken. Feed in real time, take the session's events, or carry fewer sessions");
    }
  }
}

void Producer::end_utterance(SessionId sid) {
  Slot& slot = slots_.find(sid);
  const SlotVisit visit(slots_, slot);
  require_open(slot, visit, sid);
  {
    const Marking marking(slot, sid, false);
    if (slot.finishing.load(std::memory_order_acquire)) throw_finished(sid);
    if (!slot.marks.push(Mark{Mark::Kind::kEndUtterance, slot.ring.written(), now_ns()})) {
      throw Error(ErrorCode::kBufferFull, named(sid) + ": " + std::to_string(Slot::kMarks) +
                                              " ends of utterances wait to be decoded; nothing was done. Wait for "
                                              "their finals");
    }
  }
  wake_(slot);
}

void Producer::finish(SessionId sid) {
  Slot& slot = slots_.find(sid);
  const SlotVisit visit(slots_, slot);
  if (!visit.open(sid) || slot.finishing.exchange(true, std::memory_order_seq_cst)) return;
  {
    const Marking marking(slot, sid, true);
    slot.finish_mark = Mark{Mark::Kind::kFinish, slot.ring.written(), now_ns()};
    slot.finish_asked.store(true, std::memory_order_release);
  }
  wake_(slot);
}

void Producer::reset(SessionId sid) {
  Slot& slot = slots_.find(sid);
  const SlotVisit visit(slots_, slot);
  if (!visit.open(sid)) return;
  slot.reset_target.store(slot.ring.written(), std::memory_order_release);
  slot.resets_asked.fetch_add(1, std::memory_order_release);
  wake_(slot);
}

void Producer::close_session(SessionId sid) {
  Slot& slot = slots_.find(sid);
  const SlotVisit visit(slots_, slot);
  if (!visit.open(sid)) return;
  slot.finishing.store(true, std::memory_order_seq_cst);
  {
    const Marking marking(slot, sid, true);
    if (!slot.close_asked.load(std::memory_order_relaxed)) slot.close_ns.store(now_ns(), std::memory_order_relaxed);
    slot.close_asked.store(true, std::memory_order_release);
  }
  wake_(slot);
}

}  // namespace cosyvoice
