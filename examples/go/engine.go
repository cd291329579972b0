package main

// The part of c_api.h that this program needs, as Go likes it. Headers and library are named by CGO_CFLAGS and
// CGO_LDFLAGS.

// #cgo LDFLAGS: -lcosyvoice
// #include <stdlib.h>
// #include "cosyvoice/c_api.h"
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

// Engine carries sessions until Destroy.
type Engine struct{ handle *C.cv_engine }

// Session is one stream of audio. Feed and Next may run side by side.
type Session struct {
	engine *Engine
	sid    C.cv_session_id
}

// call keeps the goroutine on its thread, since the message of a failure belongs to the thread of the call.
func call(function func() C.int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if function() != C.CV_OK {
		return errors.New(C.GoString(C.cv_last_error()))
	}
	return nil
}

func NewEngine(model string, maxStream int) (*Engine, error) {
	name := C.CString(model)
	defer C.free(unsafe.Pointer(name))
	options := (*C.cv_engine_options)(C.calloc(1, C.sizeof_cv_engine_options)) // C may not keep pointers to Go's memory
	defer C.free(unsafe.Pointer(options))
	C.cv_engine_options_init(options, C.sizeof_cv_engine_options)
	options.model_path = name
	options.max_stream = C.uint32_t(maxStream)
	engine := &Engine{}
	return engine, call(func() C.int { return C.cv_engine_create(options, &engine.handle) })
}

func (engine *Engine) Destroy() { C.cv_engine_destroy(engine.handle) }

func (engine *Engine) NewSession(sampleRate uint32) (*Session, error) {
	var options C.cv_session_options
	C.cv_session_options_init(&options, C.sizeof_cv_session_options)
	options.sample_rate = C.uint32_t(sampleRate)
	session := &Session{engine: engine}
	return session, call(func() C.int { return C.cv_new_session(engine.handle, &options, &session.sid) })
}

func (session *Session) Feed(samples []int16) error {
	if len(samples) == 0 {
		return nil
	}
	return call(func() C.int {
		first := (*C.int16_t)(unsafe.Pointer(&samples[0]))
		return C.cv_feed_int16(session.engine.handle, session.sid, first, C.size_t(len(samples)))
	})
}

func (session *Session) Finish() error {
	return call(func() C.int { return C.cv_finish(session.engine.handle, session.sid) })
}

// Next waits for the session's next event, as JSON; nil after the last one.
func (session *Session) Next() ([]byte, error) {
	var event *C.cv_event
	var code C.int
	err := call(func() C.int {
		code = C.cv_next_event(session.engine.handle, session.sid, -1, &event)
		return code
	})
	if code == C.CV_UNKNOWN_SESSION {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer C.cv_event_free(event)
	return []byte(C.GoString(C.cv_event_json(event))), nil
}
