// The one place where exceptions end: every function of c_api.h that can fail runs inside guarded().
#pragma once

#include <exception>
#include <new>
#include <string>

#include "cosyvoice/c_api.h"
#include "cosyvoice/engine.h"

namespace cosyvoice::c_api {

/// Keeps the message for cv_last_error() of this thread and returns the code as a cv_error.
int failed(ErrorCode code, const char* message) noexcept;

template <class Body>
int guarded(Body&& body) noexcept {
  try {
    body();
    return CV_OK;
  } catch (const Error& error) {
    return failed(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return failed(ErrorCode::kInternal, "the system gives no more memory");
  } catch (const std::exception& error) {
    return failed(ErrorCode::kInternal, error.what());
  } catch (...) {
    return failed(ErrorCode::kInternal, "something that is no std::exception was thrown");
  }
}

/// Throws kInvalidArgument that names the argument where it is null.
template <class Value>
Value& require(Value* argument, const char* name) {
  if (argument == nullptr) throw Error(ErrorCode::kInvalidArgument, std::string(name) + " is NULL");
  return *argument;
}

}  // namespace cosyvoice::c_api
