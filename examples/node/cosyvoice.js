// The part of c_api.h that the example needs. COSYVOICE_LIBRARY is the path of libcosyvoice.so.
const { promisify } = require("node:util");
const koffi = require("koffi");

const library = koffi.load(process.env.COSYVOICE_LIBRARY ?? "libcosyvoice.so");

koffi.opaque("cv_engine");
koffi.opaque("cv_event");
koffi.struct("cv_engine_options", {
  size: "size_t",
  model_path: "const char *",
  chunk_ms: "uint32_t",
  max_stream: "uint32_t",
  batch_size: "uint32_t",
  workers: "uint32_t",
  partial_timeout_ms: "int32_t",
  max_utterance_ms: "int32_t",
  idle_timeout_ms: "int32_t",
  back_pressure: "int32_t",
  ring_bytes: "size_t",
  fifo_bytes: "size_t",
  max_batch_ms: "double",
}); // later members are left out: the library takes the size as it is and the defaults for the rest
koffi.struct("cv_session_options", {
  size: "size_t",
  name: "const char *",
  model: "const char *",
  sample_rate: "uint32_t",
});

const lastError = library.func("const char *cv_last_error()");
const errorName = library.func("const char *cv_error_name(int error)");
const engineOptionsInit = library.func("int cv_engine_options_init(_Inout_ cv_engine_options *options, size_t size)");
const engineCreate = library.func("int cv_engine_create(const cv_engine_options *options, _Out_ cv_engine **engine)");
const engineDestroy = library.func("int cv_engine_destroy(cv_engine *engine)");
const sessionOptionsInit = library.func("int cv_session_options_init(_Inout_ cv_session_options *options, size_t size)");
const newSession = library.func(
  "int cv_new_session(cv_engine *engine, const cv_session_options *options, _Out_ uint64_t *sid)",
);
const feedPcm = library.func("int cv_feed_pcm(cv_engine *engine, uint64_t sid, const void *bytes, size_t size)");
const finish = library.func("int cv_finish(cv_engine *engine, uint64_t sid)");
const nextEvent = library.func(
  "int cv_next_event(cv_engine *engine, uint64_t sid, int64_t timeout_ms, _Out_ const cv_event **event)",
);
const eventJson = library.func("const char *cv_event_json(const cv_event *event)");
const eventFree = library.func("void cv_event_free(const cv_event *event)");

const UNKNOWN_SESSION = 9;

function check(code) {
  if (code !== 0) throw new Error(lastError());
}

// Runs on a thread of Node's pool, so that the event loop goes on. It has four, and each waiting session holds one:
// UV_THREADPOOL_SIZE gives more. The message of an error stays on that thread.
async function inBackground(method, ...values) {
  const code = await promisify(method.async)(...values);
  if (code !== 0 && code !== UNKNOWN_SESSION) throw new Error(errorName(code));
  return code;
}

function initialised(type, init) {
  const options = {};
  for (const [name, member] of Object.entries(koffi.type(type).members)) {
    options[name] = member.type.primitive === "String" ? null : 0;
  }
  check(init(options, koffi.sizeof(type)));
  return options;
}

class Session {
  constructor(engine, sid) {
    this.engine = engine;
    this.sid = sid;
  }

  feed(bytes) {
    return inBackground(feedPcm, this.engine, this.sid, bytes, bytes.length);
  }

  finish() {
    check(finish(this.engine, this.sid));
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      const event = [null];
      if ((await inBackground(nextEvent, this.engine, this.sid, -1, event)) === UNKNOWN_SESSION) return;
      const json = eventJson(event[0]);
      eventFree(event[0]);
      yield JSON.parse(json);
    }
  }
}

class Engine {
  constructor(given) {
    const created = [null];
    check(engineCreate({ ...initialised("cv_engine_options", engineOptionsInit), ...given }, created));
    this.handle = created[0];
  }

  newSession(given) {
    const sid = [0];
    check(newSession(this.handle, { ...initialised("cv_session_options", sessionOptionsInit), ...given }, sid));
    return new Session(this.handle, sid[0]);
  }

  destroy() {
    check(engineDestroy(this.handle));
  }
}

module.exports = { Engine };
