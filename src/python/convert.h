// Python arguments → what engine.h takes, with errors that say what to pass instead.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <string>

#include "cosyvoice/engine.h"

namespace cosyvoice::python {

/// An int or a Session; a number that no session can have is an unknown session.
SessionId to_sid(nanobind::handle value);

/// `value` as Target; throws kInvalidArgument that names the option and its range.
template <class Target>
Target narrow(const char* option, std::int64_t value) {
  using Limits = std::numeric_limits<Target>;
  const bool low = value < 0 ? (!Limits::is_signed || value < static_cast<std::int64_t>(Limits::min())) : false;
  const bool high = value > 0 && static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(Limits::max());
  if (low || high) {
    throw Error(ErrorCode::kInvalidArgument, std::string(option) + " is " + std::to_string(value) +
                                                 "; it must lie between " + std::to_string(Limits::min()) + " and " +
                                                 std::to_string(Limits::max()));
  }
  return static_cast<Target>(value);
}

/// A caller's audio, read in place while this object lives (the GIL may be released meanwhile).
class PcmView {
 public:
  enum class Kind : std::uint8_t { kBytes, kInt16, kFloat32 };

  /// Takes bytes-like objects and one-channel C-contiguous buffers of int16 or float32; anything else raises TypeError.
  explicit PcmView(nanobind::handle object);
  ~PcmView();
  PcmView(const PcmView&) = delete;
  PcmView& operator=(const PcmView&) = delete;

  Kind kind() const noexcept { return kind_; }
  const void* data() const noexcept { return view_.buf; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(view_.len); }
  const std::int16_t* int16() const noexcept { return static_cast<const std::int16_t*>(view_.buf); }
  const float* float32() const noexcept { return static_cast<const float*>(view_.buf); }
  std::size_t count() const noexcept { return bytes() / static_cast<std::size_t>(view_.itemsize); }

 private:
  Py_buffer view_{};
  Kind kind_ = Kind::kBytes;
};

}  // namespace cosyvoice::python
