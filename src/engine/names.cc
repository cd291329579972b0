// Names of errors and of what events are made of.
#include "cosyvoice/engine.h"

namespace cosyvoice {
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
    case ErrorCode::kInvalidConfig:
      return "invalid_config";
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
    case EventType::kSpeechStart:
      return "speech_start";
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
