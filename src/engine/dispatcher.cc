#include "engine/dispatcher.h"

#include <string>
#include <utility>

#include "engine/producer.h"
#include "runtime/log.h"
#include "runtime/thread.h"

namespace cosyvoice {

void Dispatcher::start(Delivery& delivery, Counters& counters, EventCallback on_partial, EventCallback on_final,
                       EventCallback on_event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (thread_.joinable()) {
    throw Error(ErrorCode::kInvalidArgument,
                "callbacks were registered before; an engine has one set of them: dispatch inside it");
  }
  const auto give = [&counters, on_partial = std::move(on_partial), on_final = std::move(on_final),
                     on_event = std::move(on_event)](const Event& event) {
    const EventCallback& callback = event.type == EventType::kPartial ? on_partial
                                    : event.type == EventType::kFinal ? on_final
                                                                      : on_event;
    try {
      if (callback) {
        callback(event);
      } else if (event.type == EventType::kError || event.type == EventType::kDropped) {
        log_message(LogLevel::kWarning,
                    "session " + std::to_string(event.sid) + ": " +
                        (event.type == EventType::kError ? "error " : "audio dropped, ") +
                        std::string(event.type == EventType::kError ? to_string(event.code) : "reset") +
                        "; give register_callback an on_event to handle this");
      }
    } catch (const std::exception& error) {
      count(counters.callback_errors);
      log_message(LogLevel::kError, std::string("a callback threw: ") + error.what());
    } catch (...) {
      count(counters.callback_errors);
      log_message(LogLevel::kError, "a callback threw something that is no std::exception");
    }
  };
  delivery.attach_drain();
  thread_ = start_thread("cv-dispatch", [&delivery, give] {
    Producer::mark_dispatcher_thread();
    while (delivery.drain_open()) delivery.drain(give, -1);
  });
}

void Dispatcher::defer(std::function<void()> body) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!deferred_.joinable()) deferred_ = start_thread("cv-close", std::move(body));
}

void Dispatcher::join() {
  if (thread_.joinable()) thread_.join();
}

void Dispatcher::join_deferred() {
  if (deferred_.joinable()) deferred_.join();
}

}  // namespace cosyvoice
