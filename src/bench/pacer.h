// Feeds real audio to many sessions in real time, as callers would, and reports what they saw.
//
// The calling thread sleeps until the next packet is due and feeds it; when it falls behind it feeds at once, and the
// report says by how much it was late. Public header only, so that it measures what a user of the library gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cosyvoice/engine.h"

namespace cosyvoice::bench {

struct PacerOptions {
  std::uint32_t streams = 1;
  double seconds = 10.0;         ///< of audio for each stream, warm-up included
  double warm_up_seconds = 2.0;  ///< delays of this first part are not counted
  std::uint32_t chunk_ms = 0;    ///< 0: the model's default
  std::uint32_t sample_rate = 16000;
  std::uint32_t packet_ms = 64;
  bool together = false;       ///< all streams start at once, instead of spread over the first second
  std::function<void()> tick;  ///< called a few times a second; what it throws ends the run
};

struct PacerReport {
  std::uint64_t fed_samples = 0;
  std::uint64_t refused_samples = 0;  ///< not accepted: the ring was full
  std::uint64_t lost_samples = 0;     ///< accepted − decoded − dropped − skipped once every session has ended
  std::uint64_t dropped_samples = 0;
  std::uint64_t skipped_samples = 0;  ///< silence that did not go through the network
  std::uint64_t partial_events = 0, final_events = 0, error_events = 0;  ///< delivered
  DelaySummary partial_delay, final_delay;
  double wall_seconds = 0.0;    ///< of the measured part, after the warm-up
  double cpu_percent = 0.0;     ///< of that part; 100 is one core
  double rss_mb = 0.0;          ///< of the process at its end
  double feeder_late_ms = 0.0;  ///< the most that a packet was fed after it was due
};

/// Opens the sessions, feeds `samples` (mono, repeated, each stream from an offset of its own), finishes them and waits
/// for the last final of each. Drains the engine's events on a thread of its own, so the engine must have no callbacks.
/// Throws Error.
PacerReport run_pacer(Engine& engine, const std::int16_t* samples, std::size_t count, const PacerOptions& options);

}  // namespace cosyvoice::bench
