#include "core/precision.h"

#include <doctest/doctest.h>

#include <string>

#include "core/encoder.h"
#include "core/loaded_model.h"
#include "fake_network.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

Manifest bundle(bool has_int8) {
  Manifest manifest = fake_manifest();
  manifest.directory = "/models/m";
  manifest.network.file = "/models/m/f16.xml";
  if (has_int8) manifest.network.int8_file = "/models/m/int8.xml";
  return manifest;
}

}  // namespace

TEST_CASE("auto takes INT8 where the bundle has it and the processor is good at it") {
  for (const bool has_file : {false, true}) {
    for (const bool has_vnni : {false, true}) {
      CAPTURE(has_file);
      CAPTURE(has_vnni);
      const PrecisionChoice choice = choose_precision(bundle(has_file), Precision::kAuto, has_vnni);
      CHECK(choice.precision == (has_file && has_vnni ? Precision::kInt8 : Precision::kF32));
      CHECK(choice.reason.find(has_file ? "VNNI" : "has no INT8 network") != std::string::npos);
    }
  }
}

TEST_CASE("what is asked for by name is taken, whatever the processor") {
  for (const bool has_vnni : {false, true}) {
    CHECK(choose_precision(bundle(true), Precision::kF32, has_vnni).precision == Precision::kF32);
    CHECK(choose_precision(bundle(true), Precision::kInt8, has_vnni).precision == Precision::kInt8);
    CHECK(choose_precision(bundle(false), Precision::kF32, has_vnni).precision == Precision::kF32);
  }
}

TEST_CASE("INT8 of a bundle that has none is refused with the remedy") {
  CHECK_THROWS_WITH_AS(choose_precision(bundle(false), Precision::kInt8, true),
                       doctest::Contains("the bundle /models/m has no INT8 network; make one with `cosyvoice model "
                                         "export --int8"),
                       Error);
}

TEST_CASE("the file that is read is that of the precision chosen") {
  FakeLog log;
  ModelRuntimeOptions options;
  options.slots = 1;
  std::string read;
  const auto remember = [&](const Manifest&, const std::string& file) {
    read = file;
    return fake_network(log);
  };
  options.precision = Precision::kInt8;
  CHECK(load_model(bundle(true), options, remember)->precision().precision == Precision::kInt8);
  CHECK(read == "/models/m/int8.xml");
  options.precision = Precision::kF32;
  CHECK(load_model(bundle(true), options, remember)->precision().precision == Precision::kF32);
  CHECK(read == "/models/m/f16.xml");
  options.precision = Precision::kInt8;
  CHECK_THROWS_AS(load_model(bundle(false), options, remember), Error);
}
