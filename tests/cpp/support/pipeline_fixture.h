// A pipeline on the tone model, and its events kept as plain values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/pipeline.h"
#include "support/tone_model.h"

namespace cosyvoice::testing {

struct SeenWord {
  std::string text;
  std::int64_t start_ms, end_ms;
  bool operator==(const SeenWord& other) const {
    return text == other.text && start_ms == other.start_ms && end_ms == other.end_ms;
  }
};

/// An event that outlives its callback.
struct Seen {
  explicit Seen(const Event& event);
  EventType type;
  SessionId sid;
  std::uint64_t seq, utterance;
  std::string text;
  std::int64_t start_ms, end_ms, heard_ms;
  Reason reason;
  ErrorCode code;
  int pass;
  bool ended;
  double delay_ms;
  std::vector<SeenWord> words;
  std::vector<std::pair<std::string, float>> alternatives;
};

/// Throws when it is not so within two minutes.
void wait_for(const std::function<bool()>& good);

EngineOptions tone_options(std::uint32_t max_stream = 8);

class TonePipeline {
 public:
  /// Where the options have a second pass, the test serves it.
  explicit TonePipeline(const EngineOptions& options = tone_options());

  Pipeline& operator*() { return *pipeline_; }
  Pipeline* operator->() { return pipeline_.get(); }
  ToneFaults& faults() { return *faults_; }

  /// Feeds in packets of `packet` samples.
  void feed(SessionId sid, const std::vector<std::int16_t>& samples, std::size_t packet = 1024);
  /// Pulls one; throws when none comes.
  Seen next_event(SessionId sid);
  /// Pulls until `ended`.
  std::vector<Seen> all_events(SessionId sid);
  /// Pulls the next event that is neither a partial nor speech_start.
  Seen next_lasting(SessionId sid);
  /// Whole life of a session: its finals.
  std::vector<Seen> transcribe(const std::vector<std::int16_t>& samples, std::size_t packet = 1024,
                               const SessionOptions& session = {});

 private:
  std::shared_ptr<ToneFaults> faults_;
  std::unique_ptr<Pipeline> pipeline_;
};

/// Takes the events of all sessions on a thread of its own, until the pipeline has closed.
class Drainer {
 public:
  using Events = std::map<SessionId, std::vector<Seen>>;
  explicit Drainer(TonePipeline& pipeline);
  /// After close(): all there were.
  Events join();

 private:
  Events events_;
  std::thread thread_;
};

std::vector<Seen> finals(const std::vector<Seen>& events);
/// Broken rules, "" when there are none: seq without gaps, partials repeat it, none after its final, nothing after
/// `ended`, one final for an utterance, one speech_start before its first words.
std::string broken_rules(const std::vector<Seen>& events);

}  // namespace cosyvoice::testing
