#include <doctest/doctest.h>

#include <random>

#include "bundle/manifest.h"
#include "bundle/yaml_tree.h"
#include "bundle_fixture.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

TEST_CASE("a document becomes a tree with lines") {
  const YamlNode root = parse_yaml("a: 1\nb:\n  - 'x'\n  - {c: }\n", "f.yaml");
  REQUIRE(root.kind == YamlNode::Kind::kMapping);
  REQUIRE(root.find("a") != nullptr);
  CHECK(root.find("a")->text == "1");
  CHECK_FALSE(root.find("a")->is_quoted);
  const YamlNode& list = *root.find("b");
  REQUIRE(list.children.size() == 2);
  CHECK(list.children[0].is_quoted);
  CHECK(list.children[0].line == 3);
  CHECK(list.children[1].find("c")->kind == YamlNode::Kind::kNull);
  CHECK(root.find("d") == nullptr);
}

TEST_CASE("what lies outside the subset is refused with file and line") {
  struct Row {
    const char* text;
    const char* message;
  };
  const Row rows[] = {
      {"", "empty file"},
      {"# nothing\n", "empty file"},
      {"a: 1\nb: [", "f.yaml:"},
      {"a: 1\n\tb: 2\n", "this is no YAML"},
      {"a: 1\na: 2\n", "f.yaml:2: the key 'a' is given twice, first in line 1"},
      {"a: &x 1\n", "f.yaml:1: expected a value, found an anchor"},
      {"a: *x\n", "f.yaml:1"},
      {"a: !!int 1\n", "the tag 'tag:yaml.org,2002:int'"},
      {"a: !thing {b: 1}\n", "the tag '!thing'"},
      {"[a, b]: 1\n", "expected a key, found a list"},
      {"{a: 1}: 1\n", "expected a key"},
      {"~: 1\n", "expected a key, found nothing"},
      {"a: 1\n---\nb: 2\n", "expected one YAML document"},
      {"a: \"\\xff\\0\"\n", "expected UTF-8 text"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK_THROWS_WITH_AS(parse_yaml(row.text, "f.yaml"), doctest::Contains(row.message), Error);
  }
}

TEST_CASE("depth and size are bounded") {
  for (const char* opening : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += opening;
    CHECK_THROWS_AS(parse_yaml(text, "f.yaml"), Error);
  }
  std::string many = "a: [";
  for (int i = 0; i < 200'000; ++i) many += "1,";
  CHECK_THROWS_WITH_AS(parse_yaml(many + "1]", "f.yaml"), doctest::Contains("at most 100000 values"), Error);
}

TEST_CASE("a damaged manifest is refused or read, never worse") {
  const std::string valid = joined(valid_manifest());
  const std::string spice =
      "{}[]:,&*!|>'\"%@`-?#~\n\t \\0\xff\xe2\x80\x00"
      "9";
  std::mt19937 random(20240611);
  const auto below = [&random](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  const TemporaryDirectory directory;
  write_bundle(directory, valid_manifest());
  int refused = 0;
  constexpr int kTrials = 1500;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string text = valid;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = spice[below(spice.size())];
          break;
        case 1:
          text.insert(at, 1, spice[below(spice.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(40));
          break;
        default:
          text.insert(below(text.size()), text.substr(at, 1 + below(60)));
      }
    }
    directory.write("model.yaml", text);
    try {
      load_manifest(directory.path());
    } catch (const Error& error) {
      ++refused;
      CHECK(error.code() == ErrorCode::kInvalidModel);
    }
  }
  CHECK(refused > kTrials / 2);
}
