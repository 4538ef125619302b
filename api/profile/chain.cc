// SPDX-License-Identifier: Apache-2.0
#include "api/profile/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "api/profile/waivers.h"
#include "api/profile/yaml_message.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using Entries = std::vector<YamlNode::Entry>;

constexpr std::string_view kNotInherited[] = {"name", "summary"};

void StampSource(YamlNode& node, int source) {
  node.source = source;
  for (YamlNode& item : node.items) StampSource(item, source);
  for (YamlNode::Entry& entry : node.entries) {
    entry.source = source;
    StampSource(entry.value, source);
  }
}

const YamlNode::Entry* Find(const YamlNode& map, std::string_view key) {
  const auto found = std::ranges::find(map.entries, key, &YamlNode::Entry::key);
  return found == map.entries.end() ? nullptr : &*found;
}

void Merge(const YamlNode& child, YamlNode& onto) {
  for (const YamlNode::Entry& entry : child.entries) {
    const auto found = std::ranges::find(onto.entries, entry.key, &YamlNode::Entry::key);
    if (found == onto.entries.end()) {
      onto.entries.push_back(entry);
    } else if (found->value.kind == YamlNode::Kind::kMap && entry.value.kind == YamlNode::Kind::kMap) {
      Merge(entry.value, found->value);
      found->line = entry.line;
      found->source = entry.source;
    } else {
      *found = entry;
    }
  }
}

// True when there was such a key: "cnp.priority".
bool TakeAway(YamlNode& map, std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto found = std::ranges::find(map.entries, path.substr(0, dot), &YamlNode::Entry::key);
  if (found == map.entries.end()) return false;
  if (dot != std::string_view::npos) return TakeAway(found->value, path.substr(dot + 1));
  map.entries.erase(found);
  return true;
}

const YamlNode* ValueAt(const YamlNode& map, std::string_view key) {
  const YamlNode::Entry* entry = map.kind == YamlNode::Kind::kMap ? Find(map, key) : nullptr;
  return entry == nullptr ? nullptr : &entry->value;
}

// Each of the two priorities in the place of the other.
void Swap(const std::string& a, const std::string& b, const YamlNode::Entry& why, YamlNode::Entry& priorities) {
  bool changed = false;
  for (YamlNode& item : priorities.value.items) {
    const bool is_a = item.text == a;
    if (!is_a && item.text != b) continue;
    item.text = is_a ? b : a;
    changed = true;
  }
  if (!changed) return;
  std::ranges::sort(priorities.value.items, {}, &YamlNode::text);  // of one digit each
  priorities.source = why.source;
  priorities.line = why.line;
}

// A file that gives RDMA another priority, and names no classes, keeps the classes that it inherits: RDMA's
// with its new priority, and the one that has lost this priority with RDMA's old one.
void MoveRdmaClass(const YamlNode& child, YamlNode& base) {
  const YamlNode::Entry* wanted = child.kind == YamlNode::Kind::kMap ? Find(child, "rdma_priority") : nullptr;
  const YamlNode* now = ValueAt(base, "rdma_priority");
  if (wanted == nullptr || now == nullptr || wanted->value.kind != YamlNode::Kind::kScalar) return;
  if (const YamlNode* own = ValueAt(child, "ets"); own != nullptr && ValueAt(*own, "classes") != nullptr)
    return;
  const auto ets = std::ranges::find(base.entries, "ets", &YamlNode::Entry::key);
  if (ets == base.entries.end()) return;
  const auto classes = std::ranges::find(ets->value.entries, "classes", &YamlNode::Entry::key);
  if (classes == ets->value.entries.end()) return;
  for (YamlNode& one : classes->value.items) {
    const auto priorities = std::ranges::find(one.entries, "priorities", &YamlNode::Entry::key);
    if (priorities != one.entries.end()) Swap(now->text, wanted->value.text, *wanted, *priorities);
  }
}

std::vector<std::string> KeysOf(const YamlNode& map, const std::string& prefix = {}) {
  std::vector<std::string> keys;
  for (const YamlNode::Entry& entry : map.entries) {
    keys.push_back(prefix + entry.key);
    std::ranges::move(KeysOf(entry.value, prefix + entry.key + "."), std::back_inserter(keys));
  }
  return keys;
}

// One profile as it was named: a built-in, or a file.
struct Source {
  std::string file{};      // as errors say it
  std::string identity{};  // the same for every way to name it
  std::string text{};
  std::string folder{};  // what relative paths start from; of a file
};

std::string IdentityOf(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

class Reader {
 public:
  Reader(Extendable extendable, std::vector<YamlFault>& faults) : extendable_(extendable), faults_(faults) {}

  ProfileChain Read(Source first) {
    ProfileChain chain;
    chain.readable = true;
    std::vector<YamlNode> trees;
    std::optional<Source> next = std::move(first);
    while (next) {
      identities_.push_back(next->identity);
      way_ += (way_.empty() ? "" : " -> ") + next->file;
      chain.files.push_back(next->file);
      chain.texts.push_back(next->text);
      std::optional<YamlNode> tree = ParseYaml(next->text, next->file, faults_);
      if (tree && !trees.empty() && tree->kind != YamlNode::Kind::kMap) {
        faults_.push_back({.file = next->file, .line = 1, .text = "not a mapping of keys to values"});
        tree.reset();
      }
      if (!tree) {
        chain.readable = false;
        break;
      }
      StampSource(*tree, static_cast<int>(chain.files.size()) - 1);
      if (!TakeWaivers(*tree, *next, chain)) chain.readable = false;
      trees.push_back(*std::move(tree));
      next = Extended(trees.back(), *next, chain);
    }
    Join(trees, chain);
    return chain;
  }

 private:
  void Fault(const std::string& file, int line, std::string_view key, std::string text) {
    faults_.push_back({.file = file,
                       .line = line,
                       .key = std::string(key),
                       .text = "key `" + std::string(key) + "`" + std::move(text)});
  }

  // What the profile of `tree` extends; nothing at the end of the chain or when it cannot be had.
  std::optional<Source> Extended(const YamlNode& tree, const Source& from, ProfileChain& chain) {
    const YamlNode::Entry* key = Find(tree, kExtendsKey);
    if (key == nullptr) return std::nullopt;
    const auto refuse = [&](std::string why) {
      Fault(from.file, key->line, kExtendsKey, std::move(why));
      chain.readable = false;
      return std::nullopt;
    };
    if (key->value.kind != YamlNode::Kind::kScalar || key->value.text.empty())
      return refuse(" wants the name of a built-in profile or the path of a file");
    absl::StatusOr<Source> found = Open(key->value.text, from);
    if (!found.ok()) return refuse(": " + Message(found.status()));
    const std::string way = way_ + " -> " + found->file;
    if (std::ranges::find(identities_, found->identity) != identities_.end())
      return refuse(": a circle: " + way);
    if (identities_.size() >= kMaxChain)
      return refuse(fmt::format(": more than {} profiles in a row: {}", kMaxChain, way));
    return *std::move(found);
  }

  // Puts the list of the file that `waivers` names in the place of its name. False when it cannot be had.
  bool TakeWaivers(YamlNode& tree, const Source& from, ProfileChain& chain) {
    const auto key = std::ranges::find(tree.entries, kWaiversKey, &YamlNode::Entry::key);
    if (key == tree.entries.end() || key->value.kind != YamlNode::Kind::kScalar) return true;
    const auto refuse = [&](std::string why) {
      Fault(from.file, key->line, kWaiversKey, std::move(why));
      tree.entries.erase(key);
      return false;
    };
    if (key->value.text.empty()) return refuse(" wants a list, or the path of a file that has one");
    if (extendable_ == Extendable::kBuiltIns || from.identity.starts_with("built in: "))
      return refuse(": only a profile that is a file itself names another");
    const std::string path = (fs::path(from.folder) / key->value.text).string();
    absl::StatusOr<std::string> text = ReadProfileFile(path);
    if (!text.ok()) return refuse(": " + Message(text.status()));
    std::optional<YamlNode> file = ParseYaml(*text, path, faults_);
    chain.files.push_back(path);
    chain.texts.push_back(*std::move(text));
    if (!file || !HoldsWaivers(*file, path, faults_)) {
      tree.entries.erase(key);
      return false;
    }
    StampSource(*file, static_cast<int>(chain.files.size()) - 1);
    *key = std::move(file->entries.front());
    return true;
  }

  absl::StatusOr<Source> Open(const std::string& name, const Source& from) const {
    const std::string_view built_in = BuiltInProfileText(name);
    if (!built_in.empty())
      return Source{.file = name + ".yaml", .identity = "built in: " + name, .text = std::string(built_in)};
    if (extendable_ == Extendable::kBuiltIns || from.identity.starts_with("built in: ")) {
      return absl::NotFoundError(Message(NoSuchProfile(name)) + ", by a profile that is a file itself");
    }
    const std::string path = (fs::path(from.folder) / name).string();
    std::error_code error;
    if (!LooksLikeAPath(name) && !fs::exists(path, error)) return NoSuchProfile(name);
    RR_ASSIGN_OR_RETURN(std::string text, ReadProfileFile(path));
    return Source{.file = path,
                  .identity = IdentityOf(path),
                  .text = std::move(text),
                  .folder = fs::path(path).parent_path().string()};
  }

  // From the end of the chain to its beginning.
  void Join(std::vector<YamlNode>& trees, ProfileChain& chain) {
    while (!trees.empty()) {
      YamlNode child = std::move(trees.back());
      trees.pop_back();
      const bool extends = Find(child, kExtendsKey) != nullptr;
      for (const std::string_view key : kNotInherited) TakeAway(chain.root, key);
      ApplyWithout(child, extends, chain);
      TakeAway(child, kExtendsKey);
      TakeAway(child, kWithoutKey);
      if (chain.root.kind == YamlNode::Kind::kMap && child.kind == YamlNode::Kind::kMap) {
        MoveRdmaClass(child, chain.root);
        Merge(child, chain.root);
      } else {
        chain.root = std::move(child);
      }
    }
  }

  void ApplyWithout(const YamlNode& child, bool extends, ProfileChain& chain) {
    const YamlNode::Entry* key = Find(child, kWithoutKey);
    if (key == nullptr) return;
    const std::string& file = chain.files[static_cast<std::size_t>(key->source)];
    if (!extends)
      return Fault(file, key->line, kWithoutKey, " takes keys from what is extended, and nothing is");
    if (key->value.kind != YamlNode::Kind::kList)
      return Fault(file, key->line, kWithoutKey, " wants a list of keys, like [tos]");
    for (const YamlNode& item : key->value.items) {
      if (item.kind != YamlNode::Kind::kScalar) {
        Fault(file, item.line, kWithoutKey, " wants a list of keys, like [tos]");
        continue;
      }
      const std::vector<std::string> keys = KeysOf(chain.root);
      if (TakeAway(chain.root, item.text) || !chain.readable) continue;
      const std::string close = ClosestWord(item.text, keys);
      Fault(file, item.line, kWithoutKey,
            ": what is extended does not say `" + item.text.substr(0, 60) + "`" +
                (close.empty() ? "" : " (did you mean `" + close + "`?)"));
    }
  }

  Extendable extendable_;
  std::vector<YamlFault>& faults_;
  std::vector<std::string> identities_{};
  std::string way_{};  // "a.yaml -> b.yaml": the profiles so far
};

}  // namespace

ProfileChain ReadChain(std::string_view yaml, std::string_view file_name, Extendable extendable,
                       std::vector<YamlFault>& faults) {
  Source first{.file = std::string(file_name), .identity = std::string(file_name), .text = std::string(yaml)};
  if (extendable == Extendable::kBuiltInsAndFiles) {
    first.identity = IdentityOf(first.file);
    first.folder = fs::path(first.file).parent_path().string();
  }
  return Reader(extendable, faults).Read(std::move(first));
}

absl::StatusOr<std::string> ReadProfileFile(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) return absl::NotFoundError("read profile " + path + ": " + error.message());
  if (!fs::is_regular_file(status))
    return absl::InvalidArgumentError("read profile " + path + ": not a regular file");
  std::ifstream file(path, std::ios::binary);
  // One byte more than allowed, so that the parser sees what is too large.
  std::string text(kMaxYamlBytes + 1, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof()) {
    return absl::PermissionDeniedError("read profile " + path + ": cannot be read");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace rdmaready
