// CosyVoice Linux: streaming speech recognition for hundreds of live sessions on one machine.
//
//   cosyvoice::EngineOptions options;
//   options.model_path = "/path/to/bundle";
//   cosyvoice::Engine engine(options);
//   engine.register_callback(on_partial, on_final);
//   const auto sid = engine.new_session();
//   engine.feed_pcm(sid, pcm, count);        // as the audio arrives
//   engine.finish(sid);                      // the last final carries `ended`
//
// Every method may be called from any thread; audio of one session comes from one thread at a time.
// The library never prints, exits or aborts: set_log_callback() takes what it has to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__GNUC__)
#define COSYVOICE_API __attribute__((visibility("default")))
#else
#define COSYVOICE_API
#endif

namespace cosyvoice {

/// A session's name for the engine: never 0 and never used again in one engine.
using SessionId = std::uint64_t;

/// The causes of failure, one for each exception class of the Python package.
enum class ErrorCode : std::uint8_t {
  kOk = 0,
  kInvalidArgument,  ///< an option or argument out of range
  kInvalidAudio,     ///< odd byte count, NaN, a packet larger than the ring
  kModelNotFound,    ///< no such bundle directory or file
  kInvalidModel,     ///< a manifest or network that is unreadable, incomplete or contradicts itself
  kInvalidConfig,    ///< a configuration file or environment variable that is unreadable or out of range
  kEngineFull,       ///< `max_stream` sessions are open
  kEngineClosed,     ///< the engine was closed
  kEngineForked,     ///< the process forked after the engine was made
  kUnknownSession,   ///< this sid never existed or its session has ended
  kSessionFinished,  ///< audio after `finish`
  kBufferFull,       ///< the session's ring is full; nothing was taken
  kConcurrentFeed,   ///< two threads feed one session at the same time
  kInferenceFailed,  ///< the network failed on this session's chunk
  kInternal,         ///< a fault of ours
};

/// "invalid_audio" and the like, as in error events.
COSYVOICE_API const char* to_string(ErrorCode code) noexcept;

/// What every call of this header throws.
class COSYVOICE_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

enum class Encoding : std::uint8_t { kS16le, kF32le, kMulaw, kAlaw };
enum class Priority : std::uint8_t { kLive, kBatch };
enum class BackPressure : std::uint8_t { kBlock, kReject };
/// The vectors of the Front-End; kAuto: the widest that the processor has.
enum class Simd : std::uint8_t { kAuto, kBaseline, kAvx2, kAvx512 };
/// Who tells speech from silence beside the network; kOff: nobody, and every chunk goes through the network.
enum class VadKind : std::uint8_t { kOff, kEnergy, kSilero };
/// Which of a bundle's networks computes; kAuto: the INT8 one where there is one and the processor is good at it.
enum class Precision : std::uint8_t { kAuto, kF32, kInt8 };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// "s16le" → Encoding::kS16le; throws kInvalidArgument that lists the names. The same for the six below.
COSYVOICE_API Encoding parse_encoding(std::string_view name);
COSYVOICE_API Priority parse_priority(std::string_view name);
COSYVOICE_API BackPressure parse_back_pressure(std::string_view name);
COSYVOICE_API Simd parse_simd(std::string_view name);
COSYVOICE_API Precision parse_precision(std::string_view name);
COSYVOICE_API VadKind parse_vad(std::string_view name);
COSYVOICE_API LogLevel parse_log_level(std::string_view name);
COSYVOICE_API const char* to_string(BackPressure policy) noexcept;
COSYVOICE_API const char* to_string(Simd width) noexcept;
COSYVOICE_API const char* to_string(Precision precision) noexcept;
COSYVOICE_API const char* to_string(VadKind kind) noexcept;
COSYVOICE_API const char* to_string(LogLevel level) noexcept;

struct EngineOptions {
  std::string model_path;                  ///< the default model: an embedded bundle's name or a directory; empty: `en`
  std::uint32_t chunk_ms = 0;              ///< of sessions of that model that name none; 0: the model's default
  Precision precision = Precision::kAuto;  ///< of every model's network; kInt8 refuses a bundle that has none
  std::uint32_t max_stream = 128;          ///< sessions at once; their memory is mapped at start
  std::uint32_t batch_size = 16;           ///< most chunks in one inference
  std::uint32_t workers = 0;               ///< inference threads; 0: one a core this process may use
  std::int32_t partial_timeout_ms = 2800;  ///< silence (audio time) that ends an utterance
  std::int32_t max_utterance_ms = 30000;   ///< from here on the next pause cuts, and a hard limit 5 s later
  std::int32_t idle_timeout_ms = 5000;     ///< wall clock without PCM that ends an utterance
  BackPressure back_pressure = BackPressure::kBlock;
  std::int32_t block_timeout_ms = 5000;   ///< how long `block` waits for room
  std::size_t ring_bytes = 256 * 1024;    ///< audio ring of a session, in bytes of its encoding (power of two)
  std::size_t fifo_bytes = 64 * 1024;     ///< events of a session that wait to be taken (power of two)
  double max_batch_ms = 40.0;             ///< batches are capped so that one inference stays below this
  std::int32_t close_timeout_ms = 10000;  ///< how long close() lets sessions finish
  std::string cpus;                       ///< cores for the engine's threads, like "0-3,8"; empty: the process's
  bool huge_pages = false;                ///< ask for transparent huge pages for the sessions' memory
  Simd simd = Simd::kAuto;                ///< for the whole process: what the last engine made asked for
  LogLevel log_level = LogLevel::kInfo;   ///< messages below are not sent; for the whole process, as above
  std::string second_pass;                ///< a model that hears every utterance again (SecondPassServer); empty: none
  std::uint32_t second_pass_workers = 1;  ///< utterances heard again at once
  std::int32_t second_pass_timeout_ms = 3000;  ///< a final waits so long for its second pass, then goes without
  std::string dictionary;                      ///< a YAML file of what is shown for what is recognised; empty: none
  std::uint32_t dictionary_version = 1;        ///< in `config_file`: where it rises, the dictionary is read again
  bool watch_config = true;                    ///< look at `config_file` whenever it changes
  std::string config_file;                     ///< where these options are from (read_config sets it); empty: no file
  std::int32_t start_timeout_ms = 0;   ///< silence (audio time) before any word that gives an empty final; 0: none
  VadKind vad = VadKind::kOff;         ///< silence is skipped: it does not go through the network
  double vad_threshold = 0.0;          ///< energy: dB above the noise; silero: a probability; 0: the kind's own
  std::int32_t vad_hangover_ms = 300;  ///< after speech so much counts as speech too
  std::int32_t vad_pre_roll_ms = 300;  ///< before speech so much goes through the network, at least
  std::string vad_model;               ///< Silero's network, a file; for kSilero
  bool itn = false;                    ///< finals with digits, which only the Python package writes: refused here
  std::uint32_t beam_size = 0;     ///< hypotheses; 0: the best path, or 32 where there is anything for a beam to weigh
  std::string lm;                  ///< a compiled language model; empty: the model's own, if any; kNoLm: none
  double lm_weight = 0.3;          ///< of its log-probability beside the network's
  double word_bonus = 2.0;         ///< in ln of probability, for each word, where there is a language model
  double blank_penalty = 0.0;      ///< in ln of probability, taken from blank
  double token_threshold = 12.0;   ///< pieces so much below the best of a frame, in ln, are not looked at
  double score_threshold = 20.0;   ///< hypotheses so much below the best, in ln, are dropped
  std::uint32_t alternatives = 0;  ///< other texts that finals carry
  std::string hotwords;            ///< a file of hotwords for all sessions; empty: none
  double hotword_boost = 5.0;      ///< of its phrases that state none
  std::int32_t hold_back_ms = 0;   ///< partials leave out words that ended less than this ago (audio time); 0: none
  std::uint32_t search_version = 1;  ///< in `config_file`: where it rises, `lm`, `hotwords` and their weights are read
};

/// EngineOptions::lm where no language model shall count, not even one that a bundle brings.
inline constexpr const char* kNoLm = "none";

/// The options of a configuration file (docs/reference/configuration.md) and the environment, which wins; without a
/// file (an empty path) those of the environment. Throws kInvalidConfig: file, line, key, what was expected and found.
COSYVOICE_API EngineOptions read_config(const std::string& path);

/// A phrase that the search prefers, spelled as people do: the engine brings it into the model's case.
struct Hotword {
  std::string phrase;
  float boost = 5.0F;  ///< texts that hold the phrase count as e^boost times as probable; above 0, at most 50
};

struct SessionOptions {
  std::string name;                   ///< goes into events as "session"; UTF-8
  std::uint32_t sample_rate = 16000;  ///< Hz, 8000 to 48000
  Encoding encoding = Encoding::kS16le;
  std::string model;           ///< an embedded bundle's name or a directory; empty: the engine's
  std::uint32_t chunk_ms = 0;  ///< one of the model's chunks; 0: the engine's, or the model's default
  Priority priority = Priority::kLive;
  std::vector<Hotword> hotwords;     ///< beside the engine's
  std::vector<std::string> grammar;  ///< not empty: only these phrases are heard, and with "[unk]" among them any word
                                     ///< that is in none, as "[unk]"
};

struct Word {
  std::string_view text;
  std::int64_t start_ms = 0;  ///< from the first sample of the session
  std::int64_t end_ms = 0;
  float confidence = 0.0F;  ///< mean probability of its pieces, 0 to 1
};

/// Another text that an utterance may have been.
struct Alternative {
  std::string_view text;
  float confidence = 0.0F;  ///< its share of the probability of all texts that the search had left
};

enum class EventType : std::uint8_t { kPartial, kFinal, kError, kDropped, kSpeechStart };
enum class Reason : std::uint8_t { kNone, kEndpoint, kFinish, kMaxLength, kReset, kClose, kError };

/// "partial", "max_length" and the like, as in events; "" for Reason::kNone.
COSYVOICE_API const char* to_string(EventType type) noexcept;
COSYVOICE_API const char* to_string(Reason reason) noexcept;

/// One event. Views point into storage of the caller of the callback and end with it.
struct Event {
  EventType type = EventType::kPartial;
  SessionId sid = 0;
  std::string_view session;  ///< the name given to new_session
  std::uint64_t seq = 0;     ///< counts events that are not partials; a partial repeats the last one's
  std::uint64_t utterance = 0;
  std::string_view text;
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;
  std::vector<Word> words;
  std::vector<Alternative> alternatives;  ///< of a final, where EngineOptions::alternatives asks for them; best first
  float confidence = 0.0F;
  Reason reason = Reason::kNone;
  int pass = 1;                     ///< 2: a final whose words are the second pass's
  bool ended = false;               ///< no event of this sid follows
  std::int64_t heard_ms = 0;        ///< how much of the session's audio had to come for this event
  double delay_ms = 0.0;            ///< see docs/reference/events.md
  ErrorCode code = ErrorCode::kOk;  ///< of an error event, whose message is `text`
  std::string_view model_name;
  std::int64_t model_version = 0;
};

/// Who hears utterances again where `second_pass` names a model: the library itself has no such model.
enum class SecondPassServer : std::uint8_t {
  kNobody,  ///< an engine with a second pass is refused
  kCaller   ///< this program, with next_second_pass() and answer_second_pass() (the Python package does)
};

/// An utterance to be heard again. The samples end with the call that hands them over.
struct SecondPassRequest {
  std::uint64_t id = 0;  ///< for the answer
  SessionId sid = 0;
  std::uint64_t utterance = 0;
  std::string_view language;  ///< of the session's model
  const std::int16_t* samples = nullptr;
  std::size_t count = 0;
  static constexpr std::uint32_t kSampleRate = 16000;
};

/// The event as the one-line JSON object that every outlet sends.
COSYVOICE_API std::string to_json(const Event& event);

/// Distribution of one duration, in milliseconds.
struct DelaySummary {
  std::uint64_t count = 0;
  double mean = 0.0, p50 = 0.0, p99 = 0.0, max = 0.0;
};

struct Stats {
  std::uint32_t sessions = 0;  ///< open now (`cv_stream_count`)
  std::uint64_t sessions_opened = 0, sessions_ended = 0;
  std::uint64_t accepted_samples = 0;  ///< at the sessions' own rates, as are the next three
  std::uint64_t decoded_samples = 0;
  std::uint64_t dropped_samples = 0;  ///< discarded by reset, close or an error, each reported
  std::uint64_t skipped_samples = 0;  ///< silence that did not go through the network (`vad`)
  std::uint64_t chunks = 0, batches = 0;
  std::uint64_t partials = 0, finals = 0, errors = 0;
  std::uint64_t callback_errors = 0;        ///< exceptions that callbacks threw
  DelaySummary partial_delay, final_delay;  ///< to the moment the event is queued
  DelaySummary delivery_delay;              ///< from there to the outlet
  std::size_t session_bytes = 0;            ///< mapped for one session: ring, features, events
  std::size_t state_bytes = 0;              ///< mapped for one session's network states (default model)
  std::uint64_t second_passes = 0;          ///< finals whose words are the second pass's
  std::uint64_t second_pass_timeouts = 0;   ///< finals that went without: no answer in time,
  std::uint64_t second_pass_overflows = 0;  ///< … too many utterances waited,
  std::uint64_t second_pass_failures = 0;   ///< … or whoever hears them again failed
  std::uint64_t second_pass_restarts = 0;   ///< of its workers
  std::uint64_t dictionary_swaps = 0;       ///< that took place, the first one included
  std::uint64_t search_swaps = 0;           ///< of language model or hotwords, by `config_file` or a call
  std::uint64_t config_failures = 0;        ///< changes of the configuration file that were refused
  DelaySummary second_pass_delay;           ///< by which finals waited for it
};

/// Facts of a loaded model, from its manifest, and which of its networks was chosen.
struct ModelInfo {
  std::string name, language, weights, path;
  std::int64_t version = 0;
  std::vector<std::uint32_t> chunk_ms;
  std::uint32_t default_chunk_ms = 0, look_ahead_ms = 0, sample_rate = 0, output_frame_ms = 0;
  std::string precision, precision_reason;  ///< "f32" or "int8", and why
};

/// Where the library's messages go (nowhere unless set). Called from any thread; never with transcripts or audio.
COSYVOICE_API void set_log_callback(std::function<void(LogLevel, std::string_view)> callback);

using EventCallback = std::function<void(const Event&)>;

class COSYVOICE_API Engine {
 public:
  /// Loads the model, maps all memory and starts the threads. Throws kInvalidArgument, kModelNotFound, kInvalidModel.
  explicit Engine(const EngineOptions& options, SecondPassServer server = SecondPassServer::kNobody);
  /// The same with read_config(path).
  static Engine from_config(const std::string& path, SecondPassServer server = SecondPassServer::kNobody) {
    return Engine(read_config(path), server);
  }
  ~Engine();  ///< close()
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Events go to these, on one dispatcher thread of the engine. `on_event` gets what is neither partial nor final;
  /// without it those events go to the log. What a callback throws is logged and counted.
  void register_callback(EventCallback on_partial, EventCallback on_final, EventCallback on_event = {});

  /// Throws kEngineFull, kInvalidArgument, and the model's errors where `options.model` is loaded for the first time.
  SessionId new_session(const SessionOptions& options = {});

  /// The hotwords of all sessions, and those that one session has beside them, in place of those before; empty: none.
  /// An utterance that has words keeps those it began with. Throws kInvalidArgument, kUnknownSession.
  void set_hotwords(const std::vector<Hotword>& hotwords);
  void set_hotwords(SessionId sid, const std::vector<Hotword>& hotwords);

  /// Bytes in the session's encoding. All are taken or, on an error, none.
  /// Throws kInvalidAudio, kBufferFull, kConcurrentFeed, kSessionFinished, kUnknownSession.
  void feed_pcm(SessionId sid, const void* bytes, std::size_t size);
  /// Samples, converted where the session's encoding is the other of s16le and f32le.
  void feed_pcm(SessionId sid, const std::int16_t* samples, std::size_t count);
  void feed_pcm(SessionId sid, const float* samples, std::size_t count);

  /// An ordered mark: all audio fed before it is decoded and is in this utterance's final; the session goes on.
  void end_utterance(SessionId sid);
  /// Discards the open utterance and the audio not yet decoded, without a final; the session goes on.
  void reset(SessionId sid);
  /// No more audio; does not block. The last final carries `ended`.
  void finish(SessionId sid);
  /// Discards unread audio (counted) and ends the session with a last final of reason `close`.
  void close_session(SessionId sid);
  /// Finishes every session, delivers what is left, `close_timeout_ms` at most, and stops the threads.
  void close();

  /// Utterances whose first word comes from now on are shown with the dictionary at `path` (empty: with none); the
  /// others keep theirs. Throws kInvalidConfig, and what was there stays.
  void swap_dictionary(const std::string& path);
  /// Utterances whose first word comes from now on are searched with this language model, named as in
  /// EngineOptions::lm, at the weight of the one before. Reads the whole file first, on this thread. Throws
  /// kModelNotFound, kInvalidModel, and what was there stays.
  void swap_lm(const std::string& lm);

  Stats stats() const;
  /// Forgets the delays counted so far, so that a measured run leaves its warm-up out.
  void clear_delays();
  ModelInfo model() const;

  /// Pulling instead of callbacks: takes the session's next event. `timeout_ms` < 0 waits without end.
  /// False on time-out. Throws kUnknownSession once the event with `ended` was taken.
  bool next_event(SessionId sid, const EventCallback& take, std::int64_t timeout_ms);
  /// Takes the latest partial if there is one that was not taken yet and no final came since.
  bool next_partial(SessionId sid, const EventCallback& take);

  /// A dispatcher of one's own (what the Python package does): waits for events of any session, gives each to `take`
  /// in order, and returns how many; 0 on time-out. False from `drain_open` means that close() has delivered all.
  /// Use either this or register_callback.
  std::size_t drain(const EventCallback& take, std::int64_t timeout_ms);
  bool drain_open() const;
  /// Tells the engine that drain() is served, so sessions no longer keep events for next_event unless pulled.
  void attach_drain();
  /// The calling thread is the one that drains: feed_pcm never blocks on it.
  void mark_dispatcher_thread();
  void count_callback_error();
  /// Gives up an ended session's unread events, so that its slot can be used again.
  void release(SessionId sid);

  /// Waits for the next utterance to be heard again and hands it over, live sessions' before those of batch priority;
  /// false on time-out. Any number of threads. Whoever takes an utterance answers or refuses it; an answer that comes
  /// too late, or twice, changes nothing. Throws kEngineClosed once the engine was closed.
  bool next_second_pass(const std::function<void(const SecondPassRequest&)>& take, std::int64_t timeout_ms);
  /// `words` lie in `text` in this order, their times count from the first sample of the request; without them the
  /// final has its text alone. Throws kInvalidArgument.
  void answer_second_pass(std::uint64_t id, std::string_view text, const std::vector<Word>& words = {});
  /// There is no answer: the final goes without, at once.
  void refuse_second_pass(std::uint64_t id);
  /// For stats(): whoever serves started one of his workers again.
  void count_second_pass_restart();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cosyvoice
