#include "core/encoder.h"
#include "core/network.h"

namespace cosyvoice {
namespace {

thread_local bool is_inside = false;

}  // namespace

InferenceMark::InferenceMark() noexcept : before_(is_inside) {
  is_inside = true;
}
InferenceMark::~InferenceMark() {
  is_inside = before_;
}

bool inside_inference() noexcept {
  return is_inside;
}

}  // namespace cosyvoice
