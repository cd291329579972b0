/* Transcribes a WAV file: the words of each utterance with their times.
 *   transcribe MODEL FILE.wav            MODEL: en, en-lite or the directory of a bundle */
#include <stdio.h>
#include <stdlib.h>

#include "cosyvoice/c_api.h"
#include "wav.h"

enum { PACKET = 1024 };

static int failed(const char* where) {
  fprintf(stderr, "%s: %s\n", where, cv_last_error());
  return 1;
}

/* Called on a thread of the engine. */
static void on_final(const cv_event* event, void* user_data) {
  (void)user_data;
  for (size_t i = 0; i < event->word_count; ++i) {
    const cv_word* word = cv_event_word(event, i);
    printf("%6.2f s  %s\n", (double)word->start_ms / 1000.0, word->text);
  }
}

static void on_event(const cv_event* event, void* failures) {
  if (event->type == CV_SPEECH_START) return;
  fprintf(stderr, "%s\n", cv_event_json(event));
  ++*(int*)failures;
}

static int feed_all(cv_engine* engine, const wav_file* wav) {
  cv_session_options options;
  cv_session_id sid = 0;
  cv_session_options_init(&options, sizeof options);
  options.sample_rate = wav->sample_rate;
  if (cv_new_session(engine, &options, &sid) != CV_OK) return failed("cv_new_session");
  for (size_t at = 0; at < wav->count; at += PACKET) {
    const size_t packet = wav->count - at < PACKET ? wav->count - at : PACKET;
    if (cv_feed_int16(engine, sid, wav->samples + at, packet) != CV_OK) return failed("cv_feed_int16");
  }
  return cv_finish(engine, sid) == CV_OK ? 0 : failed("cv_finish");
}

int main(int argc, char** argv) {
  cv_engine_options options;
  cv_engine* engine = NULL;
  wav_file wav;
  const char* fault = NULL;
  int failures = 0, status = 0;
  if (argc != 3) return fprintf(stderr, "usage: %s MODEL FILE.wav\n", argv[0]), 2;
  if ((fault = wav_read(argv[2], &wav)) != NULL) return fprintf(stderr, "%s: %s\n", argv[2], fault), 1;

  cv_engine_options_init(&options, sizeof options);
  options.model_path = argv[1];
  options.max_stream = 1;
  if (cv_engine_create(&options, &engine) != CV_OK) {
    status = failed("cv_engine_create");
  } else if (cv_register_callback(engine, NULL, on_final, on_event, &failures) != CV_OK) {
    status = failed("cv_register_callback");
  } else {
    status = feed_all(engine, &wav);
  }
  cv_engine_destroy(engine); /* what was fed is finished, and every callback has run */
  free(wav.samples);
  return status != 0 || failures != 0;
}
