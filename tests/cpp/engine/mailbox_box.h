// A mailbox with memory of its own, for tests that post and take on one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/mailbox.h"
#include "runtime/slab.h"

namespace cosyvoice::testing {

inline constexpr std::size_t kFifoBytes = 64 * 1024;
inline constexpr SessionId kSid = 7;

/// Open for session kSid.
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
    return mailbox.post(header, {text});
  }
  bool post_final(std::string_view text, bool ended = false) { return post(EventType::kFinal, text, ended); }
  void post_partial(std::string_view text) {
    EventHeader header;
    header.sid = kSid;
    mailbox.post_partial(header, {text});
  }
  /// The event's text, or "-" where there is nothing.
  std::string take(Reader reader = Reader::kCallback) {
    return mailbox.take(kSid, reader, event) ? event.text : std::string("-");
  }
  std::string take_partial(Reader reader = Reader::kCallback) {
    return mailbox.take_partial(kSid, reader, event) ? event.text : std::string("-");
  }
};

}  // namespace cosyvoice::testing
