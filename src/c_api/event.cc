#include "c_api/event.h"

#include <cstddef>

namespace cosyvoice::c_api {
namespace {

static_assert(CV_PARTIAL == static_cast<int>(EventType::kPartial) && CV_FINAL == static_cast<int>(EventType::kFinal));
static_assert(CV_ERROR == static_cast<int>(EventType::kError) && CV_DROPPED == static_cast<int>(EventType::kDropped));
static_assert(CV_SPEECH_START == static_cast<int>(EventType::kSpeechStart));
static_assert(CV_REASON_NONE == static_cast<int>(Reason::kNone));
static_assert(CV_REASON_ENDPOINT == static_cast<int>(Reason::kEndpoint));
static_assert(CV_REASON_FINISH == static_cast<int>(Reason::kFinish));
static_assert(CV_REASON_MAX_LENGTH == static_cast<int>(Reason::kMaxLength));
static_assert(CV_REASON_RESET == static_cast<int>(Reason::kReset));
static_assert(CV_REASON_CLOSE == static_cast<int>(Reason::kClose));
static_assert(CV_REASON_ERROR == static_cast<int>(Reason::kError));

template <class Item>
std::string joined(const std::vector<Item>& items) {
  std::string texts;
  for (const Item& item : items) texts.append(item.text).push_back('\0');
  return texts;
}

}  // namespace

OwnedEvent::OwnedEvent(const Event& event, bool freed_by_caller)
    : cv_event{},
      session_(event.session),
      text_(event.text),
      model_name_(event.model_name),
      json_(to_json(event)),
      word_texts_(joined(event.words)),
      alternative_texts_(joined(event.alternatives)),
      freed_by_caller_(freed_by_caller) {
  const char* text_of_word = word_texts_.c_str();
  for (const Word& each : event.words) {
    words_.push_back({sizeof(cv_word), text_of_word, each.start_ms, each.end_ms, static_cast<double>(each.confidence)});
    text_of_word += each.text.size() + 1;
  }
  const char* text_of_alternative = alternative_texts_.c_str();
  for (const Alternative& each : event.alternatives) {
    alternatives_.push_back({sizeof(cv_alternative), text_of_alternative, static_cast<double>(each.confidence)});
    text_of_alternative += each.text.size() + 1;
  }
  size = sizeof(cv_event);
  sid = event.sid;
  session = session_.c_str();
  type = static_cast<std::int32_t>(event.type);
  reason = static_cast<std::int32_t>(event.reason);
  ended = event.ended ? 1 : 0;
  code = static_cast<std::int32_t>(event.code);
  seq = event.seq;
  utterance = event.utterance;
  text = text_.c_str();
  start_ms = event.start_ms;
  end_ms = event.end_ms;
  word_count = words_.size();
  confidence = static_cast<double>(event.confidence);
  delay_ms = event.delay_ms;
  model_name = model_name_.c_str();
  model_version = event.model_version;
  heard_ms = event.heard_ms;
  pass = event.pass;
  reserved = 0;
  alternative_count = alternatives_.size();
}

}  // namespace cosyvoice::c_api

using cosyvoice::c_api::OwnedEvent;

extern "C" {

const cv_word* cv_event_word(const cv_event* event, size_t index) {
  return event == nullptr ? nullptr : static_cast<const OwnedEvent*>(event)->word(index);
}

const cv_alternative* cv_event_alternative(const cv_event* event, size_t index) {
  return event == nullptr ? nullptr : static_cast<const OwnedEvent*>(event)->alternative(index);
}

const char* cv_event_json(const cv_event* event) {
  return event == nullptr ? "" : static_cast<const OwnedEvent*>(event)->json();
}

void cv_event_free(const cv_event* event) {
  const auto* owned = static_cast<const OwnedEvent*>(event);
  if (owned != nullptr && owned->freed_by_caller()) delete owned;
}

}  // extern "C"
