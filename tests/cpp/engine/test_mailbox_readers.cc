#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "mailbox_box.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

TEST_CASE("each reader has its own place; the slower one decides about room") {
  Box box(true, true);
  const std::string text(Transcript::kMaxText, 'x');
  int posted = 0;
  while (box.mailbox.has_room(1)) {
    REQUIRE(box.post_final(text));
    ++posted;
  }
  for (int i = 0; i < posted; ++i) CHECK(box.take() == text);
  CHECK_FALSE(box.mailbox.has_room(1));
  while (!box.mailbox.has_room(1)) REQUIRE(box.take(Reader::kPull) == text);
  CHECK(box.mailbox.has_room(1));
}

TEST_CASE("nothing follows ended, and exhausted says when the last reader has it") {
  Box box(true, true);
  CHECK_FALSE(box.mailbox.exhausted());
  box.post_final("one");
  box.post_partial("two");
  CHECK(box.post_final("last", true));
  CHECK_FALSE(box.post_final("more"));
  box.post_partial("more");
  for (const Reader reader : {Reader::kCallback, Reader::kPull}) {
    CHECK_FALSE(box.mailbox.exhausted());
    CHECK(box.take(reader) == "one");
    CHECK_FALSE(box.mailbox.exhausted());
    CHECK(box.take(reader) == "last");
    CHECK(box.event.header.ended);
    CHECK(box.take(reader) == "-");
  }
  CHECK(box.mailbox.exhausted());
}

TEST_CASE("a reader that leaves holds nothing up") {
  Box box(true, true);
  box.post_final("one");
  box.post_final("last", true);
  CHECK(box.take() == "one");
  CHECK(box.take() == "last");
  CHECK_FALSE(box.mailbox.exhausted());
  CHECK(box.mailbox.set_active(kSid, Reader::kPull, false));
  CHECK(box.mailbox.exhausted());
  CHECK_FALSE(box.mailbox.active(kSid, Reader::kPull));
  CHECK(box.take(Reader::kPull) == "-");
}

TEST_CASE("a reader that joins late starts where the active one is") {
  Box box(true, false);
  box.post_final("one");
  box.post_final("two");
  box.post_final("three");
  CHECK(box.take() == "one");
  CHECK(box.mailbox.set_active(kSid, Reader::kPull, true));
  CHECK(box.mailbox.active(kSid, Reader::kPull));
  CHECK(box.take(Reader::kPull) == "two");
  CHECK(box.take() == "two");
  CHECK(box.take() == "three");
  box.post_partial("four");
  CHECK(box.take() == "four");
  CHECK(box.take(Reader::kPull) == "three");
  CHECK(box.take(Reader::kPull) == "four");
  // Active already: its place stays.
  box.post_final("five");
  CHECK(box.take(Reader::kPull) == "five");
  CHECK(box.mailbox.set_active(kSid, Reader::kPull, true));
  CHECK(box.take(Reader::kPull) == "-");
  CHECK(box.take() == "five");
}

TEST_CASE("a reader that comes back is not given again what it took") {
  Box box(true, true);
  box.post_final("one");
  box.post_final("two");
  box.post_partial("three");
  CHECK(box.take(Reader::kPull) == "one");
  CHECK(box.take(Reader::kPull) == "two");
  CHECK(box.take(Reader::kPull) == "three");
  box.mailbox.set_active(kSid, Reader::kPull, false);
  box.mailbox.set_active(kSid, Reader::kPull, true);
  CHECK(box.take(Reader::kPull) == "-");
  CHECK(box.take() == "one");
}

TEST_CASE("a reader that joins gets the partial that is current") {
  Box box(true, false);
  box.post_final("one");
  box.post_partial("two");
  CHECK(box.take() == "one");
  CHECK(box.take() == "two");
  box.mailbox.set_active(kSid, Reader::kPull, true);
  CHECK(box.take_partial(Reader::kPull) == "two");
}

TEST_CASE("with no reader the newest events are kept, and there is always room") {
  Box box(false, false);
  const std::string padding(500, 'x');
  constexpr int kEvents = 1'000;
  for (int i = 0; i < kEvents; ++i) {
    REQUIRE(box.mailbox.has_room(Mailbox::kReservedEvents));
    REQUIRE(box.post_final(std::to_string(i) + padding));
  }
  CHECK_FALSE(box.mailbox.exhausted());
  REQUIRE(box.mailbox.set_active(kSid, Reader::kPull, true));
  int kept = 0;
  REQUIRE(box.mailbox.take(kSid, Reader::kPull, box.event));
  std::uint64_t seq = box.event.header.seq;
  do {
    CHECK(box.event.header.seq == seq);
    CHECK(box.event.text == std::to_string(seq - 1) + padding);
    ++seq;
    ++kept;
  } while (box.mailbox.take(kSid, Reader::kPull, box.event));
  CHECK(kept > 10);
  CHECK(seq == kEvents + 1);
}

TEST_CASE("when the last reader leaves, what it had not taken is forgotten") {
  Box box(false, true);
  while (box.mailbox.has_room(1)) box.post_final(std::string(1'000, 'x'));
  box.mailbox.set_active(kSid, Reader::kPull, false);
  CHECK(box.mailbox.has_room(Mailbox::kReservedEvents));
  box.post_final("next");
  box.mailbox.set_active(kSid, Reader::kCallback, true);
  CHECK(box.take() == "next");
  CHECK(box.take() == "-");
  box.mailbox.set_active(kSid, Reader::kCallback, false);
  CHECK_FALSE(box.mailbox.exhausted());
  box.post_final("last", true);
  CHECK(box.mailbox.exhausted());
}

TEST_CASE("calls of a session that has gone are refused and change nothing") {
  Box box(true, false);
  box.post_final("old", true);
  box.mailbox.open(kSid + 1, false, true);
  CHECK(box.mailbox.last_seq() == 0);
  CHECK_FALSE(box.mailbox.exhausted());
  box.post_final("new");
  box.post_partial("newer");
  CHECK(box.take() == "-");
  CHECK(box.take(Reader::kPull) == "-");
  CHECK(box.take_partial(Reader::kPull) == "-");
  CHECK_FALSE(box.mailbox.set_active(kSid, Reader::kPull, false));
  CHECK_FALSE(box.mailbox.active(kSid, Reader::kPull));
  TakenEvent event;
  REQUIRE(box.mailbox.take(kSid + 1, Reader::kPull, event));
  CHECK(event.text == "new");
  CHECK(event.header.seq == 1);
  REQUIRE(box.mailbox.take(kSid + 1, Reader::kPull, event));
  CHECK(event.text == "newer");
  CHECK_FALSE(box.mailbox.take(kSid + 1, Reader::kPull, event));
}

TEST_CASE("a partial of the session before is not given to the next") {
  Box box(true, false);
  box.post_partial("old");
  box.mailbox.open(kSid, true, false);
  CHECK(box.take() == "-");
  box.mailbox.open(kSid, true, false);
  box.post_partial("new");
  CHECK(box.take() == "new");
}
