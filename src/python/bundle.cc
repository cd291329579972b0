// What a bundle's manifest says, for the package's own tools.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bundle/manifest.h"
#include "core/precision.h"
#include "python/bindings.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

nb::dict to_dict(const StateOptions& state) {
  nb::dict row;
  row["input"] = state.input;
  row["output"] = state.output;
  row["shape"] = nb::cast(state.shape);
  row["type"] = state.type == ElementType::kF16 ? "f16" : "f32";
  row["initial"] = state.initial;
  row["ring_axis"] = state.advance == Advance::kRing ? nb::cast(state.axis) : nb::none();
  return row;
}

nb::dict to_dict(const Manifest& manifest) {
  const NetworkOptions& network = manifest.network;
  nb::dict facts;
  facts["name"] = manifest.name;
  facts["version"] = manifest.version;
  facts["language"] = manifest.language;
  facts["licence"] = manifest.licence;
  facts["weights"] = manifest.trained ? "trained" : "random";
  facts["notes"] = manifest.notes;
  facts["path"] = manifest.directory;
  facts["sample_rate"] = manifest.features.sample_rate;
  facts["tokens"] = manifest.tokens.size();
  facts["file"] = network.file;
  facts["int8_file"] = network.int8_file;
  facts["lm"] = manifest.lm;
  facts["input"] = network.input;
  facts["output"] = network.output;
  facts["chunks"] = nb::cast(network.chunks);
  facts["default_chunk"] = network.default_chunk;
  facts["look_ahead"] = network.look_ahead;
  facts["counters"] = nb::cast(network.counters);
  nb::list chunk_ms, states;
  for (const std::uint32_t frames : network.chunks) chunk_ms.append(manifest.chunk_ms(frames));
  for (const StateOptions& state : network.states) states.append(to_dict(state));
  facts["chunk_ms"] = chunk_ms;
  facts["default_chunk_ms"] = manifest.chunk_ms(network.default_chunk);
  facts["look_ahead_ms"] = manifest.chunk_ms(network.look_ahead);
  facts["states"] = states;
  return facts;
}

nb::dict read_manifest(const std::string& bundle) {
  Manifest manifest;
  {
    const nb::gil_scoped_release nogil;
    manifest = load_manifest(bundle);
  }
  return to_dict(manifest);
}

nb::tuple network_choice(const std::string& bundle, const std::string& precision) {
  const Precision asked = parse_precision(precision);
  PrecisionChoice choice;
  {
    const nb::gil_scoped_release nogil;
    choice = choose_precision(load_manifest(bundle), asked, processor_has_vnni());
  }
  return nb::make_tuple(to_string(choice.precision), choice.reason);
}

}  // namespace

void bind_bundle(nb::module_& module) {
  module.def(
      "read_manifest", &read_manifest, "bundle"_a, nb::sig("def read_manifest(bundle: str) -> dict[str, typing.Any]"),
      "A bundle's manifest, checked with its files: general facts and those of the network; paths are absolute.");
  module.def("network_choice", &network_choice, "bundle"_a, "precision"_a,
             nb::sig("def network_choice(bundle: str, precision: str) -> tuple[str, str]"),
             "Which of a bundle's networks an engine with this `precision` takes here, `f32` or `int8`, and why.");
}

}  // namespace cosyvoice::python
