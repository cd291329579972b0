#include "engine/second_pass.h"

#include <thread>
#include <utility>

#include "bundle/utf8.h"
#include "engine/model_registry.h"
#include "engine/outbox.h"
#include "runtime/clock.h"

namespace cosyvoice {
namespace {

/// Where the words lie in the text. Throws kInvalidArgument.
std::vector<EventWord> placed(std::string_view text, const std::vector<Word>& words) {
  std::vector<EventWord> found;
  found.reserve(words.size());
  std::size_t at = 0;
  for (const Word& word : words) {
    at = text.find(word.text, at);
    if (at == std::string_view::npos || word.text.empty()) {
      throw Error(ErrorCode::kInvalidArgument, "the answer's word " + in_quotes(word.text) +
                                                   " does not lie in its text after the words before it; pass the "
                                                   "words of the text, in order");
    }
    found.push_back(EventWord{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(word.text.size()),
                              word.start_ms, word.end_ms, word.confidence});
    at += word.text.size();
  }
  return found;
}

}  // namespace

SecondPass::SecondPass(const EngineOptions& options, std::function<void()> told)
    : told_(std::move(told)),
      live_(std::size_t{kWaiting} * options.second_pass_workers,
            UtteranceAudio::bytes_needed(options.max_utterance_ms)),
      batch_(options.max_stream, UtteranceAudio::bytes_needed(options.max_utterance_ms)),
      messages_(2 * Outbox::kMostHeld * options.max_stream) {}

SecondPass::~SecondPass() {
  SecondPassMessage message;
  while (receive(message)) delete message.answer;
}

void SecondPass::submit(const Slot& slot, const HearAgain& order) noexcept {
  const UtteranceAudio::Span audio = slot.audio.between(order.begin_ms, order.end_ms);
  SecondPassRequest request;
  request.id = order.id;
  request.sid = slot.sid.load(std::memory_order_relaxed);
  request.utterance = order.utterance;
  request.language = slot.model->model->manifest().language;
  request.samples = audio.samples;
  request.count = audio.count;
  UtteranceQueue& queue = slot.options.priority == Priority::kLive ? live_ : batch_;
  if (audio.samples != nullptr && queue.push(request, order.deadline_ns)) {
    wakeup_.notify_one();
    return;
  }
  send({SecondPassMessage::Kind::kNoRoom, order.id, 0, nullptr});
}

bool SecondPass::next(const std::function<void(const SecondPassRequest&)>& take, std::int64_t timeout_ms) {
  const std::int64_t deadline = deadline_of(timeout_ms);
  for (;;) {
    const Wakeup::Ticket ticket = wakeup_.prepare();
    if (finished_.load(std::memory_order_acquire)) {
      throw Error(ErrorCode::kEngineClosed, "the engine was closed; nothing is left to be heard again");
    }
    {
      const std::lock_guard<std::mutex> lock(takers_);
      if (give(live_, take) || give(batch_, take)) return true;
    }
    if (!wakeup_.wait(ticket, deadline)) return false;
  }
}

bool SecondPass::give(UtteranceQueue& queue, const std::function<void(const SecondPassRequest&)>& take) {
  while (const UtteranceQueue::Entry* entry = queue.front()) {
    const std::int64_t now = now_ns();
    if (entry->deadline_ns >= 0 && entry->deadline_ns <= now) {
      queue.pop();
      continue;
    }
    const std::uint64_t id = entry->request.id;
    send({SecondPassMessage::Kind::kTaken, id, now, nullptr});
    try {
      take(entry->request);
    } catch (...) {
      queue.pop();
      refuse(id);
      throw;
    }
    queue.pop();
    return true;
  }
  return false;
}

void SecondPass::answer(std::uint64_t id, std::string_view text, const std::vector<Word>& words) {
  if (first_malformed_utf8(text) != text.size()) {
    throw Error(ErrorCode::kInvalidArgument, "the answer's text is not UTF-8, which events (JSON) need: " +
                                                 in_quotes(text) + "; encode it as UTF-8");
  }
  auto answer = std::make_unique<SecondPassAnswer>(SecondPassAnswer{std::string(text), placed(text, words)});
  send({SecondPassMessage::Kind::kAnswered, id, now_ns(), answer.release()});
}

void SecondPass::refuse(std::uint64_t id) noexcept {
  send({SecondPassMessage::Kind::kRefused, id, now_ns(), nullptr});
}

void SecondPass::send(const SecondPassMessage& message) noexcept {
  while (!messages_.push(message)) {
    if (finished_.load(std::memory_order_acquire)) {
      delete message.answer;
      return;
    }
    std::this_thread::yield();
  }
  told_();
}

void SecondPass::finish() noexcept {
  finished_.store(true, std::memory_order_release);
  wakeup_.notify_all();
}

}  // namespace cosyvoice
