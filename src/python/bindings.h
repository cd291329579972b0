// What module.cc registers: one function for each file of this folder, which mirrors one class or table of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace cosyvoice::python {

void bind_errors(nanobind::module_& module);
void bind_log(nanobind::module_& module);
void bind_stats(nanobind::module_& module);
void bind_config(nanobind::module_& module);
void bind_engine(nanobind::module_& module);
void bind_bench(nanobind::module_& module);
void bind_bundle(nanobind::module_& module);
void bind_lm(nanobind::module_& module);
void bind_facts(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_testing(nanobind::module_& module);

}  // namespace cosyvoice::python
