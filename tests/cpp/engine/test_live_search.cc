// Language models and hotwords that change while sessions run, by a call and by the configuration file.
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "lm/build.h"
#include "support/pipeline_fixture.h"
#include "support/temporary_directory.h"

using namespace cosyvoice;
using namespace cosyvoice::testing;

namespace {

/// Language models so sure of their word that it is heard whatever is said.
class Folder {
 public:
  Folder() {
    for (const char word : {'b', 'c'}) compile(std::string(1, word) + ".bin", word);
    files_.write("cut.bin", whole("b.bin").substr(0, 200));
    std::string damaged = whole("b.bin");
    damaged[damaged.size() - 9] = static_cast<char>(damaged[damaged.size() - 9] ^ 1);
    files_.write("damaged.bin", damaged);
    files_.write("d.txt", "d\n");
    files_.write("bad.txt", "d\tloud\n");
  }
  std::string path(const std::string& name) const { return files_.path() + "/" + name; }
  void configure(const std::string& search, const std::string& more = "") const {
    files_.replace("engine.yaml", "search: {" + search + "}\n" + more);
  }
  /// Of the file, with a search that looks at every word.
  EngineOptions options() const {
    EngineOptions options = tone_options();
    options.token_threshold = options.score_threshold = 100;
    options.lm_weight = 10;
    return options;
  }

 private:
  std::string whole(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void compile(const std::string& name, char word) const {
    std::string arpa = "\\data\\\nngram 1=11\n\n\\1-grams:\n-99\t<s>\n-0.1\t</s>\n-9\t<unk>\n";
    for (char each = 'a'; each <= 'h'; ++each) {
      arpa += std::string(each == word ? "-0.1" : "-6") + "\t" + each + "\n";
    }
    arpa += "\n\\end\\\n";
    std::string_view rest = arpa;
    lm::build(
        [&rest](char* to, std::size_t size) {
          const std::size_t count = std::min(size, rest.size());
          std::memcpy(to, rest.data(), count);
          rest.remove_prefix(count);
          return count;
        },
        name, path(name), {});
  }

  TemporaryDirectory files_;
};

const std::vector<std::int16_t> kWord = join({tone(0, 200), silence(1200)});  // its final comes by silence

std::string heard(TonePipeline& pipeline) {
  return pipeline.transcribe(kWord).front().text;
}

}  // namespace

TEST_CASE(
    "swap_lm: the next utterance has the new model, an open one keeps its own; what cannot be used changes nothing") {
  const Folder folder;
  TonePipeline pipeline(folder.options());
  CHECK(heard(pipeline) == "a");
  const SessionId sid = pipeline->open_session({});
  pipeline->live_config->swap_lm(folder.path("b.bin"));
  pipeline.feed(sid, join({tone(0, 200), silence(440)}));
  while (pipeline.next_event(sid).type != EventType::kPartial) {
  }
  pipeline->live_config->swap_lm(folder.path("c.bin"));
  pipeline.feed(sid, silence(1200));
  CHECK(pipeline.next_lasting(sid).text == "b");
  pipeline.feed(sid, kWord);
  CHECK(pipeline.next_lasting(sid).text == "c");

  for (const char* name : {"cut.bin", "damaged.bin", "none.bin"}) {
    CHECK_THROWS_AS(pipeline->live_config->swap_lm(folder.path(name)), Error);
  }
  CHECK(heard(pipeline) == "c");
  CHECK(pipeline->stats().search_swaps == 2);
  pipeline->live_config->swap_lm(kNoLm);
  CHECK(heard(pipeline) == "a");
}

TEST_CASE(
    "search.version: language model, hotwords and weights are switched together, and a bad file leaves all three") {
  const Folder folder;
  const std::string thresholds = "token_threshold: 100, score_threshold: 100, ";
  folder.configure(thresholds + "lm_weight: 10, lm: b.bin, version: 1");
  EngineOptions options = folder.options();
  options.config_file = folder.path("engine.yaml");
  options.lm = folder.path("b.bin");
  TonePipeline pipeline(options);
  CHECK(heard(pipeline) == "b");

  folder.configure(thresholds + "lm_weight: 0.01, word_bonus: 0, lm: c.bin, version: 2");
  wait_for([&] { return pipeline->stats().search_swaps == 1; });
  CHECK(heard(pipeline) == "a");
  folder.configure(thresholds + "hotwords: d.txt, hotword_boost: 40, version: 3");
  wait_for([&] { return pipeline->stats().search_swaps == 2; });
  const std::string text = heard(pipeline);
  CHECK(text.find('d') != std::string::npos);

  std::uint64_t failures = 0;
  for (const char* bad : {"lm: damaged.bin, lm_weight: 9", "lm: b.bin, hotwords: bad.txt", "lm: none.bin"}) {
    folder.configure(thresholds + bad + ", version: 4");
    ++failures;
    wait_for([&] { return pipeline->stats().config_failures == failures; });
    CHECK(heard(pipeline) == text);
  }
  folder.configure(thresholds + "version: 5");
  wait_for([&] { return pipeline->stats().search_swaps == 3; });
  CHECK(heard(pipeline) == "a");
}

TEST_CASE("language models switched all the time under many sessions: nothing lost") {
  const Folder folder;
  EngineOptions options = folder.options();
  options.max_stream = 16;
  TonePipeline pipeline(options);
  Drainer drainer(pipeline);
  std::vector<SessionId> sids;
  for (int i = 0; i < 16; ++i) sids.push_back(pipeline->open_session({}));
  for (int round = 0; round < 20; ++round) {
    for (const SessionId sid : sids) pipeline.feed(sid, kWord);
    pipeline->live_config->swap_lm(round % 3 == 2 ? kNoLm : folder.path(round % 3 == 0 ? "b.bin" : "c.bin"));
  }
  pipeline->close();
  const Drainer::Events events = drainer.join();
  REQUIRE(events.size() == sids.size());
  for (const auto& [sid, seen] : events) {
    std::size_t finals = 0;
    for (const Seen& event : seen) finals += event.type == EventType::kFinal && !event.text.empty() ? 1 : 0;
    CHECK(finals == 20);
  }
  const Stats stats = pipeline->stats();
  CHECK(stats.accepted_samples == stats.decoded_samples);
  CHECK(stats.search_swaps == 20);
}

TEST_CASE("a session's own hotwords outlive a switch") {
  const Folder folder;
  TonePipeline pipeline(folder.options());
  SessionOptions session;
  session.hotwords = {{"e", 40.0F}};
  const SessionId sid = pipeline->open_session(session);
  pipeline->live_config->swap_lm(folder.path("b.bin"));
  pipeline->live_config->swap_lm(kNoLm);
  pipeline.feed(sid, kWord);
  CHECK(pipeline.next_lasting(sid).text.find('e') != std::string::npos);
}
