#include "python/bindings.h"

NB_MODULE(_native, module) {
  module.doc() = "The compiled core of cosyvoice; use the package, not this module.";
  module.attr("version") = COSYVOICE_VERSION;
  cosyvoice::python::bind_errors(module);
  cosyvoice::python::bind_log(module);
  cosyvoice::python::bind_stats(module);
  cosyvoice::python::bind_engine(module);
  cosyvoice::python::bind_bench(module);
  cosyvoice::python::bind_testing(module);
}
