// Error codes and the message of each thread's last failure.
#include <string>

#include "c_api/guard.h"

namespace cosyvoice::c_api {
namespace {

thread_local std::string last_error;

/// A switch without a default, so that the compiler finds a code that c_api.h lacks.
cv_error mirrored(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kOk:
      return CV_OK;
    case ErrorCode::kInvalidArgument:
      return CV_INVALID_ARGUMENT;
    case ErrorCode::kInvalidAudio:
      return CV_INVALID_AUDIO;
    case ErrorCode::kModelNotFound:
      return CV_MODEL_NOT_FOUND;
    case ErrorCode::kInvalidModel:
      return CV_INVALID_MODEL;
    case ErrorCode::kInvalidConfig:
      return CV_INVALID_CONFIG;
    case ErrorCode::kEngineFull:
      return CV_ENGINE_FULL;
    case ErrorCode::kEngineClosed:
      return CV_ENGINE_CLOSED;
    case ErrorCode::kEngineForked:
      return CV_ENGINE_FORKED;
    case ErrorCode::kUnknownSession:
      return CV_UNKNOWN_SESSION;
    case ErrorCode::kSessionFinished:
      return CV_SESSION_FINISHED;
    case ErrorCode::kBufferFull:
      return CV_BUFFER_FULL;
    case ErrorCode::kConcurrentFeed:
      return CV_CONCURRENT_FEED;
    case ErrorCode::kInferenceFailed:
      return CV_INFERENCE_FAILED;
    case ErrorCode::kInternal:
      return CV_INTERNAL;
  }
  return CV_INTERNAL;
}

static_assert(CV_INTERNAL == static_cast<int>(ErrorCode::kInternal), "the two enumerations count alike");

}  // namespace

int failed(ErrorCode code, const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {  // no memory for the message: an older one would mislead
    last_error.clear();
  }
  return mirrored(code);
}

}  // namespace cosyvoice::c_api

extern "C" {

const char* cv_last_error(void) {
  return cosyvoice::c_api::last_error.c_str();
}

const char* cv_error_name(int error) {
  if (error < CV_OK || error > CV_INTERNAL) error = CV_INTERNAL;
  return cosyvoice::to_string(static_cast<cosyvoice::ErrorCode>(error));
}

}  // extern "C"
