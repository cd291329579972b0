/* CosyVoice Linux for C and for every language that calls C: the engine of engine.h behind an opaque handle.
 *
 *   cv_engine_options options;
 *   cv_engine_options_init(&options, sizeof options);
 *   options.model_path = "en";
 *   cv_engine* engine = NULL;
 *   if (cv_engine_create(&options, &engine) != CV_OK) puts(cv_last_error());
 *   cv_session_id sid = 0;
 *   cv_new_session(engine, NULL, &sid);
 *   cv_feed_int16(engine, sid, samples, count);             as the audio arrives
 *   cv_finish(engine, sid);
 *   const cv_event* event = NULL;
 *   while (cv_next_event(engine, sid, -1, &event) == CV_OK) {
 *     puts(cv_event_json(event));
 *     cv_event_free(event);
 *   }                                                       CV_UNKNOWN_SESSION: the event with `ended` was taken
 *   cv_engine_destroy(engine);
 *
 * Errors. A function that returns int returns CV_OK or another cv_error; cv_last_error() has the message. What it would
 * have stored through its last argument is then left alone, unless it says otherwise. A null pointer is an error
 * (CV_INVALID_ARGUMENT) wherever nothing else is said. No exception leaves the library, and it never prints, exits or
 * aborts.
 *
 * Threads. Any function may be called from any thread, from callbacks too, with three exceptions: one thread at a time
 * feeds a session; cv_engine_destroy is the last call on its engine; an event belongs to one thread at a time.
 *
 * Memory. Strings that go in are copied before the function returns. What comes out says how long it lasts. All text is
 * UTF-8 and ends with a zero byte.
 *
 * Versions. Structures begin with their size and only ever grow at the end. The functions that fill them take the size
 * that the program was compiled with, so a program goes on working with later libraries. */
#ifndef COSYVOICE_C_API_H
#define COSYVOICE_C_API_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CV_API __attribute__((visibility("default")))
#else
#define CV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors and names ---- */

/* The causes of failure, one for each ErrorCode of engine.h; remedies are in docs/reference/errors.md. */
typedef enum cv_error {
  CV_OK = 0,
  CV_INVALID_ARGUMENT = 1,  /* an option or argument out of range, or a null pointer */
  CV_INVALID_AUDIO = 2,     /* odd byte count, NaN, a packet larger than the ring */
  CV_MODEL_NOT_FOUND = 3,   /* no such bundle directory or file */
  CV_INVALID_MODEL = 4,     /* a manifest or network that is unreadable, incomplete or contradicts itself */
  CV_INVALID_CONFIG = 5,    /* a configuration file or environment variable that is unreadable or out of range */
  CV_ENGINE_FULL = 6,       /* `max_stream` sessions are open */
  CV_ENGINE_CLOSED = 7,     /* the engine was closed */
  CV_ENGINE_FORKED = 8,     /* the process forked after the engine was made */
  CV_UNKNOWN_SESSION = 9,   /* this sid never existed or its session has ended */
  CV_SESSION_FINISHED = 10, /* audio after cv_finish */
  CV_BUFFER_FULL = 11,      /* the session's ring is full; nothing was taken */
  CV_CONCURRENT_FEED = 12,  /* two threads feed one session at the same time */
  CV_INFERENCE_FAILED = 13, /* the network failed on this session's chunk */
  CV_INTERNAL = 14          /* a fault of ours */
} cv_error;

/* "0.1.0"; for ever. */
CV_API const char* cv_version(void);

/* Why the calling thread's last failed call failed: one line, "" before the first failure. Lasts until the next failure
 * on this thread. Languages that move their tasks between threads read it on the thread that made the call. */
CV_API const char* cv_last_error(void);

/* "invalid_audio" and the like, as in error events; "internal" for numbers that are no error's. For ever. */
CV_API const char* cv_error_name(int error);

/* The names of the bundles that come with the library: "en" and so on. NULL from cv_embedded_model_count() on. For
 * ever. */
CV_API size_t cv_embedded_model_count(void);
CV_API const char* cv_embedded_model(size_t index);

/* ---- log ---- */

typedef enum cv_log_level { CV_LOG_DEBUG = 0, CV_LOG_INFO = 1, CV_LOG_WARNING = 2, CV_LOG_ERROR = 3 } cv_log_level;

/* `message` ends with the call. Comes from any thread, and never with transcripts or audio. */
typedef void (*cv_log_callback)(int level, const char* message, void* user_data);

/* Where the library's messages go, for the whole process; NULL: nowhere, as at first. A message that is on its way may
 * still reach the callback that was set before. */
CV_API int cv_set_log_callback(cv_log_callback callback, void* user_data);

/* ---- engine ---- */

typedef enum cv_back_pressure { CV_BLOCK = 0, CV_REJECT = 1 } cv_back_pressure;
/* Which of a bundle's networks computes; auto: INT8 where there is one and the processor has VNNI. */
typedef enum cv_precision { CV_PRECISION_AUTO = 0, CV_PRECISION_F32 = 1, CV_PRECISION_INT8 = 2 } cv_precision;
/* Who tells speech from silence; silence then skips the network. */
typedef enum cv_vad { CV_VAD_OFF = 0, CV_VAD_ENERGY = 1, CV_VAD_SILERO = 2 } cv_vad;
typedef enum cv_simd { CV_SIMD_AUTO = 0, CV_SIMD_BASELINE = 1, CV_SIMD_AVX2 = 2, CV_SIMD_AVX512 = 3 } cv_simd;

/* Ranges and effects are in docs/reference/options.md. */
typedef struct cv_engine_options {
  size_t size;                /* set by cv_engine_options_init */
  const char* model_path;     /* the default model: an embedded bundle's name or a directory; NULL or "": `en` */
  uint32_t chunk_ms;          /* of sessions of that model that name none; 0: the model's default */
  uint32_t max_stream;        /* sessions at once; their memory is mapped at start */
  uint32_t batch_size;        /* most chunks in one inference */
  uint32_t workers;           /* inference threads; 0: one a core this process may use */
  int32_t partial_timeout_ms; /* silence (audio time) that ends an utterance */
  int32_t max_utterance_ms;   /* from here on the next pause cuts, and a hard limit 5 s later */
  int32_t idle_timeout_ms;    /* wall clock without audio that ends an utterance */
  int32_t back_pressure;      /* a cv_back_pressure */
  size_t ring_bytes;          /* audio ring of a session, in bytes of its encoding (power of two) */
  size_t fifo_bytes;          /* events of a session that wait to be taken (power of two) */
  double max_batch_ms;        /* batches are capped so that one inference stays below this */
  const char* cpus;           /* cores for the engine's threads, like "0-3,8"; NULL or "": the process's */
  int32_t block_timeout_ms;   /* how long CV_BLOCK waits for room */
  int32_t close_timeout_ms;   /* how long cv_engine_close lets sessions finish */
  int32_t huge_pages;         /* not 0: ask for transparent huge pages for the sessions' memory */
  int32_t simd;               /* a cv_simd; for the whole process: what the last engine made asked for */
  int32_t log_level;          /* a cv_log_level; messages below are not sent; for the whole process, as above */
  int32_t precision;          /* a cv_precision, of every model's network */
  const char* second_pass;    /* a model that hears utterances again; NULL or "": none. C programs cannot serve one */
  uint32_t second_pass_workers;
  int32_t second_pass_timeout_ms;
  const char* dictionary;      /* a YAML file of what is shown for what is recognised; NULL or "": none */
  uint32_t dictionary_version; /* where it rises in config_file, the dictionary is read again */
  int32_t watch_config;        /* not 0: look at config_file whenever it changes */
  const char* config_file;     /* that these options are from; NULL or "": none */
  int32_t start_timeout_ms;    /* silence before any word that gives an empty final; 0: none */
  int32_t vad;                 /* a cv_vad */
  double vad_threshold;        /* energy: dB above the noise; silero: a probability; 0: the kind's own */
  int32_t vad_hangover_ms;     /* after speech so much counts as speech too */
  int32_t vad_pre_roll_ms;     /* before speech so much goes through the network, at least */
  const char* vad_model;       /* Silero's network, a file; for CV_VAD_SILERO */
  int32_t itn;                 /* not 0: finals with digits, which only the Python package writes; here it is refused */
  uint32_t beam_size;          /* hypotheses; 0: the best path, or 32 where there is anything for a beam to weigh */
  const char* lm;          /* a compiled language model; NULL or "": the model's own, where it has one; "none": none */
  double lm_weight;        /* of its log-probability beside the network's */
  double word_bonus;       /* in ln of probability, for each word, where there is a language model */
  double blank_penalty;    /* in ln of probability, taken from blank */
  double token_threshold;  /* pieces so much below the best of a frame, in ln, are not looked at */
  double score_threshold;  /* hypotheses so much below the best, in ln, are dropped */
  const char* hotwords;    /* a file of hotwords for all sessions; NULL or "": none */
  double hotword_boost;    /* of its phrases that state none */
  uint32_t alternatives;   /* other texts that finals carry */
  int32_t hold_back_ms;    /* partials leave out words that ended less than this ago; 0: none */
  uint32_t search_version; /* where it rises in config_file, lm, hotwords and what they weigh are switched */
} cv_engine_options;

/* Sets every option to its default. `size` is sizeof(cv_engine_options). */
CV_API int cv_engine_options_init(cv_engine_options* options, size_t size);

typedef struct cv_engine cv_engine;

/* Loads the model, maps all memory and starts the threads; NULL options are the defaults. The caller owns *engine and
 * ends it with cv_engine_destroy. CV_INVALID_ARGUMENT, CV_MODEL_NOT_FOUND, CV_INVALID_MODEL. */
CV_API int cv_engine_create(const cv_engine_options* options, cv_engine** engine);

/* The same with the options of a configuration file (docs/reference/configuration.md) and the environment, which wins;
 * "": those of the environment alone. CV_INVALID_CONFIG: file, line, key, what was expected and found. */
CV_API int cv_engine_create_from_config(const char* path, cv_engine** engine);

/* Finishes every session, delivers what is left, `close_timeout_ms` at most, and stops the threads. From a callback it
 * returns at once and goes on beside it. Events that wait may still be pulled; a second call does nothing. */
CV_API int cv_engine_close(cv_engine* engine);

/* Closes, and frees the handle; NULL is allowed and does nothing. Nobody may be inside a call on this engine: where
 * threads wait in cv_next_event, close first and join them. From a callback of this engine: CV_INVALID_ARGUMENT. In a
 * forked child it frees nothing and is CV_OK. */
CV_API int cv_engine_destroy(cv_engine* engine);

/* ---- sessions ---- */

/* A session's name for its engine: never 0 and never used again in one engine. */
typedef uint64_t cv_session_id;

typedef enum cv_encoding { CV_S16LE = 0, CV_F32LE = 1, CV_MULAW = 2, CV_ALAW = 3 } cv_encoding;
typedef enum cv_priority { CV_LIVE = 0, CV_BATCH = 1 } cv_priority;

/* A phrase that the search prefers, spelled as people do. */
typedef struct cv_hotword {
  const char* phrase;
  float boost; /* texts that hold the phrase count as e^boost times as probable; above 0, at most 50 */
} cv_hotword;

typedef struct cv_session_options {
  size_t size;                /* set by cv_session_options_init */
  const char* name;           /* goes into events as "session"; NULL: "" */
  const char* model;          /* an embedded bundle's name or a directory; NULL or "": the engine's */
  uint32_t sample_rate;       /* Hz, 8000 to 48000 */
  int32_t encoding;           /* a cv_encoding: what cv_feed_pcm takes */
  uint32_t chunk_ms;          /* one of the model's chunks; 0: the engine's, or the model's default */
  int32_t priority;           /* a cv_priority */
  const cv_hotword* hotwords; /* the session's own, beside the engine's */
  size_t hotword_count;
  const char* const* grammar; /* only these phrases are heard; with "[unk]", any word that is in none as "[unk]" */
  size_t grammar_count;       /* 0: any text is heard */
} cv_session_options;

/* Sets every option to its default. `size` is sizeof(cv_session_options). */
CV_API int cv_session_options_init(cv_session_options* options, size_t size);

/* NULL options are the defaults. CV_ENGINE_FULL, CV_INVALID_ARGUMENT, and the model's errors where `model` is loaded
 * for the first time. */
CV_API int cv_new_session(cv_engine* engine, const cv_session_options* options, cv_session_id* sid);

/* `size` bytes in the session's encoding. All are taken or, on an error, none. Waits for room as `back_pressure` says;
 * never in a callback. CV_INVALID_AUDIO, CV_BUFFER_FULL, CV_CONCURRENT_FEED, CV_SESSION_FINISHED, CV_UNKNOWN_SESSION.
 */
CV_API int cv_feed_pcm(cv_engine* engine, cv_session_id sid, const void* bytes, size_t size);
/* The same with `count` samples, converted where the session's encoding is the other of s16le and f32le. */
CV_API int cv_feed_int16(cv_engine* engine, cv_session_id sid, const int16_t* samples, size_t count);
CV_API int cv_feed_float(cv_engine* engine, cv_session_id sid, const float* samples, size_t count);

/* The hotwords of all sessions, and those that one session has beside them, in place of those before; 0: none. An
 * utterance that has words keeps those it began with. CV_INVALID_ARGUMENT, CV_UNKNOWN_SESSION, CV_SESSION_FINISHED. */
CV_API int cv_set_hotwords(cv_engine* engine, const cv_hotword* hotwords, size_t count);
CV_API int cv_set_session_hotwords(cv_engine* engine, cv_session_id sid, const cv_hotword* hotwords, size_t count);

/* An ordered mark: all audio fed before it is decoded and is in this utterance's final; the session goes on. */
CV_API int cv_end_utterance(cv_engine* engine, cv_session_id sid);
/* Discards the open utterance and the audio not yet decoded, without a final; the session goes on. */
CV_API int cv_reset(cv_engine* engine, cv_session_id sid);
/* No more audio; does not block. The last final is `ended`. */
CV_API int cv_finish(cv_engine* engine, cv_session_id sid);
/* Discards unread audio (counted) and ends the session with a last final of reason CV_REASON_CLOSE. */
CV_API int cv_close_session(cv_engine* engine, cv_session_id sid);
/* Gives up an ended session's unread events, so that its place can be used again. */
CV_API int cv_release(cv_engine* engine, cv_session_id sid);

/* ---- events ---- */

typedef enum cv_event_type {
  CV_PARTIAL = 0,
  CV_FINAL = 1,
  CV_ERROR = 2,
  CV_DROPPED = 3,
  CV_SPEECH_START = 4 /* once an utterance, before its first partial */
} cv_event_type;

typedef enum cv_reason {
  CV_REASON_NONE = 0,
  CV_REASON_ENDPOINT = 1,
  CV_REASON_FINISH = 2,
  CV_REASON_MAX_LENGTH = 3,
  CV_REASON_RESET = 4,
  CV_REASON_CLOSE = 5,
  CV_REASON_ERROR = 6
} cv_reason;

typedef struct cv_word {
  size_t size;
  const char* text;
  int64_t start_ms; /* from the first sample of the session */
  int64_t end_ms;
  double confidence; /* mean probability of its pieces, 0 to 1 */
} cv_word;

/* Another text that an utterance may have been. */
typedef struct cv_alternative {
  size_t size;
  const char* text;
  double confidence; /* its share of the probability of all texts that the search had left */
} cv_alternative;

/* One event, made by the library alone. All that it points to lasts as long as it does: one that a callback gets ends
 * with the callback, one that was pulled ends with cv_event_free. */
typedef struct cv_event {
  size_t size; /* members past it are unknown to this library */
  cv_session_id sid;
  const char* session; /* the name given to cv_new_session */
  int32_t type;        /* a cv_event_type */
  int32_t reason;      /* a cv_reason */
  int32_t ended;       /* 1: no event of this sid follows */
  int32_t code;        /* of an error event, a cv_error, with `text` for its message */
  uint64_t seq;        /* counts events that are not partials; a partial repeats the last one's */
  uint64_t utterance;
  const char* text;
  int64_t start_ms; /* from the first sample of the session */
  int64_t end_ms;
  size_t word_count;
  double confidence; /* mean of the words', 0 to 1 */
  double delay_ms;   /* see docs/reference/events.md */
  const char* model_name;
  int64_t model_version;
  int64_t heard_ms; /* how much of the session's audio had to come for this event */
  int32_t pass;     /* 2: a final whose words are the second pass's, else 1 */
  int32_t reserved;
  size_t alternative_count; /* of a final, where cv_engine_options.alternatives asks for them; best first */
} cv_event;

/* Word `index` of the event, from 0 to word_count - 1; NULL for another one, or where the event is NULL. */
CV_API const cv_word* cv_event_word(const cv_event* event, size_t index);
/* Alternative `index` of the event, from 0 to alternative_count - 1; NULL for another one, or where the event is NULL.
 */
CV_API const cv_alternative* cv_event_alternative(const cv_event* event, size_t index);
/* The event as the one-line JSON object of docs/reference/events.md; "" where it is NULL. */
CV_API const char* cv_event_json(const cv_event* event);
/* For pulled events, not for those of callbacks; NULL is allowed and does nothing. */
CV_API void cv_event_free(const cv_event* event);

typedef void (*cv_event_callback)(const cv_event* event, void* user_data);

/* Events go to these, on one thread of the engine, in each session's order; once for an engine. `on_event` gets what is
 * neither partial nor final; without it those events go to the log. Each of the three may be NULL. They must return:
 * no longjmp. CV_INVALID_ARGUMENT where callbacks were registered before, or all sessions are pulled. */
CV_API int cv_register_callback(cv_engine* engine, cv_event_callback on_partial, cv_event_callback on_final,
                                cv_event_callback on_event, void* user_data);

/* For cv_next_event: the next event of whichever session. */
#define CV_ANY_SESSION ((cv_session_id)0)

/* Pulling instead of callbacks. Waits `timeout_ms` for the session's next event, without end where that is below 0, and
 * stores it in *event, for cv_event_free; NULL on time-out, with CV_OK. CV_UNKNOWN_SESSION once the event with `ended`
 * was taken, CV_ENGINE_CLOSED where the engine was closed and nothing is left.
 *
 * CV_ANY_SESSION pulls every session, each one's events in order; call it from one thread, before or soon after the
 * first session opens, and go on until CV_ENGINE_CLOSED. That thread should not feed: events that nobody takes can keep
 * a feed waiting. A second thread waits until the first one's call has returned. CV_INVALID_ARGUMENT where callbacks
 * are registered. */
CV_API int cv_next_event(cv_engine* engine, cv_session_id sid, int64_t timeout_ms, const cv_event** event);

/* The session's latest partial in *event, for cv_event_free, or NULL where there is none that was not taken yet, or a
 * final came since. */
CV_API int cv_next_partial(cv_engine* engine, cv_session_id sid, const cv_event** event);

/* ---- what the engine knows of itself ---- */

/* Distribution of one duration, in milliseconds. Never grows. */
typedef struct cv_delay_summary {
  uint64_t count;
  double mean, p50, p99, max;
} cv_delay_summary;

typedef struct cv_stats {
  size_t size;       /* how much of it was filled */
  uint64_t sessions; /* open now */
  uint64_t sessions_opened, sessions_ended;
  uint64_t accepted_samples; /* at the sessions' own rates, as are the next two */
  uint64_t decoded_samples;
  uint64_t dropped_samples; /* discarded by reset, close or an error, each reported */
  uint64_t chunks, batches;
  uint64_t partials, finals, errors;
  uint64_t callback_errors;                    /* exceptions that callbacks threw */
  cv_delay_summary partial_delay, final_delay; /* to the moment the event is queued */
  cv_delay_summary delivery_delay;             /* from there to the callback or the pull */
  size_t session_bytes;                        /* mapped for one session: ring, features, events */
  size_t state_bytes;                          /* mapped for one session's network states (default model) */
  uint64_t second_passes;                      /* finals whose words are the second pass's */
  uint64_t second_pass_timeouts, second_pass_overflows, second_pass_failures; /* finals that went without */
  uint64_t second_pass_restarts;                                              /* of its workers */
  cv_delay_summary second_pass_delay;                                         /* by which finals waited for it */
  uint64_t dictionary_swaps;                                                  /* the first one included */
  uint64_t search_swaps;    /* of language model or hotwords, by config_file or a call */
  uint64_t config_failures; /* changes of the configuration file that were refused */
  uint64_t skipped_samples; /* silence that did not go through the network */
} cv_stats;

/* Utterances whose first word comes from now on are shown with the dictionary at `path` (NULL or "": with none); the
 * others keep theirs. CV_INVALID_CONFIG: what was there stays. */
CV_API int cv_swap_dictionary(cv_engine* engine, const char* path);

/* The same for the language model, named as in cv_engine_options.lm; its weight stays. Reads the whole file first.
 * CV_MODEL_NOT_FOUND, CV_INVALID_MODEL: what was there stays. */
CV_API int cv_swap_lm(cv_engine* engine, const char* lm);

/* `size` is sizeof(cv_stats). Works after cv_engine_close too. */
CV_API int cv_engine_stats(cv_engine* engine, cv_stats* stats, size_t size);

/* Forgets the delays counted so far, so that a measured run leaves its warm-up out. */
CV_API int cv_engine_clear_delays(cv_engine* engine);

/* Facts of the default model, from its manifest. What it points to lasts as long as the engine. */
typedef struct cv_model_info {
  size_t size; /* how much of it was filled */
  const char* name;
  const char* language;
  const char* weights; /* "trained" or "random" */
  const char* path;
  int64_t version;
  const uint32_t* chunk_ms; /* those that the model serves */
  size_t chunk_count;
  uint32_t default_chunk_ms, look_ahead_ms;
  uint32_t sample_rate, output_frame_ms;
  const char* precision;        /* of the network that was chosen: "f32" or "int8" */
  const char* precision_reason; /* for people */
} cv_model_info;

/* `size` is sizeof(cv_model_info). Works after cv_engine_close too. */
CV_API int cv_engine_model(cv_engine* engine, cv_model_info* info, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* COSYVOICE_C_API_H */
