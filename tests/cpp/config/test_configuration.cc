#include "config/configuration.h"

#include <doctest/doctest.h>

#include <string>

#include "bundle/embedded_bundles.h"

namespace cosyvoice {
namespace {

const std::string kDirectory = "/etc/cosyvoice";

Configuration parse(const std::string& text, const Environment& environment = {}) {
  return parse_configuration(text, "c.yaml", kDirectory, environment);
}

/// Checks what is said of a text that is no good.
void check_fault(const std::string& text, const char* message, const Environment& environment = {}) {
  CAPTURE(text);
  ErrorCode code = ErrorCode::kOk;
  std::string said;
  try {
    parse(text, environment);
  } catch (const Error& error) {
    code = error.code();
    said = error.what();
  }
  CAPTURE(said);
  CHECK(code == ErrorCode::kInvalidConfig);
  CHECK(said.find(message) != std::string::npos);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const char* const kWhole = R"(# every key
model: {path: my-model, chunk_ms: 160, precision: int8}
engine: {max_stream: 3, batch_size: 4, max_batch_ms: 12.5, close_timeout: 7}
machine: {workers: 2, cpus: '0-1', simd: baseline, huge_pages: true}
endpoint: {partial_timeout: 900, max_utterance: 8000, idle_timeout: 100}
back_pressure: {policy: reject, block_timeout: 1, ring_bytes: 8192, fifo_bytes: 131072}
logging: {level: error}
)";

}  // namespace

TEST_CASE("a file that sets every key") {
  const EngineOptions options = parse(kWhole).options;
  CHECK(options.model_path == "/etc/cosyvoice/my-model");
  CHECK(options.chunk_ms == 160);
  CHECK(options.precision == Precision::kInt8);
  CHECK(options.max_stream == 3);
  CHECK(options.batch_size == 4);
  CHECK(options.max_batch_ms == 12.5);
  CHECK(options.close_timeout_ms == 7);
  CHECK(options.workers == 2);
  CHECK(options.cpus == "0-1");
  CHECK(options.simd == Simd::kBaseline);
  CHECK(options.huge_pages);
  CHECK(options.partial_timeout_ms == 900);
  CHECK(options.max_utterance_ms == 8000);
  CHECK(options.idle_timeout_ms == 100);
  CHECK(options.back_pressure == BackPressure::kReject);
  CHECK(options.block_timeout_ms == 1);
  CHECK(options.ring_bytes == 8192);
  CHECK(options.fifo_bytes == 131072);
  CHECK(options.log_level == LogLevel::kError);
}

TEST_CASE("what a file leaves out keeps its default") {
  const EngineOptions defaults;
  for (const char* text : {"", "# nothing\n", "---\n", "engine:\n", "engine: {}\nlogging:\n"}) {
    CAPTURE(text);
    const EngineOptions options = parse(text).options;
    CHECK(options.max_stream == defaults.max_stream);
    CHECK(options.model_path.empty());
    CHECK(options.partial_timeout_ms == 2800);
  }
}

TEST_CASE("where a relative model lies") {
  CHECK(parse("model: {path: ../m}").options.model_path == "/etc/m");
  CHECK(parse("model: {path: /opt/m}").options.model_path == "/opt/m");
  CHECK(parse("model: {path: ''}").options.model_path.empty());
  set_embedded_bundles(std::string(COSYVOICE_SOURCE_DIR) + "/python/cosyvoice/models");
  CHECK(parse("model: {path: en-lite}").options.model_path == "en-lite");
  CHECK(resolve_bundle("en-lite") == std::string(COSYVOICE_SOURCE_DIR) + "/python/cosyvoice/models/en-lite");
  CHECK(resolve_bundle("") == resolve_bundle("en"));
  CHECK(resolve_bundle("./en") == "./en");
  CHECK_FALSE(is_embedded_bundle(".."));
  CHECK_FALSE(is_embedded_bundle("en/../en"));
  CHECK(embedded_bundles() == std::vector<std::string>{"en", "en-lite"});
  set_embedded_bundles("/nowhere");
  CHECK(embedded_bundles().empty());
  CHECK(resolve_bundle("en-lite") == "en-lite");
  set_embedded_bundles("");
}

TEST_CASE("the environment wins over the file") {
  const Configuration configuration = parse(
      "engine: {max_stream: 3}\nlogging: {level: debug}",
      {{"COSYVOICE_ENGINE_MAX_STREAM", "5"}, {"COSYVOICE_BACK_PRESSURE_POLICY", "reject"}, {"COSYVOICE_HOME", "/"}});
  CHECK(configuration.options.max_stream == 5);
  CHECK(configuration.options.back_pressure == BackPressure::kReject);
  CHECK(configuration.options.log_level == LogLevel::kDebug);
  const std::string text = to_yaml(configuration);
  CHECK(contains(text, "  max_stream: 5  # COSYVOICE_ENGINE_MAX_STREAM\n"));
  CHECK(contains(text, "  level: debug  # line 2 of c.yaml\n"));
  CHECK(contains(text, "  batch_size: 16\n"));
}

TEST_CASE("a printed configuration reads back as the same") {
  const Configuration first = parse(kWhole);
  const Configuration again = parse(to_yaml(first));
  for (const ConfigKey& key : config_schema()) {
    CAPTURE(key.path());
    CHECK(key.value_of(again.options) == key.value_of(first.options));
  }
  Configuration odd = parse("model: {path: \"/it's a 'model': #1\"}");
  CHECK(parse(to_yaml(odd)).options.model_path == "/it's a 'model': #1");
}

TEST_CASE("every fault says where, what was expected, what was found and what to do") {
  struct Row {
    const char* text;
    const char* message;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"engine: {max_stream: 0}",
            "c.yaml:1: engine.max_stream: expected a whole number from 1 to 65536 sessions, found '0'; correct it, or "
            "remove the line for the default, 128"},
           {"engine:\n  max_stream: 1.5", "c.yaml:2: engine.max_stream: expected a whole number"},
           {"engine: {max_stream: '64'}", "found the text '64'"},
           {"engine: {max_stream: 99999999999999999999}", "found '99999999999999999999'"},
           {"engine: {max_stream: -1}", "found '-1'"},
           {"engine: {max_stream: 0x10}", "found '0x10'"},
           {"engine: {max_stream: }", "found nothing"},
           {"engine: {max_stream: {a: 1}}", "found a mapping of 1 keys"},
           {"engine: {max_batch_ms: nan}", "found 'nan'"},
           {"engine: {max_batch_ms: inf}", "found 'inf'"},
           {"engine: [1]", "c.yaml:1: engine: expected a mapping with some of max_stream | batch_size"},
           {"engine: {max_streams: 1}", "unknown key 'max_streams', expected one of max_stream | batch_size"},
           {"engine: {partial_timeout: 1}", "is 'partial_timeout' of the section 'endpoint'; move it there"},
           {"logging: {log_level: info}", "is 'level' of the section 'logging'; move it there"},
           {"max_stream: 1", "stands alone; write it as 'max_stream' under 'engine:'"},
           {"engin: {}", "unknown section 'engin', expected one of model | engine | machine"},
           {"- 1", "expected sections"},
           {"engine: {max_stream: 1}\nengine: {}", "c.yaml:2: the key 'engine' is given twice, first in line 1"},
           {"a: b: c", "c.yaml:1: this is no YAML"},
           {"back_pressure: {ring_bytes: 5000}", "found '5000', the next is 8192"},
           {"back_pressure: {policy: drop}", "expected block | reject, found 'drop'"},
           {"machine: {huge_pages: yes}", "expected true | false, found 'yes'"},
           {"machine: {cpus: 3-1}", "machine.cpus: cpus = '3-1': the range 3-1 goes down"},
           {"model: {path: \"a\\nb\"}", "model.path: expected a text"},
       }) {
    check_fault(row.text, row.message);
  }
}

TEST_CASE("faults of the environment") {
  check_fault("", "environment variable COSYVOICE_ENGINE_MAX_STREAM: engine.max_stream: expected a whole number",
              {{"COSYVOICE_ENGINE_MAX_STREAM", ""}});
  check_fault("", "expected one of max_stream | batch_size", {{"COSYVOICE_ENGINE_STREAMS", "1"}});
  check_fault("", "after COSYVOICE_BACK_PRESSURE_", {{"COSYVOICE_BACK_PRESSURE_X", "1"}});
  check_fault("", "is not UTF-8", {{"COSYVOICE_MODEL_PATH", "\xff"}});
}

TEST_CASE("a file that cannot be read") {
  CHECK_THROWS_WITH_AS(load_configuration("/nowhere/c.yaml", {}),
                       doctest::Contains("/nowhere/c.yaml: cannot be opened"), Error);
  CHECK_THROWS_WITH_AS(load_configuration("/", {}), doctest::Contains("is it a file?"), Error);
}

TEST_CASE("the schema names each key, option and variable once") {
  const auto& schema = config_schema();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    CHECK_FALSE(schema[i].effect.empty());
    CHECK_FALSE(section_effect(schema[i].section).empty());
    for (std::size_t j = 0; j < i; ++j) {
      CHECK(schema[i].path() != schema[j].path());
      CHECK(schema[i].option != schema[j].option);
      CHECK(schema[i].environment_name() != schema[j].environment_name());
      // The keys of a section follow each other.
      if (schema[i].section == schema[j].section) CHECK(schema[i].section == schema[i - 1].section);
    }
  }
}

}  // namespace cosyvoice
