#include "engine/outbox.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/clock.h"

namespace cosyvoice {
namespace {

/// Into storage that is reused.
void keep(const Draft& draft, TakenEvent& event) {
  event.header = draft.header;
  const EventContent& content = draft.content;
  event.text.assign(content.text);
  event.words.assign(content.words, content.words + content.word_count);
  event.alternatives_text.assign(content.alternatives_text);
  event.alternatives.assign(content.alternatives, content.alternatives + content.alternative_count);
}

Draft draft_of(const TakenEvent& event, std::int64_t since_ns) noexcept {
  return {event.header,
          {event.text, event.words.data(), event.words.size(), event.alternatives_text, event.alternatives.data(),
           event.alternatives.size()},
          since_ns};
}

void stamp(EventHeader& header, std::int64_t since_ns) noexcept {
  header.queued_ns = now_ns();
  header.delay_ms = to_ms(header.queued_ns - since_ns);
}

}  // namespace

Outbox::Outbox(SlotTable& slots, Counters& counters, SecondPass* second_pass, std::int32_t timeout_ms,
               std::function<void(Slot&)> posted, std::function<void(Slot&)> let_go)
    : slots_(slots),
      counters_(counters),
      second_pass_(second_pass),
      timeout_ns_(timeout_ms * kNsPerMs),
      posted_(std::move(posted)),
      let_go_(std::move(let_go)),
      queues_(second_pass == nullptr ? 0 : slots.size()),
      room_(slots.size()) {
  holding_.reserve(queues_.size());
}

void Outbox::post_partial(Slot& slot, const Draft& draft) noexcept {
  if (queues_.empty() || queues_[slot.index].count == 0) {
    put_partial(slot, draft);
    return;
  }
  Queue& queue = queues_[slot.index];
  keep(draft, queue.partial);
  queue.partial_since_ns = draft.since_ns;
  queue.has_partial = true;
}

void Outbox::post(Slot& slot, const Draft& draft) noexcept {
  // The Front-End saw that there was room; an event that was held then may have taken it since.
  if (queues_.empty() || (queues_[slot.index].count == 0 && has_room(slot))) {
    put(slot, draft);
    return;
  }
  append(slot, draft).ready = true;
  release(slot);
}

void Outbox::post_at_once(Slot& slot, const Draft& draft) noexcept {
  if (queues_.empty() || has_room(slot)) {
    put(slot, draft);
  } else {
    post(slot, draft);
  }
}

HearAgain Outbox::hold(Slot& slot, const Draft& draft, std::int64_t begin_ms, std::int64_t end_ms) noexcept {
  Held& held = append(slot, draft);
  // The id names its slot, as a sid does.
  held.id = serial_++ * slots_.size() + slot.index + 1;
  held.begin_ms = begin_ms;
  held.end_ms = end_ms;
  if (slot.options.priority == Priority::kLive) {
    held.deadline_ns = held.held_ns + timeout_ns_;
    look_at(held.deadline_ns);
  }
  return HearAgain{held.id, draft.header.utterance, begin_ms, end_ms, held.deadline_ns};
}

Outbox::Held& Outbox::append(Slot& slot, const Draft& draft) noexcept {
  Queue& queue = queues_[slot.index];
  if (queue.count == 0) holding_.push_back(slot.index);
  Held& held = queue[queue.count++];
  keep(draft, held.event);
  held.since_ns = draft.since_ns;
  held.held_ns = now_ns();
  held.id = 0;
  held.deadline_ns = -1;
  held.ready = false;
  queue.has_partial = false;  // it was this utterance's
  slot.held.store(static_cast<std::uint32_t>(queue.count), std::memory_order_release);
  if (queue.count == kMostHeld && !queue[0].ready) {
    go_without(queue[0], counters_.second_pass_overflows);
    release(slot);
  }
  return held;
}

void Outbox::put_partial(Slot& slot, const Draft& draft) noexcept {
  EventHeader header = draft.header;
  stamp(header, draft.since_ns);
  slot.mailbox.post_partial(header, draft.content);
  count(counters_.partials);
  posted_(slot);
}

void Outbox::put(Slot& slot, Draft draft) noexcept {
  EventHeader& header = draft.header;
  stamp(header, draft.since_ns);
  if (header.type == EventType::kFinal) {
    if (slot.options.priority == Priority::kLive) counters_.final_delay.add(header.queued_ns - draft.since_ns);
    count(counters_.finals);
  }
  if (header.type == EventType::kError) count(counters_.errors);
  if (header.ended) count(counters_.sessions_ended);
  slot.mailbox.post(header, draft.content);
  posted_(slot);
}

bool Outbox::work() noexcept {
  if (queues_.empty()) return false;
  bool moved = false;
  SecondPassMessage message;
  while (second_pass_->receive(message)) {
    handle(message);
    moved = true;
  }
  std::uint32_t index = 0;
  while (room_.take(index)) {
    release(slots_[index]);
    moved = true;
  }
  const bool late = next_deadline_ns_ >= 0 && next_deadline_ns_ <= now_ns();
  if (late || (!hears_again() && !holding_.empty())) check_deadlines();
  return moved;
}

void Outbox::handle(const SecondPassMessage& message) noexcept {
  const std::unique_ptr<SecondPassAnswer> answered(message.answer);
  Held* held = find(message.id);
  if (held == nullptr) return;  // it went without
  switch (message.kind) {
    case SecondPassMessage::Kind::kTaken:
      if (held->deadline_ns >= 0) return;
      held->deadline_ns = message.at_ns + timeout_ns_;
      look_at(held->deadline_ns);
      return;
    case SecondPassMessage::Kind::kAnswered:
      answer(*held, *answered);
      break;
    case SecondPassMessage::Kind::kRefused:
      go_without(*held, counters_.second_pass_failures);
      break;
    case SecondPassMessage::Kind::kNoRoom:
      go_without(*held, counters_.second_pass_overflows);
      break;
  }
  release(slots_[static_cast<std::uint32_t>((message.id - 1) % slots_.size())]);
}

Outbox::Held* Outbox::find(std::uint64_t id) noexcept {
  if (id == 0) return nullptr;
  Queue& queue = queues_[static_cast<std::size_t>((id - 1) % slots_.size())];
  for (std::size_t i = 0; i < queue.count; ++i) {
    if (queue[i].id == id && !queue[i].ready) return &queue[i];
  }
  return nullptr;
}

void Outbox::answer(Held& held, SecondPassAnswer& answer) noexcept {
  EventHeader& header = held.event.header;
  header.pass = 2;
  header.confidence = 0.0F;
  // Whoever answers may be careless: words follow each other, within the audio that was heard.
  const std::int64_t whole_ms = held.end_ms - held.begin_ms;
  std::int64_t earliest = 0;
  for (EventWord& word : answer.words) {
    const std::int64_t start_ms = std::clamp(word.start_ms, earliest, std::max(earliest, whole_ms - 1));
    earliest = std::clamp(word.end_ms, start_ms + 1, std::max(start_ms + 1, whole_ms));
    word.start_ms = held.begin_ms + start_ms;
    word.end_ms = held.begin_ms + earliest;
    word.confidence = word.confidence > 0.0F ? std::min(word.confidence, 1.0F) : 0.0F;  // NaN too
    header.confidence += word.confidence / static_cast<float>(answer.words.size());
  }
  if (!answer.words.empty()) {
    header.start_ms = answer.words.front().start_ms;
    header.end_ms = answer.words.back().end_ms;
  } else if (answer.text.empty()) {
    header.start_ms = held.begin_ms;
    header.end_ms = held.end_ms;
  }
  held.event.text = std::move(answer.text);
  held.event.words = std::move(answer.words);
  held.event.alternatives.clear();  // the stream's, for words that are not the stream's
  held.event.alternatives_text.clear();
  held.ready = true;
  count(counters_.second_passes);
}

void Outbox::go_without(Held& held, std::atomic<std::uint64_t>& counter) noexcept {
  held.ready = true;
  count(counter);
}

void Outbox::release(Slot& slot) noexcept {
  Queue& queue = queues_[slot.index];
  bool let_go = false;
  while (queue.count != 0 && queue[0].ready && has_room(slot)) {
    Held& held = queue[0];
    if (held.id != 0 && slot.options.priority == Priority::kLive) {
      counters_.second_pass_delay.add(now_ns() - held.held_ns);
    }
    put(slot, draft_of(held.event, held.since_ns));
    queue.first = (queue.first + 1) % kMostHeld;
    --queue.count;
    // After the event was told of (Delivery::wait_until_quiet).
    slot.held.store(static_cast<std::uint32_t>(queue.count), std::memory_order_release);
    let_go = true;
  }
  if (!let_go) return;
  if (queue.count == 0) {
    holding_.erase(std::find(holding_.begin(), holding_.end(), slot.index));
    if (queue.has_partial) {
      put_partial(slot, draft_of(queue.partial, queue.partial_since_ns));
      queue.has_partial = false;
    }
  }
  let_go_(slot);
}

bool Outbox::has_room(Slot& slot) noexcept {
  if (slot.mailbox.has_room(1)) return true;
  slot.held_blocked.store(true, std::memory_order_seq_cst);
  if (!slot.mailbox.has_room(1)) return false;  // who takes an event sees the flag: room_made()
  slot.held_blocked.store(false, std::memory_order_relaxed);
  return true;
}

void Outbox::look_at(std::int64_t deadline_ns) noexcept {
  next_deadline_ns_ = next_deadline_ns_ < 0 ? deadline_ns : std::min(next_deadline_ns_, deadline_ns);
}

void Outbox::check_deadlines() noexcept {
  const std::int64_t now = now_ns();
  const bool none_wait = !hears_again();
  next_deadline_ns_ = -1;
  for (std::size_t i = holding_.size(); i-- > 0;) {  // backwards: a slot that lets go of all leaves the list
    Slot& slot = slots_[holding_[i]];
    Queue& queue = queues_[slot.index];
    for (std::size_t k = 0; k < queue.count; ++k) {
      Held& held = queue[k];
      if (held.ready) continue;
      const bool late = held.deadline_ns >= 0 && held.deadline_ns <= now;
      if (none_wait || late) {
        go_without(held, counters_.second_pass_timeouts);
      } else if (held.deadline_ns >= 0) {
        look_at(held.deadline_ns);
      }
    }
    release(slot);
  }
}

}  // namespace cosyvoice
