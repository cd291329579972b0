#include "engine/slot.h"

#include <thread>

namespace cosyvoice {

void refuse_audio(Slot& slot) noexcept {
  slot.finishing.store(true, std::memory_order_seq_cst);
  ProducerState idle = ProducerState::kIdle;
  while (!slot.producer.compare_exchange_weak(idle, ProducerState::kMarking, std::memory_order_acquire)) {
    idle = ProducerState::kIdle;
    slot.room.notify_all();  // a feed that waits for room sees `finishing` and leaves
    std::this_thread::yield();
  }
  slot.producer.store(ProducerState::kIdle, std::memory_order_release);
}

void account(Slot& slot, Counters& counters, std::uint64_t until, Fate fate) noexcept {
  if (until <= slot.accounted) return;
  std::atomic<std::uint64_t>& counter = fate == Fate::kDecoded   ? counters.decoded_samples
                                        : fate == Fate::kSkipped ? counters.skipped_samples
                                                                 : counters.dropped_samples;
  count(counter, until - slot.accounted);
  slot.accounted = until;
}

}  // namespace cosyvoice
