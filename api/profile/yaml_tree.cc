// SPDX-License-Identifier: Apache-2.0
#include "api/profile/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace rdmaready {
namespace {

struct Problem {
  int line = 0;
  std::string text{};
};

struct Repeated {
  std::string key{};
  Problem problem{};
};

// Builds the tree from yaml-cpp's events. The first problem wins; what follows it is not looked at any more. A
// key that is there twice is the one thing that does not stop it.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const YamlLimits& limits) : limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) Reject(mark, fmt::format("a second document: one file holds one {}", limits_.what));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(mark, "", anchor, YamlNode::Kind::kNull, "");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Reject(mark, "aliases (*name) are not used here");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (open_.empty() || open_.back().node.kind != YamlNode::Kind::kMap || open_.back().has_key) {
      Add(mark, tag, anchor, YamlNode::Kind::kScalar, value);
    } else if (Accept(mark, tag, anchor)) {
      TakeKey(mark, value);
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

  const std::optional<Problem>& problem() const { return problem_; }
  const std::vector<Repeated>& repeated() const { return repeated_; }
  int documents() const { return documents_; }
  YamlNode Take() { return std::move(root_); }

 private:
  struct Level {
    YamlNode node;
    bool has_key = false;                             // a map's key was read, its value was not
    bool is_repeated = false;                         // and the key was there before: its value is dropped
    std::map<std::string, int, std::less<>> lines{};  // of each key
  };

  void Reject(const YAML::Mark& mark, std::string text) {
    if (!problem_) problem_ = Problem{.line = mark.line + 1, .text = std::move(text)};
  }

  bool Accept(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) Reject(mark, "anchors (&name) are not used here");
    if (!tag.empty() && tag != "?" && tag != "!") Reject(mark, "tags (!type) are not used here");
    return !problem_;
  }

  void TakeKey(const YAML::Mark& mark, const std::string& key) {
    std::vector<YamlNode::Entry>& entries = open_.back().node.entries;
    const auto [first, fresh] = open_.back().lines.emplace(key, mark.line + 1);
    open_.back().has_key = true;
    open_.back().is_repeated = !fresh;
    if (entries.size() + repeated_.size() >= limits_.keys) return Reject(mark, "too many keys");
    if (fresh) {
      entries.push_back({.key = key, .line = mark.line + 1});
      return;
    }
    std::string text = fmt::format("key `{}` is there twice, first in line {}", key, first->second);
    repeated_.push_back({.key = key, .problem = {.line = mark.line + 1, .text = std::move(text)}});
  }

  void Add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind,
           const std::string& text) {
    if (problem_ || !Accept(mark, tag, anchor)) return;
    Place(mark.line + 1,
          {.kind = kind, .line = mark.line + 1, .quoted = tag == "!", .text = text, .entries = {}});
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (problem_ || !Accept(mark, tag == "!" ? "" : tag, anchor)) return;
    if (open_.size() >= kMaxYamlDepth) return Reject(mark, "nested too deeply");
    if (!open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap && !open_.back().has_key) {
      return Reject(mark, "a key must be plain text");
    }
    open_.push_back({.node = {.kind = kind, .line = mark.line + 1, .entries = {}}});
  }

  void Close() {
    if (problem_ || open_.empty()) return;
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    const int line = node.line;
    Place(line, std::move(node));
  }

  // Where the finished node belongs: a list's item, a key's value, or the document itself.
  void Place(int line, YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      if (!parent.is_repeated) parent.node.entries.back().value = std::move(node);
      parent.has_key = false;
    } else {
      problem_ = Problem{.line = line, .text = "a key must be plain text"};
    }
  }

  YamlLimits limits_;
  std::vector<Level> open_{};
  YamlNode root_{};
  int documents_ = 0;
  std::optional<Problem> problem_{};
  std::vector<Repeated> repeated_{};
};

// Length of the UTF-8 sequence at the front; 0 for none. Overlong forms and surrogates are left to be
// harmless text.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  const std::size_t length = byte < 0x80   ? 1
                             : byte < 0xc2 ? 0
                             : byte < 0xe0 ? 2
                             : byte < 0xf0 ? 3
                             : byte < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::optional<Problem> FindBadText(std::string_view text) {
  int line = 1;
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) return Problem{.line = line, .text = "not UTF-8 text"};
    const auto byte = static_cast<unsigned char>(text.front());
    if (byte == '\n') ++line;
    if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7f) {
      return Problem{.line = line, .text = "a control character: not a text file"};
    }
    text.remove_prefix(length);
  }
  return std::nullopt;
}

// yaml-cpp throws; this is the edge where that ends.
std::optional<Problem> Parse(const std::string& text, Builder& builder) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (!builder.problem() && builder.documents() < 2 && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    return Problem{.line = error.mark.line + 1, .text = "not YAML: " + error.msg};
  } catch (const std::exception& error) {
    return Problem{.line = 1, .text = std::string("not YAML: ") + error.what()};
  }
  return std::nullopt;
}

}  // namespace

std::string YamlFault::Line() const { return fmt::format("{}:{}: {}", file, std::max(line, 1), text); }

std::optional<YamlNode> ParseYaml(std::string_view text, std::string_view file_name,
                                  std::vector<YamlFault>& faults, const YamlLimits& limits) {
  const auto unreadable = [&](int line, std::string why) {
    faults.push_back({.file = std::string(file_name), .line = std::max(line, 1), .text = std::move(why)});
    return std::nullopt;
  };
  if (text.size() > limits.bytes)
    return unreadable(1, fmt::format("larger than {} KiB: not a {}", limits.bytes / 1024, limits.what));
  if (const std::optional<Problem> bad = FindBadText(text)) return unreadable(bad->line, bad->text);
  Builder builder(limits);
  const std::optional<Problem> thrown = Parse(std::string(text), builder);
  for (const Repeated& twice : builder.repeated()) {
    faults.push_back({.file = std::string(file_name),
                      .line = twice.problem.line,
                      .key = twice.key,
                      .text = twice.problem.text});
  }
  // Our own reason is the better one: it came first, and yaml-cpp may only have stumbled over what followed.
  if (builder.problem()) return unreadable(builder.problem()->line, builder.problem()->text);
  if (thrown) return unreadable(thrown->line, thrown->text);
  return builder.Take();
}

}  // namespace rdmaready
