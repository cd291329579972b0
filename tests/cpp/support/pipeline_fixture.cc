#include "support/pipeline_fixture.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>

namespace cosyvoice::testing {
namespace {

/// An event that has not come by then never will.
constexpr std::int64_t kPatienceMs = 120'000;

}  // namespace

Seen::Seen(const Event& event)
    : type(event.type),
      sid(event.sid),
      seq(event.seq),
      utterance(event.utterance),
      text(event.text),
      start_ms(event.start_ms),
      end_ms(event.end_ms),
      heard_ms(event.heard_ms),
      reason(event.reason),
      code(event.code),
      pass(event.pass),
      ended(event.ended),
      delay_ms(event.delay_ms) {
  for (const Alternative& other : event.alternatives) alternatives.emplace_back(other.text, other.confidence);
  for (const Word& word : event.words) words.push_back({std::string(word.text), word.start_ms, word.end_ms});
}

void wait_for(const std::function<bool()>& good) {
  for (std::int64_t waited_ms = 0; !good(); waited_ms += 10) {
    if (waited_ms > kPatienceMs) throw std::runtime_error("waited for two minutes");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

EngineOptions tone_options(std::uint32_t max_stream) {
  EngineOptions options;
  options.model_path = "tones";
  options.max_stream = max_stream;
  options.workers = 2;
  options.partial_timeout_ms = 800;
  options.idle_timeout_ms = 3600 * 1000;
  return options;
}

TonePipeline::TonePipeline(const EngineOptions& options) : faults_(std::make_shared<ToneFaults>()) {
  const auto load = [this](const std::string&, const ModelRuntimeOptions& runtime) {
    return make_tone_model(runtime.slots, faults_);
  };
  pipeline_ = std::make_unique<Pipeline>(options, load, SecondPassServer::kCaller);
}

void TonePipeline::feed(SessionId sid, const std::vector<std::int16_t>& samples, std::size_t packet) {
  for (std::size_t i = 0; i < samples.size(); i += packet) {
    pipeline_->producer.feed_samples(sid, samples.data() + i, std::min(packet, samples.size() - i));
  }
}

Seen TonePipeline::next_event(SessionId sid) {
  std::vector<Seen> events;
  const bool came = pipeline_->delivery.next_event(
      pipeline_->slots.find(sid), sid, [&](const Event& event) { events.emplace_back(event); }, kPatienceMs);
  if (!came) throw std::runtime_error("no event came");
  return events.at(0);
}

std::vector<Seen> TonePipeline::all_events(SessionId sid) {
  std::vector<Seen> events;
  while (events.empty() || !events.back().ended) {
    events.push_back(next_event(sid));
  }
  return events;
}

Seen TonePipeline::next_lasting(SessionId sid) {
  std::vector<Seen> events;
  while (events.empty() || events.back().type == EventType::kPartial || events.back().type == EventType::kSpeechStart) {
    events.push_back(next_event(sid));
  }
  return events.back();
}

std::vector<Seen> TonePipeline::transcribe(const std::vector<std::int16_t>& samples, std::size_t packet,
                                           const SessionOptions& session) {
  const SessionId sid = pipeline_->open_session(session);
  feed(sid, samples, packet);
  pipeline_->producer.finish(sid);
  return finals(all_events(sid));
}

Drainer::Drainer(TonePipeline& pipeline) {
  pipeline->delivery.attach_drain();
  thread_ = std::thread([this, &pipeline] {
    while (pipeline->delivery.drain_open()) {
      pipeline->delivery.drain([this](const Event& event) { events_[event.sid].emplace_back(event); }, -1);
    }
  });
}

Drainer::Events Drainer::join() {
  thread_.join();
  return std::move(events_);
}

std::vector<Seen> finals(const std::vector<Seen>& events) {
  std::vector<Seen> found;
  for (const Seen& event : events) {
    if (event.type == EventType::kFinal) found.push_back(event);
  }
  return found;
}

std::string broken_rules(const std::vector<Seen>& events) {
  std::uint64_t seq = 0;
  bool ended = false;
  std::set<std::uint64_t> finished, announced;
  for (const Seen& event : events) {
    const std::string where = " at seq " + std::to_string(event.seq);
    if (ended) return "an event after ended" + where;
    const bool words = event.type == EventType::kPartial || (event.type == EventType::kFinal && !event.words.empty());
    if (words && announced.count(event.utterance) == 0) return "words before speech_start" + where;
    if (event.type == EventType::kPartial) {
      if (event.seq != seq) return "a partial with another seq than the last event's" + where;
      if (finished.count(event.utterance) != 0) return "a partial after its final" + where;
      continue;
    }
    if (event.seq != seq + 1) return "a gap in seq" + where;
    seq = event.seq;
    ended = event.ended;
    if (event.type == EventType::kSpeechStart && !announced.insert(event.utterance).second)
      return "two speech_start of one utterance" + where;
    if (event.type == EventType::kFinal && !finished.insert(event.utterance).second)
      return "two finals of one utterance" + where;
  }
  return {};
}

}  // namespace cosyvoice::testing
