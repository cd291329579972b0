// The C++ API's own dispatcher: one thread that gives events to the callbacks. (The Python package has its own, on
// drain().)
#pragma once

#include <functional>
#include <mutex>
#include <thread>

#include "engine/counters.h"
#include "engine/delivery.h"

namespace cosyvoice {

class Dispatcher {
 public:
  /// Throws kInvalidArgument when callbacks were registered before.
  void start(Delivery& delivery, Counters& counters, EventCallback on_partial, EventCallback on_final,
             EventCallback on_event);
  /// Runs `body` on a thread of its own, for a callback that closes its engine.
  void defer(std::function<void()> body);
  /// Waits until the thread has given out everything (Delivery::finish was called). Not from the thread itself.
  void join();
  void join_deferred();

 private:
  std::mutex mutex_;
  std::thread thread_;
  std::thread deferred_;
};

}  // namespace cosyvoice
