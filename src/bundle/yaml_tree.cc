#include "bundle/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "bundle/utf8.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxNodes = 100'000;

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& what) {
  throw Error(ErrorCode::kInvalidModel, file + ":" + std::to_string(line) + ": " + what);
}

/// Builds the tree from the parser's events and refuses what is outside the subset.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(make(mark, YamlNode::Kind::kNull));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(file_, line_of(mark), "expected a value, found an alias ('*'); write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    // The parser marks plain scalars with "?" and quoted ones with "!"; anything else was written as a tag.
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(mark, tag);
    YamlNode node = make(mark, YamlNode::Kind::kScalar);
    node.text = value;
    node.is_quoted = tag == "!";
    if (first_malformed_utf8(value) != value.size() || value.find('\0') != std::string::npos) {
      refuse(file_, node.line, "expected UTF-8 text, found " + in_quotes(value) + "; save the file as UTF-8");
    }
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kMapping);
  }
  void OnMapEnd() override { close(); }

 private:
  static std::size_t line_of(const YAML::Mark& mark) { return static_cast<std::size_t>(mark.line) + 1; }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      refuse(file_, line_of(mark), "expected a value, found an anchor ('&'); write each value out where it is used");
    }
  }
  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    refuse(file_, line_of(mark), "expected a value, found the tag " + in_quotes(tag) + "; remove the tag");
  }

  YamlNode make(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++nodes_ > kMaxNodes) {
      refuse(file_, line_of(mark), "expected at most " + std::to_string(kMaxNodes) + " values, found more");
    }
    YamlNode node;
    node.kind = kind;
    node.line = line_of(mark);
    return node;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(mark, tag);
    if (open_.size() >= kMaxDepth) {
      refuse(file_, line_of(mark), "expected at most " + std::to_string(kMaxDepth) + " levels, found more");
    }
    YamlNode node = make(mark, kind);
    if (expects_key()) refuse_key(node);
    open_.push_back(std::move(node));
    pending_key_.emplace_back();
    has_key_.push_back(false);
  }

  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    pending_key_.pop_back();
    has_key_.pop_back();
    add(std::move(node));
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().kind == YamlNode::Kind::kMapping && !has_key_.back();
  }

  [[noreturn]] void refuse_key(const YamlNode& node) const {
    refuse(file_, node.line, "expected a key, found " + node.describe());
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    if (expects_key()) {
      if (node.kind != YamlNode::Kind::kScalar) refuse_key(node);
      pending_key_.back() = std::move(node.text);
      has_key_.back() = true;
      return;
    }
    YamlNode& parent = open_.back();
    if (parent.kind == YamlNode::Kind::kMapping) {
      if (const YamlNode* first = parent.find(pending_key_.back())) {
        refuse(file_, node.line,
               "the key " + in_quotes(pending_key_.back()) + " is given twice, first in line " +
                   std::to_string(first->line) + "; remove one");
      }
      parent.keys.push_back(std::move(pending_key_.back()));
      has_key_.back() = false;
    }
    parent.children.push_back(std::move(node));
  }

  const std::string& file_;
  std::size_t nodes_ = 0;
  YamlNode root_;
  std::vector<YamlNode> open_;            // mappings and sequences that have begun, outermost first
  std::vector<std::string> pending_key_;  // of each of them: the key whose value comes next
  std::vector<bool> has_key_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const noexcept {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &children[static_cast<std::size_t>(found - keys.begin())];
}

std::string YamlNode::describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return is_quoted ? "the text " + in_quotes(text) : in_quotes(text);
    case Kind::kSequence:
      return "a list of " + std::to_string(children.size());
    case Kind::kMapping:
      break;
  }
  return "a mapping of " + std::to_string(children.size()) + " keys";
}

YamlNode parse_yaml(const std::string& text, const std::string& file, EmptyYaml empty) {
  TreeBuilder builder(file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      if (empty == EmptyYaml::kIsNull) return YamlNode{};
      refuse(file, 1, "expected a YAML document, found an empty file");
    }
    YamlNode root = builder.take_root();
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second)) {
      refuse(file, root.line, "expected one YAML document, found more; remove the line '---' and what follows");
    }
    return root;
  } catch (const YAML::Exception& fault) {
    const int line = fault.mark.is_null() ? 0 : fault.mark.line;
    refuse(file, static_cast<std::size_t>(line) + 1, "this is no YAML: " + fault.msg);
  }
}

}  // namespace cosyvoice
