#include "c_api/c_program.h"

#include <string.h>

int c_transcribe(cv_engine* engine, const int16_t* samples, size_t count, char* texts, size_t capacity) {
  cv_session_options options;
  cv_session_id sid = 0;
  const cv_event* event = NULL;
  const size_t packet = 1024;
  size_t at = 0;
  int code = cv_session_options_init(&options, sizeof options);
  if (code == CV_OK) code = cv_new_session(engine, &options, &sid);
  for (; code == CV_OK && at < count; at += packet) {
    code = cv_feed_int16(engine, sid, samples + at, count - at < packet ? count - at : packet);
  }
  if (code == CV_OK) code = cv_finish(engine, sid);
  if (code != CV_OK) return code;
  texts[0] = '\0';
  while ((code = cv_next_event(engine, sid, -1, &event)) == CV_OK) {
    if (event->type == CV_FINAL && event->text[0] != '\0' && strlen(texts) + strlen(event->text) + 2 < capacity) {
      strcat(texts, event->text);
      strcat(texts, "\n");
    }
    cv_event_free(event);
  }
  return code == CV_UNKNOWN_SESSION ? CV_OK : code;
}

void c_sizes(size_t sizes[6]) {
  sizes[0] = sizeof(cv_engine_options);
  sizes[1] = sizeof(cv_session_options);
  sizes[2] = sizeof(cv_event);
  sizes[3] = sizeof(cv_word);
  sizes[4] = sizeof(cv_stats);
  sizes[5] = sizeof(cv_model_info);
}
