#include "lm/build.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "bundle/sha256.h"
#include "bundle/tokens.h"
#include "bundle/utf8.h"
#include "cosyvoice/engine.h"
#include "lm/arpa.h"
#include "lm/complete.h"
#include "lm/write.h"

namespace cosyvoice::lm {
namespace {

void check(const BuildOptions& options) {
  if (options.unit == Unit::kToken && options.tokens_path.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "the unit is token, but no tokens.txt is named; name that of the bundle whose pieces these are");
  }
  if (options.unit == Unit::kWord && !options.tokens_path.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "the unit is word, but " + options.tokens_path +
                                                 " is named; words do not depend on pieces, leave it out, or is "
                                                 "the unit token?");
  }
}

/// A model of other pieces would never be asked for most of its words.
void check_pieces(const Ngrams& model, const std::string& name, const std::string& tokens_path) {
  const std::vector<std::string> tokens = read_tokens(tokens_path);
  const std::unordered_set<std::string> pieces(tokens.begin(), tokens.end());
  for (WordId id = 1; id < model.words.size(); ++id) {
    if (id == model.begin_word || id == model.end_word || pieces.count(model.words[id]) != 0) continue;
    throw Error(ErrorCode::kInvalidModel, name + ": expected pieces of " + tokens_path + ", found " +
                                              in_quotes(model.words[id]) +
                                              "; is it a model of words, or of another bundle's pieces?");
  }
}

}  // namespace

Facts build(TextSource source, const std::string& name, const std::string& out, const BuildOptions& options) {
  check(options);
  Ngrams model = read_arpa(std::move(source), name);
  if (options.unit == Unit::kToken) check_pieces(model, name, options.tokens_path);
  complete(model, name);
  write(model, out, options);
  return LanguageModel::open(out)->facts();
}

}  // namespace cosyvoice::lm
