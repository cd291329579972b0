#include "engine/frontend_stage.h"

#include <algorithm>
#include <utility>

#include "engine/outbox.h"
#include "engine/slot_time.h"
#include "runtime/clock.h"
#include "runtime/thread.h"

namespace cosyvoice {
namespace {

/// That one flight may make: speech_start, and the final after it.
constexpr std::size_t kMostEvents = 2;

bool reset_waits(const Slot& slot) noexcept {
  return slot.resets_asked.load(std::memory_order_acquire) != slot.front.resets_done;
}

}  // namespace

FrontendStage::FrontendStage(SlotTable& slots, ModelRegistry& models, BatchScheduler& scheduler, Counters& counters,
                             SecondPass* second_pass, SilenceSkip& silence_skip, std::int32_t idle_timeout_ms,
                             std::function<void(Slot&)> to_backend, std::function<void(Slot&)> session_over)
    : slots_(slots),
      models_(models),
      scheduler_(scheduler),
      counters_(counters),
      second_pass_(second_pass),
      silence_skip_(silence_skip),
      idle_timeout_ns_(idle_timeout_ms * kNsPerMs),
      to_backend_(std::move(to_backend)),
      session_over_(std::move(session_over)),
      news_(slots.size()) {
  told_.reserve(slots.size());
  active_.reserve(slots.size());
}

void FrontendStage::start() {
  idle_scan_ns_ = now_ns() + idle_timeout_ns_;
  thread_ = start_thread("cv-frontend", [this] { run(); });
}

void FrontendStage::stop() {
  stop_.store(true, std::memory_order_release);
  news_.wakeup().notify_all();
  if (thread_.joinable()) thread_.join();
}

void FrontendStage::enqueue(Slot& slot) noexcept {
  news_.tell(slot.index);
}

void FrontendStage::run() {
  while (!stop_.load(std::memory_order_acquire)) {
    const Wakeup::Ticket ticket = news_.wakeup().prepare();
    if (collect()) {
      pass();
    } else {
      if (stop_.load(std::memory_order_acquire)) break;
      news_.wakeup().wait(ticket, idle_scan_ns_);
    }
    const std::int64_t now = now_ns();
    if (now >= idle_scan_ns_) scan_idle(now);
  }
}

bool FrontendStage::collect() noexcept {
  active_.clear();
  news_.take_all(told_);
  for (const std::uint32_t index : told_) {
    Slot& slot = slots_[index];
    if (slot.state.load(std::memory_order_acquire) == SlotState::kOpen) active_.push_back(&slot);
  }
  return !told_.empty();
}

void FrontendStage::pass() noexcept {
  bool moved = true;
  while (moved) {
    moved = false;
    for (Slot*& slot : active_) {
      if (slot == nullptr) continue;
      moved = settle(*slot) || moved;
      if (slot->state.load(std::memory_order_relaxed) != SlotState::kOpen) {
        session_over_(*slot);
        slot = nullptr;
        continue;
      }
      moved = read(*slot) || moved;
      if (slot->stream.pending() != 0) slot->model->pending.push_back(&slot->stream);
    }
    for (std::uint32_t i = 0; i < models_.count(); ++i) {
      ModelInstance& model = models_[i];
      if (model.pending.empty()) continue;
      model.extractor.run(model.pending.data(), model.pending.size());
      model.pending.clear();
      moved = true;
    }
    silence_skip_.hear(active_.data(), active_.size());
    for (Slot* slot : active_) {
      if (slot != nullptr) moved = advance(*slot) || moved;
    }
  }
}

bool FrontendStage::settle(Slot& slot) noexcept {
  Slot::Front& front = slot.front;
  if (!front.awaiting || slot.in_flight.load(std::memory_order_acquire)) return false;
  front.awaiting = false;
  if (slot.result.hear_again.id != 0) second_pass_->submit(slot, slot.result.hear_again);
  slot.audio.forget_before(slot.result.keep_ms);
  const FlightOrder& order = slot.order;
  if (slot.result.failed || order.kind == FlightOrder::Kind::kClose) {
    end_session(slot);
    return true;
  }
  if (order.mark != Mark::Kind::kNone) {
    end_of_mark(slot);
    return true;
  }
  if (slot.result.restart) {
    front.fresh = true;
    front.position = 0;
    slot.speech.next_utterance();
    // The word that ended the silence may have begun in it: read up to a chunk again, but no more than half of the
    // silence, so that nothing of the word before is heard twice.
    const auto silent_frames =
        static_cast<std::uint64_t>(static_cast<double>(slot.result.silence_ms) / 2 / frame_ms(slot));
    const std::uint64_t kept = front.next_frame - std::min(front.next_frame, slot.stream.begin());
    front.next_frame -= std::min({silent_frames, std::uint64_t{slot.chunk_frames}, kept});
  }
  return true;
}

bool FrontendStage::read(Slot& slot) noexcept {
  Slot::Front& front = slot.front;
  // Taken before the verbs are looked at: audio that came after a reset() is never taken for audio before it.
  const std::uint64_t written = slot.ring.written();
  if (reset_waits(slot) || slot.close_asked.load(std::memory_order_acquire)) return false;
  if (!front.awaiting) {
    slot.stream.release_before(front.next_frame - std::min<std::uint64_t>(front.next_frame, slot.chunk_frames));
    slot.stream.compact();
  }
  if (front.mark.kind == Mark::Kind::kNone) {
    const bool finish =
        slot.finish_asked.load(std::memory_order_acquire);  // before the marks that precede it are looked at
    const Mark* mark = slot.marks.front();
    if (mark != nullptr) {
      front.mark = *mark;
    } else if (finish) {
      front.mark = slot.finish_mark;
    }
  }
  const bool marked = front.mark.kind != Mark::Kind::kNone;
  const std::uint64_t limit = marked ? front.mark.sample : written;
  const bool moved = slot.stream.read_from(slot.ring, limit, &slot.audio) != 0;
  if (moved) slot.room.notify_all();
  if (marked && slot.ring.read() == front.mark.sample && frames_to_cover(slot) > front.next_frame) {
    slot.stream.pad_to(chunk_end(slot));
  }
  return moved;
}

bool FrontendStage::advance(Slot& slot) noexcept {
  Slot::Front& front = slot.front;
  if (front.awaiting) return false;
  const bool verb = reset_waits(slot) || slot.close_asked.load(std::memory_order_acquire);
  const bool at_mark = front.mark.kind != Mark::Kind::kNone && slot.ring.read() == front.mark.sample;
  const bool chunk = slot.stream.end() >= chunk_end(slot);
  const bool mark_reached = at_mark && frames_to_cover(slot) <= front.next_frame;
  const bool listens = silence_skip_.on() && !verb && !mark_reached;
  if (listens) silence_skip_.listen(slot, chunk_end(slot));
  const SpeechTrack::Onset* onset = listens ? slot.speech.onset() : nullptr;
  if ((!verb && !mark_reached && !chunk && onset == nullptr) || must_wait(slot, verb)) return false;
  if (verb) return send_close_or_reset(slot);
  if (mark_reached) {
    send_order(slot, FlightOrder::Kind::kMark);
  } else if (onset != nullptr) {
    send_speech(slot, *onset);
  } else {
    return advance_chunk(slot, at_mark);
  }
  return true;
}

bool FrontendStage::advance_chunk(Slot& slot, bool at_mark) noexcept {
  SilenceSkip::Judgement next{SilenceSkip::Fate::kHear, chunk_end(slot)};
  if (silence_skip_.on()) next = silence_skip_.judge(slot, at_mark);
  switch (next.fate) {
    case SilenceSkip::Fate::kHear:
      send_chunk(slot, next.frames);
      return true;
    case SilenceSkip::Fate::kSkip:
      send_skip(slot, next.frames);
      return true;
    case SilenceSkip::Fate::kWait:
      slot.front.held_back = true;
      return false;
  }
  return false;
}

/// Whatever comes next may make an event that must not be lost: the session waits until an event of it has moved on.
bool FrontendStage::must_wait(Slot& slot, bool verb) noexcept {
  const bool patient = slot.options.priority == Priority::kBatch && !verb;
  const std::size_t most_held = patient ? Outbox::kMostHeldOfBatch : Outbox::kMostHeld;
  if (slot.held.load(std::memory_order_acquire) >= most_held) return true;
  if (slot.mailbox.has_room(kMostEvents)) return false;
  slot.fifo_blocked.store(true, std::memory_order_seq_cst);
  if (!slot.mailbox.has_room(kMostEvents)) return true;
  slot.fifo_blocked.store(false, std::memory_order_relaxed);
  return false;
}

void FrontendStage::end_of_mark(Slot& slot) noexcept {
  Slot::Front& front = slot.front;
  const Mark mark = front.mark;
  front.mark = Mark{};
  if (mark.kind == Mark::Kind::kEndUtterance) slot.marks.pop();
  slot.stream.restart();
  silence_skip_.restart(slot);
  front.stream_start = mark.sample;
  front.next_frame = 0;
  front.position = 0;
  front.fresh = true;
  if (mark.kind == Mark::Kind::kFinish) end_session(slot);
}

void FrontendStage::end_session(Slot& slot) noexcept {
  while (slot.marks.front() != nullptr) slot.marks.pop();
  slot.state.store(SlotState::kOver, std::memory_order_seq_cst);
}

void FrontendStage::scan_idle(std::int64_t now) noexcept {
  std::int64_t next = now + idle_timeout_ns_;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.state.load(std::memory_order_acquire) != SlotState::kOpen) continue;
    const std::uint64_t written = slot.ring.written();
    if (written == slot.front.stream_start || slot.front.mark.kind != Mark::Kind::kNone ||
        slot.finish_asked.load(std::memory_order_acquire) || slot.marks.front() != nullptr) {
      continue;
    }
    const std::int64_t due = slot.last_write_ns.load(std::memory_order_acquire) + idle_timeout_ns_;
    if (due > now) {
      next = std::min(next, due);
      continue;
    }
    slot.front.mark = Mark{Mark::Kind::kIdle, written, now};
    enqueue(slot);
  }
  idle_scan_ns_ = next;
}

}  // namespace cosyvoice
