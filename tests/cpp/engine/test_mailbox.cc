#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "engine/mailbox.h"
#include "runtime/slab.h"

using namespace cosyvoice;

namespace {

constexpr std::size_t kFifoBytes = 64 * 1024;
constexpr SessionId kSid = 7;

/// A mailbox with memory of its own, open for one session.
struct Box {
  Slab memory{Mailbox::bytes_needed(kFifoBytes), "test"};
  Mailbox mailbox{memory.data(), kFifoBytes};
  TakenEvent event;

  Box(bool callback, bool pull) { mailbox.open(kSid, callback, pull); }

  bool post(EventType type, std::string_view text, bool ended = false) {
    EventHeader header;
    header.type = type;
    header.sid = kSid;
    header.ended = ended;
    return mailbox.post(header, text, nullptr, 0);
  }
  bool post_final(std::string_view text, bool ended = false) { return post(EventType::kFinal, text, ended); }
  void post_partial(std::string_view text) {
    EventHeader header;
    header.sid = kSid;
    mailbox.post_partial(header, text, nullptr, 0);
  }
  /// The event's text, or "-" where there is nothing.
  std::string take(Reader reader = Reader::kCallback) {
    return mailbox.take(kSid, reader, event) ? event.text : std::string("-");
  }
  std::string take_partial(Reader reader = Reader::kCallback) {
    return mailbox.take_partial(kSid, reader, event) ? event.text : std::string("-");
  }
};

std::size_t touched_pages(const Slab& slab) {
  std::size_t pages = 0;
  for (std::size_t page = 0; page < slab.size(); page += 4096) {
    bool touched = false;
    for (std::size_t i = page; i < page + 4096 && i < slab.size(); ++i) touched |= slab.data()[i] != std::byte{0};
    pages += touched ? 1 : 0;
  }
  return pages;
}

}  // namespace

TEST_CASE("events come out in order, with seq counted from 1 and everything that was put in") {
  Box box(true, false);
  EventHeader header;
  header.type = EventType::kFinal;
  header.reason = Reason::kEndpoint;
  header.code = ErrorCode::kInternal;
  header.sid = kSid;
  header.utterance = 3;
  header.start_ms = 5'000'000'000'000;
  header.end_ms = header.start_ms + 900;
  header.queued_ns = 123;
  header.model_version = 4;
  header.delay_ms = 1.5;
  header.confidence = 0.75F;
  const EventWord words[] = {{0, 5, header.start_ms - 10, header.start_ms + 400, 0.5F},
                             {6, 6, header.start_ms + 420, header.start_ms + 900, 1.0F}};
  REQUIRE(box.mailbox.post(header, "hello wörld", words, 2));
  REQUIRE(box.post_final("second"));
  REQUIRE(box.take() == "hello wörld");
  const EventHeader& out = box.event.header;
  CHECK(out.type == EventType::kFinal);
  CHECK(out.reason == Reason::kEndpoint);
  CHECK(out.code == ErrorCode::kInternal);
  CHECK_FALSE(out.ended);
  CHECK(out.sid == kSid);
  CHECK(out.utterance == 3);
  CHECK(out.seq == 1);
  CHECK(out.start_ms == header.start_ms);
  CHECK(out.end_ms == header.end_ms);
  CHECK(out.queued_ns == 123);
  CHECK(out.model_version == 4);
  CHECK(out.delay_ms == 1.5);
  CHECK(out.confidence == 0.75F);
  REQUIRE(box.event.words.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(box.event.words[i].text_begin == words[i].text_begin);
    CHECK(box.event.words[i].text_size == words[i].text_size);
    CHECK(box.event.words[i].start_ms == words[i].start_ms);
    CHECK(box.event.words[i].end_ms == words[i].end_ms);
    CHECK(box.event.words[i].confidence == words[i].confidence);
  }
  CHECK(box.take() == "second");
  CHECK(box.event.header.seq == 2);
  CHECK(box.event.words.empty());
  CHECK(box.mailbox.last_seq() == 2);
  CHECK(box.take() == "-");
}

TEST_CASE("a newer partial replaces an older one, and each is given once to each reader") {
  Box box(true, true);
  box.post_partial("a");
  box.post_partial("a b");
  CHECK(box.take() == "a b");
  CHECK(box.event.header.seq == 0);
  CHECK(box.take() == "-");
  CHECK(box.take(Reader::kPull) == "a b");
  CHECK(box.take_partial(Reader::kPull) == "-");
  box.post_partial("a b c");
  CHECK(box.take_partial(Reader::kPull) == "a b c");
  CHECK(box.take() == "a b c");
  CHECK(box.take() == "-");
}

TEST_CASE("no partial comes after its final") {
  Box box(true, true);
  box.post_partial("one");
  box.post_final("one two");
  CHECK(box.take_partial() == "-");  // its final waits
  CHECK(box.take() == "one two");
  CHECK(box.take() == "-");
  // One that a reader fetched before the final came, and the other reader asks for later.
  box.post_partial("three");
  CHECK(box.take(Reader::kPull) == "one two");
  CHECK(box.take(Reader::kPull) == "three");
  box.post_final("three four");
  CHECK(box.take_partial() == "-");
  CHECK(box.take() == "three four");
  CHECK(box.take() == "-");
}

TEST_CASE("a partial of the next utterance waits until the final before it was taken") {
  Box box(true, true);
  box.post_final("one");
  box.post_partial("two");
  CHECK(box.take_partial() == "-");
  CHECK(box.take_partial(Reader::kPull) == "-");
  CHECK(box.take() == "one");
  CHECK(box.take_partial() == "two");
  CHECK(box.event.header.seq == 1);
  CHECK(box.take(Reader::kPull) == "one");
  CHECK(box.take(Reader::kPull) == "two");
}

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

TEST_CASE("a full mailbox takes nothing more and loses nothing") {
  Box box(true, false);
  const std::string text(3'000, 'x');
  int posted = 0;
  while (box.post_final(text + std::to_string(posted))) ++posted;
  CHECK(posted > 10);
  CHECK_FALSE(box.mailbox.has_room(1));
  CHECK(box.mailbox.last_seq() == static_cast<std::uint64_t>(posted));
  for (int i = 0; i < posted; ++i) {
    REQUIRE(box.take() == text + std::to_string(i));
    CHECK(box.event.header.seq == static_cast<std::uint64_t>(i + 1));
  }
  CHECK(box.take() == "-");
  CHECK(box.mailbox.has_room(Mailbox::kReservedEvents));
}

TEST_CASE("has_room keeps its word for events of the largest size") {
  std::vector<EventWord> words(Transcript::kMaxWords);
  const std::string text(Transcript::kMaxText, 'y');
  Box box(true, false);
  EventHeader header;
  for (std::size_t events = 1; events <= Mailbox::kReservedEvents; ++events) {
    box.mailbox.open(kSid, true, false);
    while (box.mailbox.has_room(events)) REQUIRE(box.mailbox.post(header, "short", words.data(), 1));
    while (!box.mailbox.has_room(events)) REQUIRE(box.take() == "short");
    for (std::size_t i = 0; i < events; ++i) CHECK(box.mailbox.post(header, text, words.data(), words.size()));
  }
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

TEST_CASE("what is longer than a transcript can be is cut at a character, with the words that reach past it") {
  Box box(true, false);
  std::string text;
  while (text.size() < Transcript::kMaxText - 1) text += 'a';
  text += "\xE4\xB8\xAD tail";
  const auto size = static_cast<std::uint32_t>(text.size());
  const std::vector<EventWord> words = {{0, 10, 0, 1, 1.0F}, {size - 4, 4, 1, 2, 1.0F}};
  EventHeader header;
  REQUIRE(box.mailbox.post(header, text, words.data(), words.size()));
  CHECK(box.take() == text.substr(0, Transcript::kMaxText - 1));
  CHECK(box.event.words.size() == 1);
  const std::vector<EventWord> many(Transcript::kMaxWords + 5);
  REQUIRE(box.mailbox.post(header, "x", many.data(), many.size()));
  CHECK(box.take() == "x");
  CHECK(box.event.words.size() == Transcript::kMaxWords);
}

TEST_CASE("records of any size survive many laps of the ring") {
  Box box(true, false);
  std::vector<EventWord> words(100);
  std::uint64_t posted = 0, taken = 0;
  const auto text_of = [](std::uint64_t n) { return std::string(n * 37 % 1'500, static_cast<char>('a' + n % 26)); };
  while (taken < 3'000) {
    // Never quite empty, so that records go round instead of starting over at the first byte.
    while (posted < 3'000 && posted - taken < 5 + posted % 17) {
      for (EventWord& word : words) word.start_ms = static_cast<std::int64_t>(posted);
      EventHeader header;
      const std::string text = text_of(posted);
      REQUIRE(box.mailbox.post(header, text, words.data(), text.empty() ? 0 : posted % 100));
      ++posted;
    }
    REQUIRE(box.mailbox.take(kSid, Reader::kCallback, box.event));
    REQUIRE(box.event.text == text_of(taken));
    REQUIRE(box.event.words.size() == (box.event.text.empty() ? 0 : taken % 100));
    for (const EventWord& word : box.event.words) REQUIRE(word.start_ms == static_cast<std::int64_t>(taken));
    REQUIRE(box.event.header.seq == ++taken);
  }
}

TEST_CASE("events that are taken promptly touch one page of the FIFO and one for each partial buffer") {
  Box box(true, false);
  for (int i = 0; i < 500; ++i) {
    box.post_partial("hello");
    CHECK(box.take() == "hello");
    box.post_partial("hello world");
    box.post_final("hello world again");
    CHECK(box.take() == "hello world again");
  }
  CHECK(touched_pages(box.memory) <= 4);
}

TEST_CASE("a FIFO that is no power of two, or too small, is refused with the remedy") {
  alignas(64) static std::byte memory[64];
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{4'096}, std::size_t{100'000}}) {
    try {
      const Mailbox mailbox(memory, bytes);
      FAIL("made");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::kInvalidArgument);
      CHECK(std::string(error.what()).find(std::to_string(bytes)) != std::string::npos);
      CHECK(std::string(error.what()).find("65536") != std::string::npos);
    }
  }
}
