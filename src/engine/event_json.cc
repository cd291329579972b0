#include "engine/event_json.h"

#include "engine/json_writer.h"

namespace cosyvoice {
namespace {

constexpr int kConfidenceDecimals = 4;
constexpr int kDelayDecimals = 3;

/// `name` comes with its punctuation: `, "text": `.
void append_text(std::string_view name, std::string_view value, std::string& out) {
  out += name;
  append_json_string(value, out);
}

template <class Integer>
void append_count(std::string_view name, Integer value, std::string& out) {
  out += name;
  append_json_number(value, out);
}

void append_confidence(float value, std::string& out) {
  out += ", \"confidence\": ";
  append_json_number(static_cast<double>(value), kConfidenceDecimals, out);
}

void append_times(std::int64_t start_ms, std::int64_t end_ms, std::string& out) {
  append_count(", \"start_ms\": ", start_ms, out);
  append_count(", \"end_ms\": ", end_ms, out);
}

void append_words(const std::vector<Word>& words, std::string& out) {
  out += ", \"words\": [";
  std::string_view opening = "{\"word\": ";
  for (const Word& word : words) {
    append_text(opening, word.text, out);
    append_times(word.start_ms, word.end_ms, out);
    append_confidence(word.confidence, out);
    out += '}';
    opening = ", {\"word\": ";
  }
  out += ']';
}

void append_alternatives(const std::vector<Alternative>& alternatives, std::string& out) {
  out += ", \"alternatives\": [";
  std::string_view opening = "{\"text\": ";
  for (const Alternative& other : alternatives) {
    append_text(opening, other.text, out);
    append_confidence(other.confidence, out);
    out += '}';
    opening = ", {\"text\": ";
  }
  out += ']';
}

void append_reason(Reason reason, std::string& out) {
  if (reason != Reason::kNone) append_text(", \"reason\": ", to_string(reason), out);
}

void append_transcript(const Event& event, std::string& out) {
  append_text(", \"text\": ", event.text, out);
  append_times(event.start_ms, event.end_ms, out);
  append_words(event.words, out);
  append_confidence(event.confidence, out);
  append_alternatives(event.alternatives, out);
  if (event.type == EventType::kFinal) append_reason(event.reason, out);
  append_count(", \"pass\": ", std::int64_t{event.pass}, out);
}

}  // namespace

void append_json(const Event& event, std::string& out) {
  out += "{\"schema\": 1";
  append_text(", \"type\": ", to_string(event.type), out);
  append_count(", \"sid\": ", event.sid, out);
  append_text(", \"session\": ", event.session, out);
  append_count(", \"seq\": ", event.seq, out);
  append_count(", \"utterance\": ", event.utterance, out);
  switch (event.type) {
    case EventType::kPartial:
    case EventType::kFinal:
      append_transcript(event, out);
      break;
    case EventType::kError:
      append_text(", \"code\": ", to_string(event.code), out);
      append_text(", \"message\": ", event.text, out);
      break;
    case EventType::kSpeechStart:
      append_count(", \"start_ms\": ", event.start_ms, out);
      break;
    case EventType::kDropped:
      append_times(event.start_ms, event.end_ms, out);
      append_reason(event.reason, out);
      break;
  }
  out += event.ended ? ", \"ended\": true" : ", \"ended\": false";
  if (event.type != EventType::kError && event.type != EventType::kDropped) {
    append_count(", \"heard_ms\": ", event.heard_ms, out);
    out += ", \"delay_ms\": ";
    append_json_number(event.delay_ms, kDelayDecimals, out);
  }
  append_text(", \"model\": {\"name\": ", event.model_name, out);
  append_count(", \"version\": ", event.model_version, out);
  out += "}}";
}

std::string to_json(const Event& event) {
  std::string json;
  append_json(event, json);
  return json;
}

}  // namespace cosyvoice
