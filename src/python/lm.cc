// The language model, for the package's own tools.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>
#include <vector>

#include "cosyvoice/engine.h"
#include "lm/build.h"
#include "lm/language_model.h"
#include "python/bindings.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace cosyvoice::python {
namespace {

using lm::LanguageModel;

const char* name_of(lm::Unit unit) {
  return unit == lm::Unit::kToken ? "token" : "word";
}

lm::Unit parse_unit(const std::string& name) {
  if (name == "word") return lm::Unit::kWord;
  if (name == "token") return lm::Unit::kToken;
  throw Error(ErrorCode::kInvalidArgument, "unit is '" + name + "'; it must be one of word, token");
}

nb::dict to_dict(const lm::Facts& facts) {
  nb::dict row;
  row["order"] = facts.order;
  row["ngrams"] = std::vector<std::uint64_t>(facts.ngrams.begin(), facts.ngrams.begin() + facts.order);
  row["unit"] = name_of(facts.unit);
  row["tokens_sha256"] = facts.tokens_sha256;
  row["quantised"] = facts.quantised;
  row["unknown_missing"] = facts.unknown_missing;
  row["bytes"] = facts.bytes;
  return row;
}

/// A binary file's read(), which must outlive it: the GIL is taken for each piece alone.
lm::TextSource source_of(const nb::callable& read) {
  return [&read](char* to, std::size_t size) {
    const nb::gil_scoped_acquire gil;
    const nb::bytes piece = nb::cast<nb::bytes>(read(size));
    if (piece.size() > size) throw Error(ErrorCode::kInvalidArgument, "read() gave more bytes than were asked for");
    std::memcpy(to, piece.c_str(), piece.size());
    return piece.size();
  };
}

nb::dict build(const nb::callable& read, const std::string& name, const std::string& out, bool quantise,
               const std::string& unit, const std::string& tokens) {
  lm::BuildOptions options;
  options.quantise = quantise;
  options.unit = parse_unit(unit);
  options.tokens_path = tokens;
  lm::Facts facts;
  {
    const nb::gil_scoped_release nogil;
    facts = lm::build(source_of(read), name, out, options);
  }
  return to_dict(facts);
}

nb::list score_sentence(const LanguageModel& model, const std::vector<std::string>& words) {
  nb::list rows;
  lm::State state = model.begin();
  for (const std::string& word : words) {
    const lm::WordId id = model.find(word);
    const float score = model.score(state, id, state);
    rows.append(nb::make_tuple(score, id != lm::kUnknown));
  }
  rows.append(nb::make_tuple(model.end(state), true));
  return rows;
}

}  // namespace

void bind_lm(nb::module_& module) {
  nb::class_<LanguageModel>(module, "LanguageModel", "A compiled n-gram model, mapped.")
      .def_static(
          "open",
          [](const std::string& path) { return std::const_pointer_cast<LanguageModel>(LanguageModel::open(path)); },
          "path"_a, "Maps a model without reading it whole.")
      .def(
          "facts", [](const LanguageModel& model) { return to_dict(model.facts()); },
          nb::sig("def facts(self) -> dict[str, typing.Any]"), "What the file says of itself.")
      .def("verify", &LanguageModel::verify, nb::call_guard<nb::gil_scoped_release>(),
           "Whether the file is what was written, by its SHA-256; reads all of it.")
      .def("words", &LanguageModel::words, "How many words it has, <unk>, <s> and </s> among them.")
      .def("word", &LanguageModel::word, "id"_a, "The text of a word, '' beyond the last.")
      .def("find", &LanguageModel::find, "word"_a, "A word's id; 0 where it is unknown.")
      .def("score_sentence", &score_sentence, "words"_a,
           nb::sig("def score_sentence(self, words: collections.abc.Sequence[str]) -> list[tuple[float, bool]]"),
           "log10 P of each word after those before it, and whether the model has it; last, the sentence's end.");
  module.def("build_language_model", &build, "read"_a, "name"_a, "out"_a, "quantise"_a, "unit"_a, "tokens"_a,
             nb::sig("def build_language_model(read: collections.abc.Callable[[int], bytes], name: str, out: str, "
                     "quantise: bool, unit: str, tokens: str) -> dict[str, typing.Any]"),
             "Compiles an ARPA file, which `read` gives in pieces and messages call `name`; the new file's facts.");
}

}  // namespace cosyvoice::python
