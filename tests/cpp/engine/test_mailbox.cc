#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mailbox_box.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

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
  REQUIRE(box.mailbox.post(header, {"hello wörld", words, 2}));
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
    while (box.mailbox.has_room(events)) REQUIRE(box.mailbox.post(header, {"short", words.data(), 1}));
    while (!box.mailbox.has_room(events)) REQUIRE(box.take() == "short");
    for (std::size_t i = 0; i < events; ++i) CHECK(box.mailbox.post(header, {text, words.data(), words.size()}));
  }
}

TEST_CASE("what is longer than a transcript can be is cut at a character, with the words that reach past it") {
  Box box(true, false);
  std::string text;
  while (text.size() < Transcript::kMaxText - 1) text += 'a';
  text += "\xE4\xB8\xAD tail";
  const auto size = static_cast<std::uint32_t>(text.size());
  const std::vector<EventWord> words = {{0, 10, 0, 1, 1.0F}, {size - 4, 4, 1, 2, 1.0F}};
  EventHeader header;
  REQUIRE(box.mailbox.post(header, {text, words.data(), words.size()}));
  CHECK(box.take() == text.substr(0, Transcript::kMaxText - 1));
  CHECK(box.event.words.size() == 1);
  const std::vector<EventWord> many(Transcript::kMaxWords + 5);
  REQUIRE(box.mailbox.post(header, {"x", many.data(), many.size()}));
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
      REQUIRE(box.mailbox.post(header, {text, words.data(), text.empty() ? 0 : posted % 100}));
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
