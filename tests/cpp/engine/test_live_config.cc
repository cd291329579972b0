// Dictionaries and configurations that change while sessions run.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/pipeline_fixture.h"
#include "support/temporary_directory.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

/// A folder with a configuration and two dictionaries.
class Folder {
 public:
  Folder() {
    files_.write("one.yaml", "words:\n  One: a\n");
    files_.write("two.yaml", "words:\n  Two Two: a\n");
    files_.write("bad.yaml", "words: [a\n");
    configure("one.yaml", 1);
  }
  std::string path(const std::string& name) const { return files_.path() + "/" + name; }
  void write(const std::string& text) const { files_.replace("engine.yaml", text); }
  void configure(const std::string& dictionary, int version, const std::string& more = "") const {
    write("dictionary: {path: " + dictionary + ", version: " + std::to_string(version) + "}\n" + more);
  }
  EngineOptions options() const {
    EngineOptions options = tone_options();
    options.config_file = path("engine.yaml");
    options.dictionary = path("one.yaml");
    return options;
  }

 private:
  TemporaryDirectory files_;
};

const std::vector<std::int16_t> kWord = join({tone(0, 200), silence(1200)});  // its final comes by silence

}  // namespace

TEST_CASE("live configuration: a session's next utterance has the new dictionary, the open one keeps the old") {
  const Folder folder;
  TonePipeline pipeline(folder.options());
  const SessionId sid = pipeline->open_session({});
  pipeline.feed(sid, kWord);
  CHECK(pipeline.next_lasting(sid).text == "One");
  pipeline.feed(sid, tone(0, 640));
  while (pipeline.next_event(sid).text != "One") {
  }
  pipeline->live_config->swap_dictionary(folder.path("two.yaml"));
  pipeline.feed(sid, silence(1200));
  CHECK(pipeline.next_lasting(sid).text == "One");
  pipeline.feed(sid, kWord);
  const Seen final = pipeline.next_lasting(sid);
  CHECK(final.text == "Two Two");
  CHECK(final.words.size() == 2);
  pipeline->live_config->swap_dictionary("");
  pipeline.feed(sid, kWord);
  CHECK(pipeline.next_lasting(sid).text == "a");
}

TEST_CASE("live configuration: a risen version in the file switches, anything else leaves what was there") {
  const Folder folder;
  TonePipeline pipeline(folder.options());
  const auto heard = [&] { return pipeline.transcribe(kWord).front().text; };
  CHECK(heard() == "One");
  CHECK(pipeline->stats().dictionary_swaps == 1);

  folder.configure("two.yaml", 2);
  wait_for([&] { return pipeline->stats().dictionary_swaps == 2; });
  CHECK(heard() == "Two Two");

  folder.configure("bad.yaml", 3);
  wait_for([&] { return pipeline->stats().config_failures == 1; });
  folder.write("dictionary: [\n");
  wait_for([&] { return pipeline->stats().config_failures == 2; });
  folder.configure("one.yaml", 1);  // refused: lower
  folder.configure("one.yaml", 2);  // refused: the same
  CHECK(heard() == "Two Two");

  folder.configure("one.yaml", 3, "engine: {max_stream: 3}\n");
  wait_for([&] { return pipeline->stats().dictionary_swaps == 3; });
  CHECK(heard() == "One");
  CHECK(pipeline->options.max_stream == tone_options().max_stream);
}

TEST_CASE("live configuration: many switches under many sessions, nothing lost") {
  const Folder folder;
  EngineOptions options = tone_options(16);
  options.dictionary = folder.path("one.yaml");
  TonePipeline pipeline(options);
  Drainer drainer(pipeline);
  std::vector<SessionId> sids;
  for (int i = 0; i < 16; ++i) sids.push_back(pipeline->open_session({}));
  for (int round = 0; round < 20; ++round) {
    for (const SessionId sid : sids) pipeline.feed(sid, kWord);
    pipeline->live_config->swap_dictionary(folder.path(round % 2 == 0 ? "two.yaml" : "one.yaml"));
  }
  pipeline->close();
  const Drainer::Events events = drainer.join();
  REQUIRE(events.size() == sids.size());
  for (const auto& [sid, seen] : events) {
    std::size_t finals = 0;
    for (const Seen& event : seen) {
      if (event.type != EventType::kFinal || event.text.empty()) continue;
      ++finals;
      const bool known = event.text == "One" || event.text == "Two Two";
      CHECK(known);
    }
    CHECK(finals == 20);
  }
  const Stats stats = pipeline->stats();
  CHECK(stats.accepted_samples == stats.decoded_samples);
}

TEST_CASE("live configuration: a dictionary that cannot be read refuses the engine") {
  const Folder folder;
  EngineOptions options = tone_options();
  options.dictionary = folder.path("bad.yaml");
  CHECK_THROWS_AS(TonePipeline{options}, Error);
}
