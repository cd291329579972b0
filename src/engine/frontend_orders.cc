// What the Front-End's stage sends: a session's chunks and orders.
#include <algorithm>

#include "engine/frontend_stage.h"
#include "engine/slot_time.h"

namespace cosyvoice {

void FrontendStage::fill_order(Slot& slot, std::uint64_t frames) noexcept {
  Slot::Front& front = slot.front;
  const std::uint64_t begin = front.next_frame;
  const std::uint64_t end = begin + slot.chunk_frames;
  const bool at_mark = front.mark.kind != Mark::Kind::kNone && slot.ring.read() == front.mark.sample;
  const bool last = at_mark && end >= frames_to_cover(slot);

  // Samples that came before its way was decided; of a padded chunk, the last one there is.
  const std::uint64_t needed = session_sample(slot, frames);
  std::int64_t arrival = arrival_ns(slot, needed);
  if (front.held_back && at_mark) arrival = std::max(arrival, front.mark.at_ns);
  front.held_back = false;

  FlightOrder& order = slot.order;
  order.mark = last ? front.mark.kind : Mark::Kind::kNone;
  order.start_ms =
      sample_ms(slot, front.stream_start) + static_cast<std::int64_t>(static_cast<double>(begin) * frame_ms(slot));
  order.decoded_until = last ? front.mark.sample : session_sample(slot, end);
  order.end_ms = sample_ms(slot, order.decoded_until);
  order.heard_ms = last ? order.end_ms : whole_ms(slot, needed);
  order.since_ns = last ? front.mark.at_ns : arrival;
  order.speaking = slot.speech.speaking();
  front.next_frame = end;
}

void FrontendStage::send_chunk(Slot& slot, std::uint64_t frames) noexcept {
  Slot::Front& front = slot.front;
  FeatureChunk& chunk = slot.chunk;
  chunk.slot = slot.index;
  chunk.queue = slot.queue;
  chunk.frames = slot.chunk_frames;
  chunk.fresh = front.fresh;
  chunk.batch_priority = slot.options.priority == Priority::kBatch;
  chunk.position = front.position;
  chunk.features = slot.stream.features(front.next_frame);
  chunk.log_probs = slot.log_probs;
  chunk.ready_ns = arrival_ns(slot, session_sample(slot, frames));
  slot.order.kind = FlightOrder::Kind::kChunk;
  fill_order(slot, frames);
  front.position += slot.chunk_frames;
  front.fresh = false;
  front.awaiting = true;
  slot.in_flight.store(true, std::memory_order_release);
  scheduler_.push(&chunk);
}

void FrontendStage::send_skip(Slot& slot, std::uint64_t frames) noexcept {
  // Within an utterance the network goes on where it was; before its first word there is nothing to remember.
  if (!slot.result.has_words) {
    slot.front.fresh = true;
    slot.front.position = 0;
  }
  slot.order.kind = FlightOrder::Kind::kSkip;
  fill_order(slot, frames);
  hand_over(slot);
}

void FrontendStage::send_speech(Slot& slot, const SpeechTrack::Onset& onset) noexcept {
  const std::uint64_t needed = session_sample(slot, onset.sure);
  FlightOrder& order = slot.order;
  order.kind = FlightOrder::Kind::kSpeech;
  order.mark = Mark::Kind::kNone;
  order.start_ms = sample_ms(slot, slot.front.stream_start) +
                   static_cast<std::int64_t>(static_cast<double>(onset.first) * frame_ms(slot));
  order.decoded_until = slot.accounted;
  order.end_ms = order.heard_ms = whole_ms(slot, needed);
  order.since_ns = arrival_ns(slot, needed);
  order.speaking = true;
  slot.speech.told();
  hand_over(slot);
}

void FrontendStage::hand_over(Slot& slot) noexcept {
  slot.front.awaiting = true;
  slot.in_flight.store(true, std::memory_order_release);
  to_backend_(slot);
}

void FrontendStage::send_order(Slot& slot, FlightOrder::Kind kind) noexcept {
  FlightOrder& order = slot.order;
  order.kind = kind;
  order.mark = kind == FlightOrder::Kind::kMark ? slot.front.mark.kind : Mark::Kind::kNone;
  order.since_ns =
      kind == FlightOrder::Kind::kMark ? slot.front.mark.at_ns : slot.close_ns.load(std::memory_order_relaxed);
  order.decoded_until = kind == FlightOrder::Kind::kMark ? slot.front.mark.sample : slot.accounted;
  order.end_ms = sample_ms(slot, order.decoded_until);
  order.heard_ms = order.end_ms;
  if (kind != FlightOrder::Kind::kReset) order.start_ms = order.end_ms;
  order.speaking = false;
  hand_over(slot);
}

bool FrontendStage::send_close_or_reset(Slot& slot) noexcept {
  if (slot.close_asked.load(std::memory_order_acquire)) {
    account(slot, counters_, slot.ring.written(), Fate::kDropped);
    send_order(slot, FlightOrder::Kind::kClose);
    return true;
  }
  Slot::Front& front = slot.front;
  front.resets_done = slot.resets_asked.load(std::memory_order_acquire);
  const std::uint64_t target = std::max(slot.reset_target.load(std::memory_order_acquire), slot.ring.read());
  while (slot.ring.read() < target) {
    slot.ring.consume(std::min<std::uint64_t>(slot.ring.readable().samples, target - slot.ring.read()));
  }
  slot.room.notify_all();
  // Ends asked for before the reset went with their utterance, all but the session's own.
  front.mark = Mark{};
  for (const Mark* mark = slot.marks.front(); mark != nullptr && mark->sample <= target; mark = slot.marks.front()) {
    slot.marks.pop();
  }
  slot.order.start_ms = sample_ms(slot, slot.accounted);
  account(slot, counters_, target, Fate::kDropped);
  slot.stream.restart();
  silence_skip_.restart(slot);
  slot.audio.skip_to(target);
  front.stream_start = target;
  front.next_frame = 0;
  front.position = 0;
  front.fresh = true;
  send_order(slot, FlightOrder::Kind::kReset);
  return true;
}

}  // namespace cosyvoice
