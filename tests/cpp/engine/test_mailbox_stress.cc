// One writer and two readers at full speed; the rules are checked on what each reader sees. Meant for ThreadSanitizer.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/mailbox.h"
#include "runtime/slab.h"
#include "runtime/wakeup.h"
#include "support/allocation_counter.h"

using namespace cosyvoice;

namespace {

constexpr std::size_t kFifoBytes = 64 * 1024;
constexpr std::uint64_t kFinals = 20'000;

/// Everything about an event follows from its number, so that a torn one shows.
std::string_view text_of(std::uint64_t number, std::string& storage) {
  storage.assign(number * 7 % 300, static_cast<char>('a' + number % 26));
  return storage;
}

struct Writer {
  Mailbox& mailbox;
  SessionId sid;
  std::mt19937 random{5};
  std::string storage{};
  std::vector<EventWord> words = std::vector<EventWord>(64);

  EventHeader header(EventType type, std::uint64_t number) const {
    EventHeader event;
    event.type = type;
    event.sid = sid;
    event.utterance = number;
    return event;
  }

  std::size_t fill_words(std::uint64_t number, std::size_t text_size) {
    const std::size_t count = text_size == 0 ? 0 : number % words.size();
    for (std::size_t i = 0; i < count; ++i) words[i].start_ms = static_cast<std::int64_t>(number + i);
    return count;
  }

  void post_partial(std::uint64_t number) {
    const std::string_view text = text_of(number, storage);
    mailbox.post_partial(header(EventType::kPartial, number), {text, words.data(), fill_words(number, text.size())});
  }

  bool post_final(std::uint64_t number, bool ended) {
    EventHeader event = header(EventType::kFinal, number);
    event.ended = ended;
    const std::string_view text = text_of(number, storage);
    return mailbox.post(event, {text, words.data(), fill_words(number, text.size())});
  }
};

/// What one reader sees of one session.
struct Checker {
  std::uint64_t last_seq = 0, last_partial = 0, partials = 0, wrong = 0;
  bool ended = false;
  std::string storage{};

  /// `gaps`: the reader joins and leaves, so it may miss finals.
  void see(const TakenEvent& event, SessionId sid, bool gaps) {
    const std::uint64_t number = event.header.utterance;
    bool right = !ended && event.header.sid == sid && event.text == text_of(number, storage) &&
                 event.words.size() == (event.text.empty() ? 0 : number % 64);
    for (std::size_t i = 0; i < event.words.size(); ++i) {
      right = right && event.words[i].start_ms == static_cast<std::int64_t>(number + i);
    }
    if (event.header.type == EventType::kPartial) {
      // Partials are numbered 1000 · (finals before) + count.
      right = right && number / 1'000 == event.header.seq && number > last_partial &&
              (gaps ? event.header.seq >= last_seq : event.header.seq == last_seq);
      last_partial = number;
      ++partials;
    } else {
      right = right && number == event.header.seq && (gaps ? number > last_seq : number == last_seq + 1) &&
              (last_partial == 0 || last_partial / 1'000 < number);
    }
    last_seq = event.header.seq;
    ended = event.header.ended;
    if (!right) ++wrong;
  }
};

/// Posts kFinals finals, the last of them with `ended`, and partials between.
void write_session(Mailbox& mailbox, SessionId sid, Wakeup& posted, Wakeup& taken) {
  Writer writer{mailbox, sid};
  for (std::uint64_t number = 1; number <= kFinals; ++number) {
    const std::uint64_t partials = writer.random() % 5;
    for (std::uint64_t i = 1; i <= partials; ++i) {
      writer.post_partial((number - 1) * 1'000 + i);
      posted.notify_all();
    }
    for (;;) {
      const Wakeup::Ticket ticket = taken.prepare();
      if (mailbox.has_room(1)) break;
      taken.wait(ticket);
    }
    if (!writer.post_final(number, number == kFinals)) FAIL_CHECK("no room though has_room() said so");
    posted.notify_all();
  }
}

}  // namespace

TEST_CASE("two readers each see every final once, in order, and no partial after its final") {
  const Slab memory(Mailbox::bytes_needed(kFifoBytes), "test");
  Mailbox mailbox(memory.data(), kFifoBytes);
  for (SessionId sid = 1; sid <= 2; ++sid) {
    mailbox.open(sid, true, true);
    Wakeup posted, taken;
    Checker checkers[2];
    const auto read = [&](Reader reader) {
      Checker& checker = checkers[static_cast<int>(reader)];
      std::mt19937 random(static_cast<unsigned>(reader));
      TakenEvent event;
      while (!checker.ended) {
        const Wakeup::Ticket ticket = posted.prepare();
        const bool any = random() % 4 == 0
                             ? mailbox.take_partial(sid, reader, event) || mailbox.take(sid, reader, event)
                             : mailbox.take(sid, reader, event);
        if (any) {
          checker.see(event, sid, false);
          taken.notify_all();
        } else {
          posted.wait(ticket);
        }
      }
    };
    std::thread callback(read, Reader::kCallback), pull(read, Reader::kPull);
    write_session(mailbox, sid, posted, taken);
    callback.join();
    pull.join();
    CHECK(mailbox.exhausted());
    for (const Checker& checker : checkers) {
      CHECK(checker.wrong == 0);
      CHECK(checker.last_seq == kFinals);
      CHECK(checker.partials > 0);
    }
  }
}

TEST_CASE("readers that join and leave see events whole and in order, and never stop the writer for good") {
  const Slab memory(Mailbox::bytes_needed(kFifoBytes), "test");
  Mailbox mailbox(memory.data(), kFifoBytes);
  mailbox.open(1, false, false);
  Wakeup posted, taken;
  std::atomic<bool> done{false};
  Checker checkers[2];
  const auto read = [&](Reader reader) {
    Checker& checker = checkers[static_cast<int>(reader)];
    std::mt19937 random(static_cast<unsigned>(reader));
    TakenEvent event;
    while (!done.load(std::memory_order_acquire)) {
      mailbox.set_active(1, reader, true);
      for (auto takes = random() % 40; takes > 0; --takes) {
        if (mailbox.take(1, reader, event)) checker.see(event, 1, true);
      }
      mailbox.set_active(1, reader, false);
      taken.notify_all();
    }
  };
  std::thread callback(read, Reader::kCallback), pull(read, Reader::kPull);
  write_session(mailbox, 1, posted, taken);
  done.store(true, std::memory_order_release);
  callback.join();
  pull.join();
  CHECK(mailbox.exhausted());
  CHECK(mailbox.has_room(Mailbox::kReservedEvents));
  for (const Checker& checker : checkers) CHECK(checker.wrong == 0);
}

TEST_CASE("a slot opened again while old readers still ask: they get nothing of the next session") {
  const Slab memory(Mailbox::bytes_needed(kFifoBytes), "test");
  Mailbox mailbox(memory.data(), kFifoBytes);
  constexpr SessionId kSessions = 2'000;
  std::atomic<SessionId> current{0};
  std::uint64_t wrong = 0;
  std::thread reader([&] {
    TakenEvent event;
    for (SessionId sid = 0; sid < kSessions;) {
      sid = current.load(std::memory_order_acquire);
      for (int i = 0; i < 3; ++i) {
        if (mailbox.take(sid, Reader::kCallback, event) && event.header.sid != sid) ++wrong;
      }
    }
  });
  for (SessionId sid = 1; sid <= kSessions; ++sid) {
    mailbox.open(sid, true, false);
    current.store(sid, std::memory_order_release);
    Writer writer{mailbox, sid};
    writer.post_partial(1);
    writer.post_final(1, false);
    writer.post_final(2, true);
  }
  reader.join();
  CHECK(wrong == 0);
}

TEST_CASE("posting allocates nothing, and taking nothing once its storage has grown") {
  const Slab memory(Mailbox::bytes_needed(kFifoBytes), "test");
  Mailbox mailbox(memory.data(), kFifoBytes);
  mailbox.open(1, true, false);
  Writer writer{mailbox, 1};
  TakenEvent event;
  const auto work = [&] {
    for (std::uint64_t number = 1; number < 200; ++number) {
      writer.post_partial(number);
      mailbox.take(1, Reader::kCallback, event);
      writer.post_final(number, false);
      mailbox.take(1, Reader::kCallback, event);
    }
  };
  work();
  const std::uint64_t before = testing::allocations_of_this_thread();
  work();
  CHECK(testing::allocations_of_this_thread() == before);
}
