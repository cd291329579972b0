// The last step into a mailbox that is full: events wait in the outbox, in order, and none is lost.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine/outbox.h"

using namespace cosyvoice;

TEST_CASE("an event whose room was taken by one that was held before waits for other room") {
  EngineOptions options;
  options.max_stream = 1;
  options.second_pass = "fake";
  SlotTable slots(options);
  Counters counters;
  SecondPass second_pass(options, [] {});
  Outbox outbox(
      slots, counters, &second_pass, 3600 * 1000, [](Slot&) {}, [](Slot&) {});
  SessionId sid = 0;
  Slot& slot = slots.acquire(sid);
  slot.mailbox.open(sid, true, false);

  // Events of the largest size.
  const std::string text(Transcript::kMaxText, 'x');
  std::vector<EventWord> words(Transcript::kMaxWords);
  for (EventWord& word : words) word.text_size = 1;
  Alternatives others;
  while (others.add(std::string(Alternatives::kMaxText / Alternatives::kMost, 'y'), 0.1F)) continue;
  while (others.text().size() < Alternatives::kMaxText && others.size() < Alternatives::kMost) others.add("y", 0.1F);
  std::uint64_t utterance = 0;
  const auto next = [&] {
    Draft draft{{}, {text, words.data(), words.size(), others.text(), others.data(), others.size()}, 0};
    draft.header.type = EventType::kFinal;
    draft.header.sid = sid;
    draft.header.utterance = ++utterance;
    return draft;
  };
  while (slot.mailbox.has_room(2)) outbox.post(slot, next());
  const HearAgain order = outbox.hold(slot, next(), 0, 1000);
  REQUIRE(slot.mailbox.has_room(1));  // so the Front-End lets the session go on …
  second_pass.refuse(order.id);
  CHECK(outbox.work());
  CHECK_FALSE(slot.mailbox.has_room(1));  // … and then the final that was held comes
  outbox.post(slot, next());
  CHECK(slot.held == 1);

  TakenEvent taken;
  for (std::uint64_t expected = 1; expected <= utterance; ++expected) {
    CAPTURE(expected);
    REQUIRE(slot.mailbox.take(sid, Reader::kCallback, taken));
    CHECK(taken.header.utterance == expected);
    if (slot.held_blocked.exchange(false)) outbox.room_made(slot);
    outbox.work();
  }
  CHECK_FALSE(slot.mailbox.take(sid, Reader::kCallback, taken));
  CHECK(slot.held == 0);
}
