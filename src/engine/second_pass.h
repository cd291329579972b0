// Utterances on their way to a second pass, and its answers on their way back.
//
//   Front-End ── submit ──► live │ batch, bounded ── next() ──► whoever hears them again, on threads of his own
//   Back-End  ◄── messages: taken, answered, refused, no room ──┘
//
// The stages' threads take no lock here: the lock is that of the takers among each other. What a final that waits does
// with a message, or without one, is the Outbox's affair.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cosyvoice/engine.h"
#include "engine/mailbox_record.h"
#include "engine/slot.h"
#include "engine/utterance_queue.h"
#include "runtime/mpsc_queue.h"
#include "runtime/wakeup.h"

namespace cosyvoice {

/// Times count from the first sample of the request.
struct SecondPassAnswer {
  std::string text;
  std::vector<EventWord> words;
};

struct SecondPassMessage {
  enum class Kind : std::uint8_t {
    kTaken,     ///< somebody hears it now
    kAnswered,  ///< `answer`, which the receiver frees
    kRefused,
    kNoRoom,  ///< it was never queued
  };
  Kind kind = Kind::kTaken;
  std::uint64_t id = 0;
  std::int64_t at_ns = 0;
  SecondPassAnswer* answer = nullptr;
};

class SecondPass {
 public:
  /// Live utterances that may wait for each worker: more would wait longer than anybody waits for them.
  static constexpr std::uint32_t kWaiting = 16;

  /// `told`: a message waits (wakes the Back-End).
  SecondPass(const EngineOptions& options, std::function<void()> told);
  ~SecondPass();
  SecondPass(const SecondPass&) = delete;
  SecondPass& operator=(const SecondPass&) = delete;

  /// Front-End: hands over the audio of the slot's utterance, or sends word that there is no room for it.
  void submit(const Slot& slot, const HearAgain& order) noexcept;
  /// Back-End: the next message; false: none.
  bool receive(SecondPassMessage& message) noexcept { return messages_.pop(message); }

  // Any thread; see engine.h.
  bool next(const std::function<void(const SecondPassRequest&)>& take, std::int64_t timeout_ms);
  void answer(std::uint64_t id, std::string_view text, const std::vector<Word>& words);
  void refuse(std::uint64_t id) noexcept;

  /// The engine has closed: takers leave.
  void finish() noexcept;

 private:
  bool give(UtteranceQueue& queue, const std::function<void(const SecondPassRequest&)>& take);
  /// Where messages fill the queue, waits until the Back-End has taken one, which waits for nobody. Not the Back-End.
  void send(const SecondPassMessage& message) noexcept;

  const std::function<void()> told_;
  UtteranceQueue live_, batch_;
  std::mutex takers_;
  Wakeup wakeup_;
  MpscQueue<SecondPassMessage> messages_;
  std::atomic<bool> finished_{false};
};

}  // namespace cosyvoice
