#include <doctest/doctest.h>

#include <filesystem>

#include "bundle/manifest.h"
#include "bundle/sha256.h"
#include "bundle_fixture.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

TEST_CASE("SHA-256 of a file is the published one") {
  const TemporaryDirectory directory;
  directory.write("empty", "");
  directory.write("abc", "abc");
  directory.write("million", std::string(1'000'000, 'a'));  // longer than one piece
  CHECK(sha256_of_file(directory.path() + "/empty") ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of_file(directory.path() + "/abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of_file(directory.path() + "/million") ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("what cannot be read has no SHA-256") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(sha256_of_file(directory.path() + "/absent"), Error);
  CHECK_THROWS_AS(sha256_of_file(directory.path()), Error);
}

TEST_CASE("a changed file is refused with both sums") {
  const TemporaryDirectory directory;
  write_bundle(directory, valid_manifest());
  directory.write("net.bin", "weights!");
  CHECK_THROWS_WITH_AS(load_manifest(directory.path()), doctest::Contains("files.net.bin: expected sha256 "), Error);
  CHECK_THROWS_WITH_AS(load_manifest(directory.path()), doctest::Contains("copy the bundle again"), Error);
}

TEST_CASE("a listed file that is absent is refused by its path") {
  const TemporaryDirectory directory;
  write_bundle(directory, valid_manifest());
  std::filesystem::remove(directory.path() + "/net.bin");
  CHECK_THROWS_WITH_AS(load_manifest(directory.path()), doctest::Contains((directory.path() + "/net.bin").c_str()),
                       Error);
}

TEST_CASE("a listed name with a folder is refused") {
  for (const char* name : {"../net.xml", "/etc/passwd", ".hidden", "model.yaml", "''"}) {
    auto lines = valid_manifest();
    lines.push_back(std::string("  ") + name + ": e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(refusal(lines).find("plain file name") != std::string::npos);
  }
}

TEST_CASE("an INT8 network is optional, and listed with its weights where it is named") {
  const TemporaryDirectory directory;
  write_bundle(directory, valid_manifest());
  CHECK(load_manifest(directory.path()).network.int8_file.empty());

  auto lines = valid_manifest();
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line_of(lines, "file")) + 1, "  int8_file: small.xml");
  CHECK(refusal(lines).find("files: expected the file 'small.xml'") != std::string::npos);
  // SHA-256 of "network\n" and of "weights\n", as in the fixture.
  lines.push_back("  small.xml: 37e48922ed4e00f48d385ec6d593d9b72b8e80634d0f336178340e9153602f1d");
  CHECK(refusal(lines).find("files: expected the file 'small.bin'") != std::string::npos);
  lines.push_back("  small.bin: 1b465fa6b6bcbc06a3199e3d2d8aec35d37494a712f888b6d5536684dd89d0f0");
  directory.write("small.xml", "network\n");
  directory.write("small.bin", "weights\n");
  write_bundle(directory, lines);
  const Manifest manifest = load_manifest(directory.path());
  CHECK(manifest.network.file == directory.path() + "/net.xml");
  CHECK(manifest.network.int8_file == directory.path() + "/small.xml");

  lines[line_of(lines, "int8_file")] = "  int8_file: ../small.xml";
  CHECK(refusal(lines).find("int8_file: expected the name of an .xml or .onnx file") != std::string::npos);
}
