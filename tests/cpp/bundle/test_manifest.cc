#include <doctest/doctest.h>

#include <filesystem>

#include "bundle/manifest.h"
#include "bundle_fixture.h"
#include "cosyvoice/engine.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

TEST_CASE("a valid manifest arrives key by key") {
  const TemporaryDirectory directory;
  write_bundle(directory, valid_manifest());
  const Manifest manifest = load_manifest(directory.path());
  CHECK(manifest.directory == directory.path());
  CHECK(manifest.name == "small");
  CHECK(manifest.version == 3);
  CHECK(manifest.language == "en");
  CHECK(manifest.licence == "MIT");
  CHECK_FALSE(manifest.trained);
  CHECK(manifest.notes == "for tests");
  CHECK(manifest.letter_case == "lower");
  CHECK(manifest.word_boundary == "▁");
  CHECK(manifest.emission_offset_ms == -20);
  CHECK(manifest.word_lead_ms == 90);
  CHECK(manifest.whole_frames(manifest.word_lead_ms) == 2);  // of 40 ms
  CHECK(manifest.confidence_scale == 0.5F);
  CHECK(manifest.confidence_offset == -1.25F);
  CHECK(manifest.tokens == std::vector<std::string>{"<blank>", "▁a", "b"});

  const FeatureOptions& features = manifest.features;
  CHECK(features.sample_rate == 16000);
  CHECK(features.window_samples() == 400);
  CHECK(features.hop_samples() == 160);
  CHECK(features.fft == 512);
  CHECK(features.window == WindowKind::kPovey);
  CHECK(features.pre_emphasis == doctest::Approx(0.97));
  CHECK(features.remove_dc);
  CHECK(features.input_scale == 32768.0);
  CHECK(features.spectrum == SpectrumKind::kMagnitude);
  CHECK(features.mel.bins == 80);
  CHECK(features.mel.scale == MelScale::kHtk);
  CHECK(features.mel.triangles == MelTriangles::kMel);
  CHECK(features.mel.norm == MelNorm::kNone);
  CHECK(features.mel.low_hz == 20.0);
  CHECK(features.mel.high_hz == 7600.0);
  CHECK(features.log == LogKind::kLn);
  CHECK(features.floor == doctest::Approx(1e-10));
  CHECK(features.offset == 4.5);
  CHECK(features.scale == 0.25);
  CHECK(features.cmvn_mean.empty());
  CHECK(features.edges == Edges::kSnip);
  CHECK(features.dim() == 320);

  const NetworkOptions& network = manifest.network;
  CHECK(network.file == directory.path() + "/net.xml");
  CHECK(network.chunks == std::vector<std::uint32_t>{4, 8, 16});
  CHECK(network.default_chunk == 8);
  CHECK(network.look_ahead == 1);
  CHECK(network.tail_padding_ms == 320);
  CHECK(network.input == "features");
  CHECK(network.output == "log_probs");
  CHECK(network.counters == std::vector<std::string>{"position"});
  REQUIRE(network.states.size() == 2);
  CHECK(network.states[0].initial == 0.5F);
  CHECK(network.states[0].advance == Advance::kReplace);
  CHECK(network.states[1].shape == std::vector<std::uint32_t>{8, 1, 16});
  CHECK(network.states[1].batch_axis == 1);
  CHECK(network.states[1].type == ElementType::kF16);
  CHECK(network.states[1].advance == Advance::kRing);
  CHECK(network.states[1].axis == 0);

  // 8 feature frames, one every 2 · 10 ms, are 160 ms: 4 output frames of 40 ms.
  CHECK(manifest.chunk_ms(8) == 160);
  CHECK(manifest.output_frames(8) == 4);
}

TEST_CASE("every key but two is required, and the message names it") {
  const auto lines = valid_manifest();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t begin = lines[i].find_first_not_of(' ');
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string::npos) continue;
    const std::string key = lines[i].substr(begin, colon - begin);
    if (key == "confidence" || key == "word_lead_ms") {
      const TemporaryDirectory directory;
      write_bundle(directory, without(lines, i));
      const Manifest manifest = load_manifest(directory.path());
      CHECK((key == "confidence" ? manifest.confidence_scale == 1.0F : manifest.word_lead_ms == 0));
      continue;
    }
    const std::string message = refusal(without(lines, i));
    INFO("without line " << i + 1 << " (" << key << "): " << message);
    CHECK(message.find(key) != std::string::npos);
    CHECK(message.find("model.yaml:") != std::string::npos);
  }
}

TEST_CASE("an unknown key is refused at every level, with its line") {
  for (const char* key : {"name", "sample_rate", "bins", "frames", "output_kind", "input", "kind"}) {
    auto lines = valid_manifest();
    const std::size_t at = line_of(lines, key);
    const std::string indent(lines[at].find_first_not_of(' '), ' ');
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), indent + "nonsense: 1");
    const std::string message = refusal(lines);
    INFO(message);
    CHECK(message.find("model.yaml:" + std::to_string(at + 1) + ":") != std::string::npos);
    CHECK(message.find("unknown key 'nonsense'") != std::string::npos);
    CHECK(message.find(key) != std::string::npos);  // the keys that are known are listed
  }
}

TEST_CASE("a bad value is refused with what was expected and what was found") {
  struct Row {
    const char* key;
    const char* value;
    const char* expected;  // a part of the message
    const char* found;
    std::size_t nth = 0;
  };
  const Row rows[] = {
      {"schema", "2", "expected 1", "'2'"},
      {"schema", "[1]", "expected 1", "a list of 1"},
      {"name", "''", "a text of one line", "none"},
      {"name", "[small]", "a text", "a list of 1"},
      {"name", "\"a\\nb\"", "a text of one line", "'a\\x0ab'"},
      {"version", "0", "from 1 to", "'0'"},
      {"version", "-1", "from 1 to", "'-1'"},
      {"version", "1.5", "a whole number", "'1.5'"},
      {"version", "'4'", "a whole number", "the text '4'"},
      {"version", "99999999999999999999999999", "a whole number", "'9999"},
      {"language", "en us", "BCP 47", "'en us'"},
      {"weights", "good", "trained | random", "'good'"},
      {"case", "Lower", "lower | upper | mixed", "'Lower'"},
      {"word_boundary", "''", "a text of one line", "none"},
      {"emission_offset_ms", "1e3", "a whole number", "'1e3'"},
      {"word_lead_ms", "-1", "from 0 to 1000", "'-1'"},
      {"confidence", "0.5", "a mapping", "'0.5'"},
      {"confidence", "{scale: 1}", "offset", "missing"},
      {"confidence", "{scale: 0, offset: 0}", "from 0.01 to 100", "'0'"},
      {"confidence", "{scale: 1, offset: -101}", "from -100 to 100", "'-101'"},
      {"features", "none", "a mapping", "'none'"},
      {"features", "{}", "sample_rate", "missing"},
      {"sample_rate", "44", "from 8000 to 48000", "'44'"},
      {"window_ms", "40", "at most fft (512)", "640 samples"},
      {"window_ms", "25.01", "a whole number of samples", "400.16"},
      {"window_ms", ".nan", "a number", "'.nan'"},
      {"window_ms", "nan", "a number", "'nan'"},
      {"window_ms", "inf", "a number", "'inf'"},
      {"window_ms", "1e999", "a number", "'1e999'"},
      {"hop_ms", "0", "a number from 1", "'0'"},
      {"hop_ms", "30", "at most window_ms (25)", "30"},
      {"hop_ms", "10.03", "a whole number of samples", "160.48"},
      {"fft", "1024", "512", "'1024'"},
      {"window", "blackman", "hann | hamming | povey", "'blackman'"},
      {"pre_emphasis", "1.5", "from 0 to 1", "'1.5'"},
      {"remove_dc", "yes", "true | false", "'yes'"},
      {"remove_dc", "'true'", "true | false", "the text 'true'"},
      {"input_scale", "2", "1 | 32768", "2"},
      {"spectrum", "energy", "power | magnitude", "'energy'"},
      {"bins", "0", "from 1 to 256", "'0'"},
      {"bins", "1000000", "from 1 to 256", "'1000000'"},
      {"scale", "bark", "htk | slaney", "'bark'"},
      {"triangles", "bark", "hz | mel", "'bark'"},
      {"norm", "area", "none | slaney", "'area'"},
      {"low_hz", "7600", "less than high_hz (7600)", "7600"},
      {"low_hz", "-1", "from 0 to 8000", "'-1'"},
      {"high_hz", "8001", "from 0 to 8000", "'8001'"},
      {"log", "log2", "ln | log10", "'log2'"},
      {"floor", "0", "a number from 1e-37", "'0'"},
      {"offset", "1e7", "from -1e+06 to 1e+06", "'1e7'"},
      {"scale", "0", "other than 0", "makes all features equal", 1},
      {"cmvn", "../secret", "a file of the bundle", "'../secret'"},
      {"edges", "reflect", "snip | centred", "'reflect'"},
      {"frames", "0", "from 1 to 16", "'0'"},
      {"stride", "17", "from 1 to 16", "'17'"},
      {"file", "net.pdmodel", ".xml or .onnx", "net"},
      {"file", "/etc/passwd.xml", ".xml or .onnx", "'/etc/passwd.xml'"},
      {"file", "other.xml", "'other.xml'", "no such key"},
      {"output_kind", "rnnt", "ctc", "'rnnt'"},
      {"output_frame_ms", "30", "multiples of output_frame_ms (30 ms)", "= 80 ms"},
      {"output_frame_ms", "0", "from 1 to", "'0'"},
      {"blank", "3", "less than 3", "3"},
      {"blank", "-1", "from 0", "'-1'"},
      {"chunks", "[]", "at least one", "none"},
      {"chunks", "[8, 4]", "rising", "[8, 4]"},
      {"chunks", "[8, 8]", "rising", "[8, 8]"},
      {"chunks", "[3, 8]", "multiples of output_frame_ms", "= 60 ms"},
      {"chunks", "[4, eight]", "whole numbers", "'eight'"},
      {"chunks", "8", "a list", "'8'"},
      {"default_chunk", "5", "one of chunks [4, 8, 16]", "5"},
      {"look_ahead", "-1", "from 0", "'-1'"},
      {"look_ahead", "4294967296", "from 0 to 4096", "'4294967296'"},
      {"tail_padding_ms", "true", "a whole number", "'true'"},
      {"input", "''", "the name of a tensor", "an empty text"},
      {"output", "[x]", "a text", "a list of 1"},
      {"counters", "position", "a list", "'position'"},
      {"counters", "[position]", "a mapping with the keys input", "'position'"},
      {"input", "features", "no other key names", "'features'", 1},
      {"input", "position", "no other key names", "'position'", 2},
      {"output", "tail_next", "no other key names", "'tail_next'", 2},
      {"states", "{}", "a list", "a mapping of 0 keys"},
      {"shape", "[]", "1 to 6 lengths", "0"},
      {"shape", "[1, 1, 1, 1, 1, 1, 1]", "1 to 6 lengths", "7"},
      {"shape", "[1, 0, 80]", "whole numbers from 1", "'0'"},
      {"shape", "[2, 2, 80]", "length 1 at the batch axis 0", "[2, 2, 80]"},
      {"shape", "[1, 1048576, 1048576]", "at most 67108864 elements", "more"},
      {"batch_axis", "3", "from 0 to 2", "'3'"},
      {"type", "bf16", "f32 | f16", "'bf16'"},
      {"initial", ".inf", "a number", "'.inf'"},
      {"initial", "70000", "from -65504 to 65504", "'70000'", 1},
      {"advance", "shift", "replace | ring", "'shift'"},
      {"advance", "ring", "the key axis", "none"},
      {"advance", "replace", "no axis", "0", 1},
      {"axis", "3", "from 0 to 2", "'3'"},
      {"axis", "1", "an axis other than batch_axis", "1 for both"},
      {"search", "ctc_greedy", "a mapping", "'ctc_greedy'"},
      {"kind", "beam", "ctc_greedy", "'beam'"},
      {"search", "{kind: ctc_greedy, lm: ../lm.bin}", "the name of a file", "'../lm.bin'"},
      {"files", "[net.xml]", "a mapping", "a list of 1"},
      {"files", "{}", "'tokens.txt'", "no such key"},
      {"net.xml", "abc", "SHA-256 of 64", "'abc'"},
      {"net.xml", "[]", "SHA-256 of 64", "a list of 0"},
  };
  for (const Row& row : rows) {
    const auto lines = with(valid_manifest(), row.key, row.value, row.nth);
    const std::string message = refusal(lines);
    INFO(std::string(row.key) << ": " << std::string(row.value) << " → " << message);
    CHECK(message.find(row.key) != std::string::npos);
    CHECK(message.find(row.expected) != std::string::npos);
    CHECK(message.find(row.found) != std::string::npos);
    CHECK(message.find("model.yaml:") != std::string::npos);
  }
}

TEST_CASE("a language model is listed as every file that is used") {
  const std::string message = refusal(with(valid_manifest(), "search", "{kind: ctc_greedy, lm: lm.bin}"));
  CHECK(message.find("files: expected the file 'lm.bin', which the manifest uses") != std::string::npos);
}

TEST_CASE("optional breadth: no states, no counters, quoted texts and comments are fine") {
  CHECK(refusal(with(valid_manifest(), "states", "[]")) == "");
  CHECK(refusal(with(valid_manifest(), "counters", "[]")) == "");
  CHECK(refusal(with(valid_manifest(), "name", "'a name'  # said so")) == "");
  CHECK(refusal(with(valid_manifest(), "notes", "''")) == "");
}

TEST_CASE("a directory that is missing, is a file or holds no manifest is not found") {
  const TemporaryDirectory directory;
  directory.write("file", "text");
  for (const std::string& path :
       {directory.path() + "/absent", directory.path() + "/file", directory.path(), std::string()}) {
    try {
      load_manifest(path);
      FAIL("accepted " << path);
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.code() == ErrorCode::kModelNotFound);
      CHECK(std::string(error.what()).find("holds model.yaml") != std::string::npos);
    }
  }
}

TEST_CASE("a path with a slash at its end is the same directory") {
  const TemporaryDirectory directory;
  write_bundle(directory, valid_manifest());
  CHECK(load_manifest(directory.path() + "/").directory == directory.path());
  CHECK(load_manifest(directory.path() + "/./").network.file == directory.path() + "/net.xml");
}

TEST_CASE("a cmvn file gives means and inverse deviations") {
  const TemporaryDirectory directory;
  auto lines = with(with(valid_manifest(), "bins", "2"), "cmvn", "cmvn.txt");
  // sha256sum of "1 2\n0.5 0.25\n"
  lines.push_back("  cmvn.txt: e282f6dddddd84723a2508adc2f4a15839e77e55bd9d4ee547c8a0c6bba025b0");
  write_bundle(directory, lines);
  directory.write("cmvn.txt", "1 2\n0.5 0.25\n");
  const Manifest manifest = load_manifest(directory.path());
  CHECK(manifest.features.cmvn_mean == std::vector<float>{1.0F, 2.0F});
  CHECK(manifest.features.cmvn_inverse_deviation == std::vector<float>{0.5F, 0.25F});

  directory.write("model.yaml", joined(with(lines, "bins", "3")));
  CHECK_THROWS_WITH_AS(load_manifest(directory.path()), doctest::Contains("expected 6 numbers"), Error);
}
