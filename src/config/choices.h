// Options that are one word of a few: the words, in the order in which messages and pages list them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cosyvoice/engine.h"

namespace cosyvoice {

template <class Value>
struct Choice {
  std::string_view name;
  Value value;
};

template <class Value>
struct Choices;  // `table` of each enum of options

template <>
struct Choices<Encoding> {
  static constexpr Choice<Encoding> table[] = {
      {"s16le", Encoding::kS16le}, {"f32le", Encoding::kF32le}, {"mulaw", Encoding::kMulaw}, {"alaw", Encoding::kAlaw}};
};
template <>
struct Choices<Priority> {
  static constexpr Choice<Priority> table[] = {{"live", Priority::kLive}, {"batch", Priority::kBatch}};
};
template <>
struct Choices<BackPressure> {
  static constexpr Choice<BackPressure> table[] = {{"block", BackPressure::kBlock}, {"reject", BackPressure::kReject}};
};
template <>
struct Choices<Simd> {
  static constexpr Choice<Simd> table[] = {
      {"auto", Simd::kAuto}, {"baseline", Simd::kBaseline}, {"avx2", Simd::kAvx2}, {"avx512", Simd::kAvx512}};
};
template <>
struct Choices<Precision> {
  static constexpr Choice<Precision> table[] = {
      {"auto", Precision::kAuto}, {"f32", Precision::kF32}, {"int8", Precision::kInt8}};
};
template <>
struct Choices<VadKind> {
  static constexpr Choice<VadKind> table[] = {
      {"off", VadKind::kOff}, {"energy", VadKind::kEnergy}, {"silero", VadKind::kSilero}};
};
template <>
struct Choices<LogLevel> {
  static constexpr Choice<LogLevel> table[] = {{"debug", LogLevel::kDebug},
                                               {"info", LogLevel::kInfo},
                                               {"warning", LogLevel::kWarning},
                                               {"error", LogLevel::kError}};
};

template <class Value>
constexpr std::string_view name_of(Value value) noexcept {
  for (const auto& choice : Choices<Value>::table) {
    if (choice.value == value) return choice.name;
  }
  return {};
}

/// "block | reject"
template <class Value>
std::string list_of_choices(std::string_view between = " | ") {
  std::string list;
  for (const auto& choice : Choices<Value>::table) list.append(list.empty() ? "" : between).append(choice.name);
  return list;
}

/// False, and `value` stays, when no choice has this name.
template <class Value>
bool find_choice(std::string_view name, Value& value) noexcept {
  for (const auto& choice : Choices<Value>::table) {
    if (choice.name != name) continue;
    value = choice.value;
    return true;
  }
  return false;
}

}  // namespace cosyvoice
