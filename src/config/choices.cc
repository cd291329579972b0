#include "config/choices.h"

#include "bundle/utf8.h"

namespace cosyvoice {
namespace {

template <class Value>
Value parse(const char* what, std::string_view name) {
  Value value{};
  if (find_choice(name, value)) return value;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(what) + " is " + in_quotes(name) + ", expected one of: " + list_of_choices<Value>(", "));
}

}  // namespace

Encoding parse_encoding(std::string_view name) {
  return parse<Encoding>("encoding", name);
}

Priority parse_priority(std::string_view name) {
  return parse<Priority>("priority", name);
}

BackPressure parse_back_pressure(std::string_view name) {
  return parse<BackPressure>("back_pressure", name);
}

Simd parse_simd(std::string_view name) {
  return parse<Simd>("simd", name);
}

Precision parse_precision(std::string_view name) {
  return parse<Precision>("precision", name);
}

VadKind parse_vad(std::string_view name) {
  return parse<VadKind>("vad", name);
}

LogLevel parse_log_level(std::string_view name) {
  return parse<LogLevel>("log_level", name);
}

const char* to_string(BackPressure policy) noexcept {
  return name_of(policy).data();
}

const char* to_string(Simd width) noexcept {
  return name_of(width).data();
}

const char* to_string(Precision precision) noexcept {
  return name_of(precision).data();
}

const char* to_string(VadKind kind) noexcept {
  return name_of(kind).data();
}

const char* to_string(LogLevel level) noexcept {
  return name_of(level).data();
}

}  // namespace cosyvoice
