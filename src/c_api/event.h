// An event that a C program may keep: cv_event and all that it points to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cosyvoice/c_api.h"
#include "cosyvoice/engine.h"

namespace cosyvoice::c_api {

class OwnedEvent : public cv_event {
 public:
  /// `freed_by_caller`: it was pulled, so cv_event_free deletes it.
  OwnedEvent(const Event& event, bool freed_by_caller);
  OwnedEvent(const OwnedEvent&) = delete;
  OwnedEvent& operator=(const OwnedEvent&) = delete;

  const cv_word* word(std::size_t index) const noexcept { return index < words_.size() ? &words_[index] : nullptr; }
  const cv_alternative* alternative(std::size_t index) const noexcept {
    return index < alternatives_.size() ? &alternatives_[index] : nullptr;
  }
  const char* json() const noexcept { return json_.c_str(); }
  bool freed_by_caller() const noexcept { return freed_by_caller_; }

 private:
  const std::string session_, text_, model_name_, json_;
  std::string word_texts_;  ///< one after the other, each with its zero byte
  std::vector<cv_word> words_;
  std::string alternative_texts_;  ///< the same
  std::vector<cv_alternative> alternatives_;
  const bool freed_by_caller_;
};

}  // namespace cosyvoice::c_api
