#include "python/bindings.h"

NB_MODULE(_native, module) {
  // An engine that is alive at exit is closed by atexit; what Python has not collected by then is no leak of ours.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled core of cosyvoice; use the package, not this module.";
  module.attr("version") = COSYVOICE_VERSION;
  cosyvoice::python::bind_errors(module);
  cosyvoice::python::bind_log(module);
  cosyvoice::python::bind_stats(module);
  cosyvoice::python::bind_config(module);
  cosyvoice::python::bind_engine(module);
  cosyvoice::python::bind_bench(module);
  cosyvoice::python::bind_bundle(module);
  cosyvoice::python::bind_lm(module);
  cosyvoice::python::bind_facts(module);
  cosyvoice::python::bind_search(module);
  cosyvoice::python::bind_testing(module);
}
