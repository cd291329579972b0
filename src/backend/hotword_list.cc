#include "backend/hotword_list.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bundle/text_file.h"
#include "bundle/utf8.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} * 1024 * 1024;

std::vector<PhraseAutomaton::Symbol> pattern(const Hotword& hotword, const Spelling& spelling) {
  std::string text = spelling.apply(hotword.phrase);
  if (spelling.has_words && !text.empty()) text = ' ' + text + ' ';
  std::vector<PhraseAutomaton::Symbol> symbols;
  symbols.reserve(text.size());
  for (const char c : text) symbols.push_back(static_cast<unsigned char>(c));
  return symbols;
}

std::vector<std::vector<PhraseAutomaton::Symbol>> patterns(const std::vector<Hotword>& hotwords,
                                                           const Spelling& spelling) {
  std::vector<std::vector<PhraseAutomaton::Symbol>> all;
  for (const Hotword& hotword : hotwords) {
    auto symbols = pattern(hotword, spelling);
    if (!symbols.empty()) all.push_back(std::move(symbols));
  }
  return all;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, what);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

HotwordList::HotwordList(const std::vector<Hotword>& hotwords, const Spelling& spelling)
    : automaton_(patterns(hotwords, spelling)), worth_(automaton_.states()) {
  const std::uint32_t lead = spelling.has_words ? 1 : 0;
  for (const Hotword& hotword : hotwords) {
    const auto symbols = pattern(hotword, spelling);
    if (symbols.empty()) continue;
    const auto length = static_cast<float>(symbols.size() - lead);
    State state = PhraseAutomaton::kRoot;
    for (std::uint32_t read = 1; read < symbols.size(); ++read) {
      state = automaton_.child(state, symbols[read - 1]);
      float& share = worth_[state].share;
      share = std::max(share, hotword.boost * static_cast<float>(read - lead) / length);
    }
    float& boost = worth_[automaton_.child(state, symbols.back())].boost;
    boost = std::max(boost, hotword.boost);
    highest_boost_ = std::max(highest_boost_, hotword.boost);
  }
  for (State state = 1; state < automaton_.states(); ++state) {
    const Worth& shorter = worth_[automaton_.fallback(state)];
    worth_[state].share = std::max(worth_[state].share, shorter.share);
    worth_[state].boost = std::max(worth_[state].boost, shorter.boost);
  }
  if (spelling.has_words) start_ = automaton_.step(PhraseAutomaton::kRoot, ' ');
}

HotwordList::State HotwordList::read(State state, std::string_view text, float& earned) const noexcept {
  for (const char c : text) {
    state = automaton_.step(state, static_cast<unsigned char>(c));
    earned += worth_[state].boost;
  }
  return state;
}

void validate(const std::vector<Hotword>& hotwords) {
  if (hotwords.size() > kMaxHotwords) {
    refuse("there are " + std::to_string(hotwords.size()) + " hotwords, but one list holds " +
           std::to_string(kMaxHotwords) + "; leave out those that matter least");
  }
  for (const Hotword& hotword : hotwords) {
    const std::string name = "hotword " + in_quotes(hotword.phrase);
    if (is_blank(hotword.phrase)) refuse(name + " has no text; leave it out");
    if (first_malformed_utf8(hotword.phrase) != hotword.phrase.size()) refuse(name + " is not UTF-8; encode it so");
    if (hotword.phrase.size() > kMaxHotwordBytes) {
      refuse(name + " has " + std::to_string(hotword.phrase.size()) + " bytes, but " +
             std::to_string(kMaxHotwordBytes) + " are allowed; name the words in it that are missed");
    }
    if (!std::isfinite(hotword.boost) || hotword.boost <= 0.0F || hotword.boost > kHighestBoost) {
      refuse("the boost of " + name + " is " + std::to_string(hotword.boost) +
             ", but it must be above 0 and at most 50; begin with 5");
    }
  }
}

std::vector<Hotword> read_hotwords(const std::string& path, float boost) {
  const std::string text = read_text_file(path, kMaxFileBytes);
  std::vector<Hotword> hotwords;
  std::size_t line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++line_number;
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (is_blank(line) || line.front() == '#') continue;
    const std::size_t tab = line.find('\t');
    Hotword hotword{std::string(line.substr(0, tab)), boost};
    if (tab != std::string_view::npos) {
      const std::string_view number = line.substr(tab + 1);
      const auto [stop, fault] = std::from_chars(number.data(), number.data() + number.size(), hotword.boost);
      if (fault != std::errc{} || stop != number.data() + number.size()) {
        refuse(path + ":" + std::to_string(line_number) + ": " + in_quotes(number) +
               " is no boost; write a phrase, a tab, and a number above 0 or nothing");
      }
    }
    try {
      validate({hotword});
    } catch (const Error& error) {
      refuse(path + ":" + std::to_string(line_number) + ": " + error.what());
    }
    hotwords.push_back(std::move(hotword));
  }
  validate(hotwords);
  return hotwords;
}

}  // namespace cosyvoice
