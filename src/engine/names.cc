// Names of the public enums, as they stand in events, options and the Python package.
#include <initializer_list>
#include <string>
#include <utility>

#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

template <class Value>
using NameTable = std::initializer_list<std::pair<std::string_view, Value>>;

template <class Value>
Value parse(const char* what, std::string_view name, NameTable<Value> table) {
  std::string known;
  for (const auto& [each, value] : table) {
    if (each == name) return value;
    if (!known.empty()) known += ", ";
    known += each;
  }
  throw Error(ErrorCode::kInvalidArgument,
              std::string(what) + " is '" + std::string(name) + "', expected one of: " + known);
}

}  // namespace

const char* to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kOk:
      return "ok";
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kInvalidAudio:
      return "invalid_audio";
    case ErrorCode::kModelNotFound:
      return "model_not_found";
    case ErrorCode::kInvalidModel:
      return "invalid_model";
    case ErrorCode::kEngineFull:
      return "engine_full";
    case ErrorCode::kEngineClosed:
      return "engine_closed";
    case ErrorCode::kEngineForked:
      return "engine_forked";
    case ErrorCode::kUnknownSession:
      return "unknown_session";
    case ErrorCode::kSessionFinished:
      return "session_finished";
    case ErrorCode::kBufferFull:
      return "buffer_full";
    case ErrorCode::kConcurrentFeed:
      return "concurrent_feed";
    case ErrorCode::kInferenceFailed:
      return "inference_failed";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

Encoding parse_encoding(std::string_view name) {
  return parse<Encoding>("encoding", name,
                         {{"s16le", Encoding::kS16le},
                          {"f32le", Encoding::kF32le},
                          {"mulaw", Encoding::kMulaw},
                          {"alaw", Encoding::kAlaw}});
}

Priority parse_priority(std::string_view name) {
  return parse<Priority>("priority", name, {{"live", Priority::kLive}, {"batch", Priority::kBatch}});
}

BackPressure parse_back_pressure(std::string_view name) {
  return parse<BackPressure>("back_pressure", name,
                             {{"block", BackPressure::kBlock}, {"reject", BackPressure::kReject}});
}

const char* to_string(EventType type) noexcept {
  switch (type) {
    case EventType::kPartial:
      return "partial";
    case EventType::kFinal:
      return "final";
    case EventType::kError:
      return "error";
    case EventType::kDropped:
      return "dropped";
  }
  return "error";
}

const char* to_string(Reason reason) noexcept {
  switch (reason) {
    case Reason::kNone:
      return "";
    case Reason::kEndpoint:
      return "endpoint";
    case Reason::kFinish:
      return "finish";
    case Reason::kMaxLength:
      return "max_length";
    case Reason::kReset:
      return "reset";
    case Reason::kClose:
      return "close";
    case Reason::kError:
      return "error";
  }
  return "";
}

}  // namespace cosyvoice
