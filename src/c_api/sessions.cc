// The verbs of a session.
#include <string>

#include "c_api/engine_handle.h"
#include "c_api/guard.h"
#include "c_api/options.h"

using namespace cosyvoice;
using namespace cosyvoice::c_api;

namespace {

template <class Audio>
int feed(cv_engine* engine, cv_session_id sid, const Audio* audio, size_t count) {
  return guarded([&] {
    require(engine, "engine");
    if (audio == nullptr && count != 0) {
      throw Error(ErrorCode::kInvalidArgument, "the audio is NULL, but its length is " + std::to_string(count));
    }
    engine->engine.feed_pcm(sid, audio, count);
  });
}

int verb(cv_engine* engine, void (Engine::*member)(SessionId), cv_session_id sid) {
  return guarded([&] { (require(engine, "engine").engine.*member)(sid); });
}

}  // namespace

extern "C" {

int cv_new_session(cv_engine* engine, const cv_session_options* options, cv_session_id* sid) {
  return guarded([&] {
    require(engine, "engine");
    require(sid, "sid");
    *sid = engine->engine.new_session(to_options(options));
  });
}

int cv_feed_pcm(cv_engine* engine, cv_session_id sid, const void* bytes, size_t size) {
  return feed(engine, sid, bytes, size);
}

int cv_feed_int16(cv_engine* engine, cv_session_id sid, const int16_t* samples, size_t count) {
  return feed(engine, sid, samples, count);
}

int cv_feed_float(cv_engine* engine, cv_session_id sid, const float* samples, size_t count) {
  return feed(engine, sid, samples, count);
}

int cv_set_hotwords(cv_engine* engine, const cv_hotword* hotwords, size_t count) {
  return guarded([&] { require(engine, "engine").engine.set_hotwords(to_hotwords(hotwords, count)); });
}

int cv_set_session_hotwords(cv_engine* engine, cv_session_id sid, const cv_hotword* hotwords, size_t count) {
  return guarded([&] { require(engine, "engine").engine.set_hotwords(sid, to_hotwords(hotwords, count)); });
}

int cv_end_utterance(cv_engine* engine, cv_session_id sid) {
  return verb(engine, &Engine::end_utterance, sid);
}

int cv_reset(cv_engine* engine, cv_session_id sid) {
  return verb(engine, &Engine::reset, sid);
}

int cv_finish(cv_engine* engine, cv_session_id sid) {
  return verb(engine, &Engine::finish, sid);
}

int cv_close_session(cv_engine* engine, cv_session_id sid) {
  return verb(engine, &Engine::close_session, sid);
}

int cv_release(cv_engine* engine, cv_session_id sid) {
  return verb(engine, &Engine::release, sid);
}

}  // extern "C"
