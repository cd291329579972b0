#include "config/schema.h"

#include <algorithm>
#include <cctype>
#include <locale>
#include <sstream>
#include <type_traits>

#include "config/choices.h"

namespace cosyvoice {
namespace {

using O = EngineOptions;
constexpr double kHour = 3600.0 * 1000.0;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
/// Room for the events that are never dropped; the engine's mailbox asserts that it is enough.
constexpr double kSmallestFifo = 64.0 * 1024.0;

std::vector<ConfigKey> make_schema() {
  return {
      {"model", "path", "model_path", &O::model_path, 0, 0, false, "",
       "The default model: an embedded bundle's name, or a bundle's directory, relative to this file. Empty: en."},
      {"model", "chunk_ms", "chunk_ms", &O::chunk_ms, 0, 60000, false, " ms (0: the model's default)",
       "The audio of one network step, for sessions of the default model that name none: short chunks show words "
       "sooner and cost more."},
      {"model", "precision", "precision", &O::precision, 0, 0, false, "",
       "Which of a bundle's networks computes; auto takes the INT8 one where the bundle has one and the processor has "
       "VNNI, f32 the one of float16 weights, int8 refuses a bundle without an INT8 one."},
      {"engine", "max_stream", "max_stream", &O::max_stream, 1, 65536, false, " sessions",
       "Sessions at once, those included that have ended and whose events wait to be taken. Memory for so many is "
       "mapped at start."},
      {"engine", "batch_size", "batch_size", &O::batch_size, 1, 256, false, " chunks",
       "Most chunks in one inference. A larger one carries more sessions on a core and lets a chunk wait longer for "
       "its batch."},
      {"engine", "max_batch_ms", "max_batch_ms", &O::max_batch_ms, 0.01, kHour, false, " ms",
       "Batches are capped so that one inference, measured when the model is loaded, stays below this."},
      {"engine", "close_timeout", "close_timeout", &O::close_timeout_ms, 0, kHour, false, " ms",
       "How long closing lets sessions finish before it closes them."},
      {"machine", "workers", "workers", &O::workers, 0, 1024, false, " threads (0: one a core)",
       "Inference threads, each with a compiled copy of the network. 0: one for each core that the engine may use."},
      {"machine", "cpus", "cpus", &O::cpus, 0, 0, false, "",
       "Cores for the engine's threads, like 0-3,8, of those that the process may use. Empty: all of them."},
      {"machine", "simd", "simd", &O::simd, 0, 0, false, "",
       "The Front-End's vectors; auto is the widest that the processor has. For the whole process."},
      {"machine", "huge_pages", "huge_pages", &O::huge_pages, 0, 0, false, "",
       "Ask the kernel for transparent huge pages for the sessions' memory: fewer page faults and TLB misses, more "
       "memory for idle sessions."},
      {"endpoint", "partial_timeout", "partial_timeout", &O::partial_timeout_ms, 100, kHour, false, " ms",
       "Silence, in audio time, that ends an utterance."},
      {"endpoint", "max_utterance", "max_utterance", &O::max_utterance_ms, 1000, kHour, false, " ms",
       "An utterance longer than this ends at the next short pause, and 5 s later in any case."},
      {"endpoint", "start_timeout", "start_timeout", &O::start_timeout_ms, 0, kHour, false, " ms (0: none)",
       "Silence, in audio time, before the first word that ends an utterance with an empty final: nobody spoke."},
      {"endpoint", "idle_timeout", "idle_timeout", &O::idle_timeout_ms, 10, kHour, false, " ms",
       "Wall-clock time without audio that ends an utterance."},
      {"vad", "kind", "vad", &O::vad, 0, 0, false, "",
       "Who tells speech from silence, so that silence skips the network and speech_start comes early: nobody, the "
       "levels above a session's noise, or Silero's network (model)."},
      {"vad", "threshold", "vad_threshold", &O::vad_threshold, 0, 60, false, " (0: the kind's own)",
       "What counts as speech. energy: dB above the noise, 6 where it is 0; silero: a probability, 0.5 where it is 0."},
      {"vad", "hangover_ms", "vad_hangover_ms", &O::vad_hangover_ms, 0, 5000, false, " ms",
       "After speech so much counts as speech too."},
      {"vad", "pre_roll_ms", "vad_pre_roll_ms", &O::vad_pre_roll_ms, 0, 1000, false, " ms",
       "Before speech so much goes through the network, at least, so that no first sound is cut."},
      {"vad", "model", "vad_model", &O::vad_model, 0, 0, false, "",
       "The file of Silero's network, relative to this file; `cosyvoice model fetch-vad` writes one. Empty: where that "
       "puts it."},
      {"search", "beam_size", "beam_size", &O::beam_size, 0, 128, false, " hypotheses (0: as needed)",
       "Hypotheses kept after each frame. 0: the best path, or 32 where there is anything for a beam to weigh: a "
       "language "
       "model, hotwords, a grammar, alternatives, a blank penalty."},
      {"search", "lm", "lm", &O::lm, 0, 0, false, "",
       "The file of a compiled language model, relative to this file; `cosyvoice lm build` makes one. Empty: that of "
       "the model's bundle, where it has one. none: none."},
      {"search", "lm_weight", "lm_weight", &O::lm_weight, 0, 10, false, "",
       "Of the language model's log-probability beside the network's."},
      {"search", "word_bonus", "word_bonus", &O::word_bonus, -20, 20, false, "",
       "What each word adds to a text's log-probability (natural) where there is a language model: makes up for words "
       "that it swallows."},
      {"search", "blank_penalty", "blank_penalty", &O::blank_penalty, 0, 20, false, "",
       "What is taken from the log-probability (natural) of blank, for networks that leave words out."},
      {"search", "token_threshold", "token_threshold", &O::token_threshold, 0.1, 1000, false, "",
       "Pieces whose log-probability (natural) is so much below the best of a frame are not looked at."},
      {"search", "score_threshold", "score_threshold", &O::score_threshold, 0.1, 1000, false, "",
       "Hypotheses so much below the best are dropped."},
      {"search", "alternatives", "alternatives", &O::alternatives, 0, 10, false, " texts",
       "Other texts that an utterance may have been, in its final."},
      {"search", "hotwords", "hotwords", &O::hotwords, 0, 0, false, "",
       "A file of phrases that are preferred in all sessions, relative to this file: one a line, and behind a tab its "
       "boost. Empty: none."},
      {"search", "hotword_boost", "hotword_boost", &O::hotword_boost, 0.01, 50, false, "",
       "The boost of phrases that state none: a text with the phrase counts as e^boost times as probable."},
      {"search", "version", "search_version", &O::search_version, 1, 1e9, false, "",
       "Raise it when the language model, the hotwords or what they weigh change, and they are switched while sessions "
       "run."},
      {"back_pressure", "policy", "back_pressure", &O::back_pressure, 0, 0, false, "",
       "What a feed does when the session's buffer is full: wait, or refuse at once."},
      {"back_pressure", "block_timeout", "block_timeout", &O::block_timeout_ms, 0, kHour, false, " ms",
       "How long block waits before it refuses."},
      {"back_pressure", "ring_bytes", "ring_bytes", &O::ring_bytes, 4096, kGiB, true, " bytes",
       "A session's audio buffer, in bytes of its encoding, and the largest packet."},
      {"back_pressure", "fifo_bytes", "fifo_bytes", &O::fifo_bytes, kSmallestFifo, kGiB, true, " bytes",
       "A session's events that wait to be taken; when they fill it, the session stops reading audio."},
      {"logging", "level", "log_level", &O::log_level, 0, 0, false, "",
       "The least important messages that are sent. Transcripts and audio are in none. For the whole process."},
      {"second_pass", "model", "second_pass", &O::second_pass, 0, 0, false, "",
       "The directory of a faster-whisper model that hears every utterance again, relative to this file. Empty: none. "
       "Needs the Python package with its extra 'whisper'."},
      {"second_pass", "workers", "second_pass_workers", &O::second_pass_workers, 1, 64, false, " processes",
       "Processes of batch priority that hear utterances again, each with a copy of the model."},
      {"second_pass", "timeout_ms", "second_pass_timeout_ms", &O::second_pass_timeout_ms, 1, kHour, false, " ms",
       "A final waits so long for its second pass, then it has the stream's words. Of files (batch priority) the time "
       "counts from when a worker begins."},
      {"dictionary", "path", "dictionary", &O::dictionary, 0, 0, false, "",
       "A YAML file of what is shown for what is recognised, relative to this file. Empty: none."},
      {"dictionary", "version", "dictionary_version", &O::dictionary_version, 1, 1e9, false, "",
       "Raise it when the dictionary changes, and it is switched while sessions run."},
      {"configuration", "watch", "watch_config", &O::watch_config, 0, 0, false, "",
       "Look at this file whenever it changes. Sections that have a version are switched when it rises; other changes "
       "need a new engine."},
      {"transcript", "hold_back", "hold_back", &O::hold_back_ms, 0, 10000, false, " ms (0: none)",
       "Partials leave out words that ended less than this ago, in audio time: what they show then seldom changes. "
       "Finals have all words."},
      {"transcript", "itn", "itn", &O::itn, 0, 0, false, "",
       "Finals have a field display: the text with English numbers, times and money as they are written. Needs the "
       "Python "
       "package with its extra 'itn'."},
  };
}

}  // namespace

const std::vector<ConfigKey>& config_schema() {
  static const std::vector<ConfigKey> schema = make_schema();
  return schema;
}

std::string_view section_effect(std::string_view section) noexcept {
  if (section == "model") return "What is recognised with.";
  if (section == "engine") return "How much runs at once.";
  if (section == "machine") return "Which parts of the machine it takes.";
  if (section == "endpoint") return "When an utterance ends.";
  if (section == "vad") return "Silence that skips the network.";
  if (section == "search") return "How the network's output becomes words.";
  if (section == "back_pressure")
    return "What happens when audio comes faster, or events are taken slower, than planned.";
  if (section == "logging") return "What it says beside results.";
  if (section == "second_pass") return "A whole-utterance model that corrects finals.";
  if (section == "dictionary") return "What is shown for what is recognised.";
  if (section == "configuration") return "This file itself.";
  if (section == "transcript") return "How words are written.";
  return {};
}

std::string number_text(double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(15);
  text << value;
  return text.str();
}

std::string ConfigKey::environment_name() const {
  std::string name_in_environment = "COSYVOICE_" + std::string(section) + "_" + std::string(name);
  std::transform(name_in_environment.begin(), name_in_environment.end(), name_in_environment.begin(),
                 [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return name_in_environment;
}

std::string ConfigKey::expected() const {
  return std::visit(
      [this](auto member) -> std::string {
        using Value = std::decay_t<decltype(std::declval<O&>().*member)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return "true | false";
        } else if constexpr (std::is_same_v<Value, std::string>) {
          return "a text";
        } else if constexpr (std::is_enum_v<Value>) {
          return list_of_choices<Value>();
        } else {
          return std::string(std::is_floating_point_v<Value> ? "a number" : "a whole number") + " from " +
                 number_text(low) + " to " + number_text(high) + std::string(unit) +
                 (power_of_two ? ", a power of two" : "");
        }
      },
      field);
}

std::string ConfigKey::value_of(const EngineOptions& options) const {
  return std::visit(
      [&options](auto member) -> std::string {
        const auto& value = options.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<Value, std::string>) {
          // Single quotes take every character but themselves as it is; no text here holds a control character.
          std::string quoted = "'";
          for (const char c : value) quoted.append(c == '\'' ? 2 : 1, c);
          return quoted + "'";
        } else if constexpr (std::is_enum_v<Value>) {
          return std::string(name_of(value));
        } else {
          return number_text(static_cast<double>(value));
        }
      },
      field);
}

}  // namespace cosyvoice
