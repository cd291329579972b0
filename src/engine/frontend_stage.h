// The Front-End's thread: audio ring → features → chunks for the scheduler, for every session.
//
// It is woken for a slot (enqueue) when audio or a verb came, when the Back-End handed a flight back, or when an outlet
// made room. It alone decides what a session does next, so a session needs no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "core/batch_scheduler.h"
#include "engine/counters.h"
#include "engine/model_registry.h"
#include "engine/second_pass.h"
#include "engine/silence_skip.h"
#include "engine/slot_table.h"
#include "runtime/news_queue.h"

namespace cosyvoice {

/// Feature rows a session keeps: the chunk before (an end-point may read part of it again), the chunk in flight with
/// its look-ahead or the pre-roll, and two that fill meanwhile.
constexpr std::size_t feature_rows(std::size_t chunk, std::size_t look_ahead, std::size_t pre_roll) noexcept {
  return 4 * chunk + look_ahead + pre_roll;
}

class FrontendStage {
 public:
  /// `to_backend`: hands a slot whose order needs no inference to the Back-End.
  /// `second_pass`: null where there is none.
  FrontendStage(SlotTable& slots, ModelRegistry& models, BatchScheduler& scheduler, Counters& counters,
                SecondPass* second_pass, SilenceSkip& silence_skip, std::int32_t idle_timeout_ms,
                std::function<void(Slot&)> to_backend, std::function<void(Slot&)> session_over);
  void start();
  void stop();

  /// Any thread: this slot has something to do.
  void enqueue(Slot& slot) noexcept;

 private:
  void run();
  bool collect() noexcept;
  void pass() noexcept;

  // One step of one slot; each returns whether it moved something.
  bool settle(Slot& slot) noexcept;
  bool read(Slot& slot) noexcept;
  bool advance(Slot& slot) noexcept;

  bool advance_chunk(Slot& slot, bool at_mark) noexcept;
  bool must_wait(Slot& slot, bool verb) noexcept;
  /// The next chunk, whose way was decided by `frames` of the stream.
  void send_chunk(Slot& slot, std::uint64_t frames) noexcept;
  void send_skip(Slot& slot, std::uint64_t frames) noexcept;
  void send_speech(Slot& slot, const SpeechTrack::Onset& onset) noexcept;
  void hand_over(Slot& slot) noexcept;
  /// What the next chunk and its order have in common, heard or skipped.
  void fill_order(Slot& slot, std::uint64_t frames) noexcept;
  void send_order(Slot& slot, FlightOrder::Kind kind) noexcept;
  bool send_close_or_reset(Slot& slot) noexcept;
  void end_of_mark(Slot& slot) noexcept;
  void end_session(Slot& slot) noexcept;
  void scan_idle(std::int64_t now) noexcept;

  SlotTable& slots_;
  ModelRegistry& models_;
  BatchScheduler& scheduler_;
  Counters& counters_;
  SecondPass* const second_pass_;
  SilenceSkip& silence_skip_;
  const std::int64_t idle_timeout_ns_;
  const std::function<void(Slot&)> to_backend_;
  const std::function<void(Slot&)> session_over_;

  NewsQueue news_;
  std::atomic<bool> stop_{false};
  std::vector<std::uint32_t> told_;  ///< slots with news, and …
  std::vector<Slot*> active_;        ///< … those of them that are open: this pass
  std::int64_t idle_scan_ns_ = 0;    ///< no session can be idle for too long before this
  std::thread thread_;
};

}  // namespace cosyvoice
