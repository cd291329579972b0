#include "engine/delivery.h"

#include <string>
#include <utility>

#include "engine/model_registry.h"
#include "runtime/clock.h"

namespace cosyvoice {
namespace {

/// The public event as views into what was taken.
void show(const TakenEvent& taken, std::string_view session, std::string_view model, Event& event) {
  const EventHeader& header = taken.header;
  event.type = header.type;
  event.sid = header.sid;
  event.session = session;
  event.seq = header.seq;
  event.utterance = header.utterance;
  event.text = taken.text;
  event.start_ms = header.start_ms;
  event.end_ms = header.end_ms;
  event.heard_ms = header.heard_ms;
  event.words.clear();
  for (const EventWord& word : taken.words) {
    event.words.push_back(
        Word{event.text.substr(word.text_begin, word.text_size), word.start_ms, word.end_ms, word.confidence});
  }
  event.alternatives.clear();
  for (const AlternativeText& other : taken.alternatives) {
    event.alternatives.push_back(Alternative{
        std::string_view(taken.alternatives_text).substr(other.text_begin, other.text_size), other.confidence});
  }
  event.confidence = header.confidence;
  event.reason = header.reason;
  event.pass = header.pass;
  event.ended = header.ended;
  event.delay_ms = header.delay_ms;
  event.code = header.code;
  event.model_name = model;
  event.model_version = header.model_version;
}

}  // namespace

Delivery::Delivery(SlotTable& slots, Counters& counters, std::function<void(Slot&)> room_made,
                   std::function<void(Slot&)> held_room_made)
    : slots_(slots),
      counters_(counters),
      room_made_(std::move(room_made)),
      held_room_made_(std::move(held_room_made)),
      news_(slots.size()) {}

void Delivery::open(Slot& slot, SessionId sid) {
  const std::lock_guard<std::mutex> lock(attach_mutex_);
  const bool attached = attached_.load(std::memory_order_relaxed);
  slot.pulled.store(false, std::memory_order_relaxed);
  slot.fifo_blocked.store(false, std::memory_order_relaxed);
  slot.held_blocked.store(false, std::memory_order_relaxed);
  slot.pull_ended.store(0, std::memory_order_relaxed);
  slot.mailbox.open(sid, attached, !attached);
  slot.sid.store(sid, std::memory_order_release);
}

void Delivery::posted(Slot& slot) noexcept {
  if (attached_.load(std::memory_order_acquire)) news_.tell(slot.index);
  slot.events.notify_all();
}

void Delivery::session_over(Slot& slot) noexcept {
  slots_.free_if_done(slot);
  slot.events.notify_all();
  quiet_.notify_all();
}

void Delivery::attach_drain() {
  const std::lock_guard<std::mutex> lock(attach_mutex_);
  attached_.store(true, std::memory_order_seq_cst);
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    const SessionId sid = slot.sid.load(std::memory_order_acquire);
    if (sid == 0) continue;
    slot.mailbox.set_active(sid, Reader::kCallback, true);
    if (!slot.pulled.load(std::memory_order_acquire)) slot.mailbox.set_active(sid, Reader::kPull, false);
    news_.tell(slot.index);
  }
}

void Delivery::tell_of_room(Slot& slot) noexcept {
  if (slot.fifo_blocked.exchange(false, std::memory_order_seq_cst)) room_made_(slot);
  if (slot.held_blocked.exchange(false, std::memory_order_seq_cst)) held_room_made_(slot);
}

bool Delivery::give(Slot& slot, SessionId sid, Reader reader, Kind kind, Outgoing& out, const EventCallback& take) {
  {
    const SlotVisit visit(slots_, slot);
    const bool got = kind == Kind::kAny ? slot.mailbox.take(sid, reader, out.taken)
                                        : slot.mailbox.take_partial(sid, reader, out.taken);
    if (!got) return false;
    tell_of_room(slot);
    out.session = slot.options.name;
    show(out.taken, out.session, slot.model->model->manifest().name, out.event);
    if (out.event.ended && reader == Reader::kPull) slot.pull_ended.store(sid, std::memory_order_release);
  }
  counters_.delivery_delay.add(now_ns() - out.taken.header.queued_ns);
  take(out.event);
  return true;
}

std::size_t Delivery::drain(const EventCallback& take, std::int64_t timeout_ms) {
  const std::lock_guard<std::mutex> lock(drain_mutex_);
  const std::int64_t deadline = deadline_of(timeout_ms);
  for (;;) {
    const Wakeup::Ticket ticket = news_.wakeup().prepare();
    const bool finishing = finishing_.load(std::memory_order_acquire);
    std::size_t given = 0;
    std::uint32_t index = 0;
    while (news_.take(index)) {
      Slot& slot = slots_[index];
      const SessionId sid = slot.sid.load(std::memory_order_acquire);
      try {
        while (sid != 0 && give(slot, sid, Reader::kCallback, Kind::kAny, outgoing_, take)) ++given;
      } catch (...) {  // the caller's own; what else waits in this slot comes with the next call
        news_.tell(slot.index);
        throw;
      }
    }
    if (given != 0) {
      quiet_.notify_all();
      return given;
    }
    if (finishing) {
      finished_.store(true, std::memory_order_release);
      return 0;
    }
    if (!news_.wakeup().wait(ticket, deadline)) return 0;
  }
}

void Delivery::finish() noexcept {
  finishing_.store(true, std::memory_order_release);
  if (!attached_.load(std::memory_order_acquire)) finished_.store(true, std::memory_order_release);
  news_.wakeup().notify_all();
  for (std::uint32_t i = 0; i < slots_.size(); ++i) slots_[i].events.notify_all();
}

void Delivery::start_pulling(Slot& slot, SessionId sid) {
  if (slot.pulled.load(std::memory_order_acquire)) return;
  const std::lock_guard<std::mutex> lock(attach_mutex_);
  if (slot.mailbox.set_active(sid, Reader::kPull, true)) slot.pulled.store(true, std::memory_order_release);
}

bool Delivery::next_event(Slot& slot, SessionId sid, const EventCallback& take, std::int64_t timeout_ms) {
  start_pulling(slot, sid);
  const std::int64_t deadline = deadline_of(timeout_ms);
  Outgoing out;
  for (;;) {
    const Wakeup::Ticket ticket = slot.events.prepare();
    if (give(slot, sid, Reader::kPull, Kind::kAny, out, take)) return true;
    if (slot.pull_ended.load(std::memory_order_acquire) == sid) {
      throw Error(ErrorCode::kUnknownSession,
                  "session " + std::to_string(sid) + " has ended and its last event was taken");
    }
    slots_.find(sid);  // throws once the slot was given up
    if (finishing_.load(std::memory_order_acquire) || !slot.events.wait(ticket, deadline)) return false;
  }
}

bool Delivery::next_partial(Slot& slot, SessionId sid, const EventCallback& take) {
  start_pulling(slot, sid);
  Outgoing out;
  return give(slot, sid, Reader::kPull, Kind::kPartial, out, take);
}

void Delivery::release(Slot& slot, SessionId sid) {
  slot.mailbox.set_active(sid, Reader::kPull, false);
  tell_of_room(slot);
  slots_.free_if_done(slot);
}

bool Delivery::wait_until_quiet(std::int64_t deadline_ns) {
  for (;;) {
    const Wakeup::Ticket ticket = quiet_.prepare();
    bool quiet = true;
    for (std::uint32_t i = 0; i < slots_.size() && quiet; ++i) {
      Slot& slot = slots_[i];
      const SlotState state = slot.state.load(std::memory_order_seq_cst);
      const SessionId sid = slot.sid.load(std::memory_order_acquire);
      // An event that is held is told of before it counts as held no more.
      const bool held = slot.held.load(std::memory_order_acquire) != 0;
      quiet = state != SlotState::kOpen && !(state == SlotState::kOver && sid != 0 && (held || news_.told(i)));
    }
    if (quiet) return true;
    if (!quiet_.wait(ticket, deadline_ns)) return false;
  }
}

}  // namespace cosyvoice
