#include "engine/backend_stage.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/model_registry.h"
#include "runtime/clock.h"
#include "runtime/thread.h"

namespace cosyvoice {
namespace {

const Manifest& manifest_of(const Slot& slot) noexcept {
  return slot.model->model->manifest();
}

/// FNV-1a: tells whether a partial's text changed without keeping it.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

/// A second pass hears so much before the first word, which the stream may have noticed late, …
constexpr std::int64_t kLeadMs = 1000;
/// … so before a word has come, audio is kept for longer than a chunk and this.
constexpr std::int64_t kKeptSilenceMs = 4000;

Reason reason_of(Mark::Kind mark) noexcept {
  return mark == Mark::Kind::kFinish ? Reason::kFinish : Reason::kEndpoint;
}

Dictionary::Match match_of(const Slot& slot) noexcept {
  return manifest_of(slot).word_boundary.empty() ? Dictionary::Match::kCharacters : Dictionary::Match::kWords;
}

std::string_view first_words(const Transcript& transcript, std::size_t count) noexcept {
  if (count == 0) return {};
  const TranscriptWord& last = transcript.words()[count - 1];
  return transcript.text().substr(0, last.text_begin + last.text_size);
}

}  // namespace

BackendStage::BackendStage(SlotTable& slots, Counters& counters, const Published<Dictionary>& dictionary,
                           const EndpointOptions& endpoint, std::int32_t hold_back_ms, SecondPass* second_pass,
                           std::int32_t second_pass_timeout_ms, std::function<void(Slot&)> posted,
                           std::function<void(Slot&)> hand_back, std::function<void(Slot&)> let_go)
    : slots_(slots),
      counters_(counters),
      dictionary_(dictionary),
      endpoint_(endpoint),
      hold_back_ms_(hold_back_ms),
      hand_back_(std::move(hand_back)),
      outbox_(slots, counters, second_pass, second_pass_timeout_ms, std::move(posted), std::move(let_go)),
      queue_(slots.size()) {
  words_.resize(Transcript::kMaxWords);
}

void BackendStage::start() {
  thread_ = start_thread("cv-backend", [this] { run(); });
}

void BackendStage::stop() {
  stop_.store(true, std::memory_order_release);
  wakeup_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackendStage::push(const EncoderOutput& output) noexcept {
  // A session has one flight, so the queue has room for all of them.
  queue_.push(output);
  wakeup_.notify_one();
}

void BackendStage::room_made(Slot& slot) noexcept {
  outbox_.room_made(slot);
  wake();
}

void BackendStage::give_up_second_pass() noexcept {
  outbox_.give_up();
  wake();
}

void BackendStage::run() {
  for (;;) {
    const Wakeup::Ticket ticket = wakeup_.prepare();
    EncoderOutput output;
    bool worked = false;
    while (queue_.pop(output)) {
      handle(slots_[output.slot], output);
      worked = true;
    }
    if (outbox_.work() || worked) continue;
    if (stop_.load(std::memory_order_acquire)) return;
    wakeup_.wait(ticket, outbox_.deadline_ns());
  }
}

void BackendStage::handle(Slot& slot, const EncoderOutput& output) noexcept {
  slot.result = FlightResult{};
  switch (slot.order.kind) {
    case FlightOrder::Kind::kChunk:
      handle_chunk(slot, output);
      break;
    case FlightOrder::Kind::kSkip:
      handle_skip(slot);
      break;
    case FlightOrder::Kind::kSpeech:
      announce(slot, slot.order.start_ms);
      break;
    case FlightOrder::Kind::kMark:
      handle_mark(slot);
      break;
    case FlightOrder::Kind::kReset:
      handle_reset(slot);
      break;
    case FlightOrder::Kind::kClose:
      post_final(slot, Reason::kClose, true);
      break;
  }
  slot.result.keep_ms = slot.back.keep_ms;
  slot.result.has_words = !slot.transcript.empty();
  slot.result.quiet_ms = slot.back.quiet_ms;
  slot.result.silence_left_ms = endpoint_.silence_left_ms(so_far(slot));
  slot.in_flight.store(false, std::memory_order_release);
  hand_back_(slot);
}

void BackendStage::handle_chunk(Slot& slot, const EncoderOutput& output) noexcept {
  if (output.status != ErrorCode::kOk) {
    fail(slot, output.status);
    return;
  }
  account(slot, counters_, slot.order.decoded_until, Fate::kDecoded);
  if (slot.decoder.frames() == 0) slot.back.origin_ms = slot.order.start_ms;
  slot.back.anything = true;
  if (slot.transcript.empty()) take_dictionary(slot);
  slot.decoder.decode(output.data, output.frames, output.dim, slot.transcript, scratch_);
  const std::int64_t frame_ms = manifest_of(slot).network.output_frame_ms;
  const std::int64_t blank_ms = slot.decoder.trailing_blanks() * frame_ms;
  const std::int64_t heard_ms = output.frames * frame_ms;
  slot.back.quiet_ms = blank_ms < heard_ms ? blank_ms : slot.back.quiet_ms + heard_ms;
  if (slot.order.mark != Mark::Kind::kNone) {
    handle_mark(slot);
    return;
  }
  if (slot.options.priority == Priority::kLive) counters_.partial_delay.add(now_ns() - slot.order.since_ns);
  end_or_go_on(slot);
}

void BackendStage::handle_skip(Slot& slot) noexcept {
  account(slot, counters_, slot.order.decoded_until, Fate::kSkipped);
  if (slot.decoder.frames() == 0) slot.back.origin_ms = slot.order.start_ms;
  slot.back.anything = true;
  const Manifest& manifest = manifest_of(slot);
  const std::uint32_t frames = manifest.output_frames(slot.chunk_frames);
  slot.decoder.skip(frames);
  slot.back.quiet_ms += std::int64_t{frames} * manifest.network.output_frame_ms;
  if (slot.back.announced && slot.transcript.empty()) {
    // What seemed to be speech had no words: what begins next is announced anew, under a number of its own.
    ++slot.back.utterance;
    slot.back.announced = false;
  }
  end_or_go_on(slot);
}

UtteranceSoFar BackendStage::so_far(const Slot& slot) const noexcept {
  const std::int64_t frame_ms = manifest_of(slot).network.output_frame_ms;
  const bool has_words = !slot.transcript.empty();
  const std::int64_t first_frame = has_words ? slot.transcript.words().front().start_frame : 0;
  UtteranceSoFar so_far;
  so_far.has_words = has_words;
  so_far.length_ms = (slot.decoder.frames() - first_frame) * frame_ms;
  so_far.silence_ms = slot.decoder.trailing_blanks() * frame_ms;
  // A first word that the network has not written yet is no silence.
  if (!has_words && slot.order.speaking) so_far.silence_ms = 0;
  so_far.nearly_full = slot.transcript.nearly_full() || slot.decoder.nearly_full();
  return so_far;
}

void BackendStage::end_or_go_on(Slot& slot) noexcept {
  const Cut cut = endpoint_.judge(so_far(slot));
  if (cut == Cut::kNone) {
    if (slot.transcript.empty()) keep_from(slot, slot.order.end_ms - kKeptSilenceMs);
    post_partial(slot);
    return;
  }
  const std::int64_t silence_ms = slot.decoder.trailing_blanks() * manifest_of(slot).network.output_frame_ms;
  // The silence that the next utterance reads again is that one's.
  const std::int64_t chunk_ms = slot.order.end_ms - slot.order.start_ms;
  const std::int64_t read_again_ms = cut == Cut::kHard ? 0 : std::min(silence_ms / 2, chunk_ms);
  const bool too_long = cut == Cut::kPause || cut == Cut::kHard;
  post_final(slot, too_long ? Reason::kMaxLength : Reason::kEndpoint, false, read_again_ms);
  if (cut == Cut::kHard) {
    slot.decoder.restart_count();
  } else {
    slot.decoder.reset();
    slot.result.restart = true;
    slot.result.silence_ms = silence_ms;
  }
}

void BackendStage::handle_mark(Slot& slot) noexcept {
  const Mark::Kind mark = slot.order.mark;
  account(slot, counters_, slot.order.decoded_until, Fate::kDecoded);
  // Idle time, like silence, makes no event before the first word.
  if (mark != Mark::Kind::kIdle || !slot.transcript.empty()) {
    post_final(slot, reason_of(mark), mark == Mark::Kind::kFinish);
  } else {
    next_utterance(slot);
  }
  slot.decoder.reset();
  slot.back.quiet_ms = 0;
}

void BackendStage::handle_reset(Slot& slot) noexcept {
  EventHeader event = header(slot, EventType::kDropped);
  event.reason = Reason::kReset;
  event.start_ms = slot.back.anything ? std::min(slot.back.origin_ms, slot.order.start_ms) : slot.order.start_ms;
  event.end_ms = slot.order.end_ms;
  const bool discarded = event.end_ms > event.start_ms || !slot.transcript.empty();
  if (discarded) {
    outbox_.post(slot, draft(slot, event, {}, nullptr, 0));
    next_utterance(slot);
  }
  keep_from(slot, slot.order.end_ms);
  slot.decoder.reset();
  slot.back.quiet_ms = 0;
}

void BackendStage::fail(Slot& slot, ErrorCode code) noexcept {
  refuse_audio(slot);
  account(slot, counters_, slot.ring.written(), Fate::kDropped);
  EventHeader event = header(slot, EventType::kError);
  event.reason = Reason::kError;
  event.code = code;
  event.ended = true;
  event.start_ms = slot.order.start_ms;
  event.end_ms = slot.order.end_ms;
  outbox_.post(slot, draft(slot, event,
                           "the network failed on this session's audio; the session has ended: open another, and "
                           "check the model with `cosyvoice transcribe`",
                           nullptr, 0));
  slot.transcript.clear();
  slot.result.failed = true;
}

void BackendStage::announce(Slot& slot, std::int64_t start_ms) noexcept {
  if (slot.back.announced) return;
  slot.back.announced = true;
  EventHeader event = header(slot, EventType::kSpeechStart);
  event.start_ms = event.end_ms = start_ms;
  outbox_.post_at_once(slot, draft(slot, event, {}, nullptr, 0));
}

void BackendStage::post_partial(Slot& slot) noexcept {
  const std::size_t words = settled_words(slot);
  const std::string_view text = first_words(slot.transcript, words);
  const std::uint64_t hash = hash_of(text);
  if (text.empty() || (text.size() == slot.back.shown_text && hash == slot.back.shown_hash)) return;
  slot.back.shown_text = text.size();
  slot.back.shown_hash = hash;
  EventHeader event = header(slot, EventType::kPartial);
  const Draft partial = show(slot, words, event);
  announce(slot, event.start_ms);
  outbox_.post_partial(slot, partial);
}

void BackendStage::post_final(Slot& slot, Reason reason, bool ended, std::int64_t read_again_ms) noexcept {
  slot.decoder.finish(slot.transcript, alternatives_, scratch_);
  EventHeader event = header(slot, EventType::kFinal);
  event.reason = reason;
  event.ended = ended;
  Draft final = show(slot, slot.transcript.words().size(), event);
  if (final.content.word_count != 0) announce(slot, event.start_ms);
  const Alternatives& others = shown_alternatives(slot);
  final.content.alternatives_text = others.text();
  final.content.alternatives = others.data();
  final.content.alternative_count = others.size();
  const std::int64_t heard_until_ms = slot.order.end_ms - read_again_ms;
  // A second pass is not asked about silence, in which it might hear words, nor for what is to end at once.
  if (final.content.word_count != 0 && reason != Reason::kClose && outbox_.hears_again()) {
    const std::int64_t lead_ms = event.start_ms - kLeadMs;
    slot.result.hear_again = outbox_.hold(slot, final, std::max(lead_ms, slot.back.keep_ms), heard_until_ms);
  } else {
    outbox_.post(slot, final);
  }
  keep_from(slot, heard_until_ms);
  next_utterance(slot);
}

void BackendStage::keep_from(Slot& slot, std::int64_t ms) noexcept {
  slot.back.keep_ms = std::max(slot.back.keep_ms, ms);
}

Draft BackendStage::draft(const Slot& slot, const EventHeader& event, std::string_view text, const EventWord* words,
                          std::size_t count) const noexcept {
  Draft made{event, {}, slot.order.since_ns};
  made.content.text = text;
  made.content.words = words;
  made.content.word_count = count;
  return made;
}

EventHeader BackendStage::header(const Slot& slot, EventType type) const noexcept {
  EventHeader event;
  event.type = type;
  event.sid = slot.sid.load(std::memory_order_relaxed);
  event.utterance = slot.back.utterance;
  event.heard_ms = slot.order.heard_ms;
  event.model_version = manifest_of(slot).version;
  return event;
}

std::size_t BackendStage::settled_words(const Slot& slot) const noexcept {
  const auto& words = slot.transcript.words();
  std::size_t count = words.size();
  const std::int64_t frame_ms = manifest_of(slot).network.output_frame_ms;
  const auto age_ms = [&](const TranscriptWord& word) { return (slot.decoder.frames() - word.end_frame) * frame_ms; };
  while (hold_back_ms_ != 0 && count != 0 && age_ms(words[count - 1]) < hold_back_ms_) --count;
  return count;
}

void BackendStage::time_words(const Slot& slot, std::size_t count, EventHeader& event) noexcept {
  const Manifest& manifest = manifest_of(slot);
  const std::int64_t frame_ms = manifest.network.output_frame_ms;
  const auto at = [&](std::int32_t frame) {
    return std::max<std::int64_t>(0, slot.back.origin_ms + frame * frame_ms - manifest.emission_offset_ms);
  };
  const auto& words = slot.transcript.words();
  for (std::size_t i = 0; i < count; ++i) {
    words_[i] = EventWord{words[i].text_begin, words[i].text_size, at(words[i].start_frame), at(words[i].end_frame),
                          words[i].confidence()};
    event.confidence += words_[i].confidence / static_cast<float>(count);
  }
  if (count == 0) {
    event.start_ms = slot.back.anything ? std::min(slot.back.origin_ms, slot.order.end_ms) : slot.order.end_ms;
    event.end_ms = slot.order.end_ms;
  } else {
    event.start_ms = words_[0].start_ms;
    event.end_ms = words_[count - 1].end_ms;
  }
}

Draft BackendStage::show(const Slot& slot, std::size_t count, EventHeader& event) noexcept {
  time_words(slot, count, event);
  const std::string_view text = first_words(slot.transcript, count);
  const Dictionary* dictionary = slot.back.dictionary.get();
  if (dictionary == nullptr) return draft(slot, event, text, words_.data(), count);
  dictionary->apply(text, words_.data(), count, match_of(slot), shown_);
  return draft(slot, event, shown_.text, shown_.words.data(), shown_.words.size());
}

const Alternatives& BackendStage::shown_alternatives(const Slot& slot) noexcept {
  const Dictionary* dictionary = slot.back.dictionary.get();
  if (dictionary == nullptr) return alternatives_;
  shown_alternatives_.clear();
  for (std::size_t i = 0; i < alternatives_.size(); ++i) {
    const std::string_view text = alternatives_.text().substr(alternatives_[i].text_begin, alternatives_[i].text_size);
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < text.size() && count != words_.size(); ++count) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      words_[count] = EventWord{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
      begin = end + 1;
    }
    dictionary->apply(text, words_.data(), count, match_of(slot), shown_alternative_);
    shown_alternatives_.add(shown_alternative_.text, alternatives_[i].confidence);
  }
  return shown_alternatives_;
}

void BackendStage::take_dictionary(Slot& slot) noexcept {
  if (dictionary_version_ != dictionary_.version()) {
    dictionary_version_ = dictionary_.version();
    newest_dictionary_ = dictionary_.get();
  }
  if (slot.back.dictionary != newest_dictionary_) slot.back.dictionary = newest_dictionary_;
}

void BackendStage::next_utterance(Slot& slot) noexcept {
  slot.transcript.clear();
  ++slot.back.utterance;
  slot.back.anything = false;
  slot.back.announced = false;
  slot.back.shown_text = 0;
  slot.back.shown_hash = 0;
}

}  // namespace cosyvoice
