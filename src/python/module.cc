#include "python/bindings.h"

NB_MODULE(_native, module) {
  module.doc() = "The compiled core of cosyvoice; use the package, not this module.";
  module.attr("__version__") = COSYVOICE_VERSION;
  cosyvoice::python::bind_errors(module);
  cosyvoice::python::bind_log(module);
  cosyvoice::python::bind_stats(module);
  cosyvoice::python::bind_engine(module);
  cosyvoice::python::bind_bench(module);
  nanobind::module_ testing =
      module.def_submodule("testing", "Single stages of the engine, for tests against oracles.");
  cosyvoice::python::bind_testing(testing);
}
