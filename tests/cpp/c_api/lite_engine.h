// A small engine of the smaller embedded network, by its handle, and what tests do with it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cosyvoice/c_api.h"

namespace cosyvoice::testing {

cv_engine* make_lite_engine(std::uint32_t max_stream = 4, std::int32_t back_pressure = CV_BLOCK);

/// Destroyed with the scope.
class LiteEngine {
 public:
  explicit LiteEngine(std::uint32_t max_stream = 4) : handle_(make_lite_engine(max_stream)) {}
  ~LiteEngine() { cv_engine_destroy(handle_); }
  LiteEngine(const LiteEngine&) = delete;
  LiteEngine& operator=(const LiteEngine&) = delete;
  operator cv_engine*() const noexcept { return handle_; }

 private:
  cv_engine* handle_;
};

/// For tests that leave their engine as they found it, since making one is slow under AddressSanitizer.
const LiteEngine& shared_engine();

/// Speech that the network answers with words, 16 kHz, from `shift` tenths of a second on.
std::vector<std::int16_t> speech(std::size_t samples, std::uint32_t shift = 0);

/// An event that outlives itself.
struct Kept {
  explicit Kept(const cv_event& event);
  int type, reason;
  bool ended;
  cv_session_id sid;
  std::string text, json;
  std::vector<std::string> words;
};

/// Pulls until the end of the session; `code` gets what ended it.
std::vector<Kept> pull_all(cv_engine* engine, cv_session_id sid, int& code);
/// The finals' texts, a line for each.
std::string texts_of(const std::vector<Kept>& events);

}  // namespace cosyvoice::testing
