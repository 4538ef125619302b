// SPDX-License-Identifier: Apache-2.0
#include "api/inventory/fleet_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/inventory/fleet_words.h"
#include "api/inventory/host_list.h"
#include "api/profile/yaml_message.h"

namespace rdmaready {
namespace {

using Entry = YamlNode::Entry;
using Kind = YamlNode::Kind;

const std::vector<std::string> kTopKeys{"profile", "site", "hosts", "racks", "rails", "groups"};
const std::vector<std::string> kGroupKeys{"profile", "hosts", "racks", "rails", "children"};
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz0123456789-._";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
constexpr std::size_t kLongestFleetWord = 64;
constexpr std::size_t kMostFleetGroups = 1000;

bool IsMadeOf(std::string_view word, std::string_view letters) {
  return !word.empty() && word.size() <= kLongestFleetWord &&
         word.find_first_not_of(letters) == std::string_view::npos;
}

class FleetFileReader {
 public:
  explicit FleetFileReader(std::string_view file) : file_(file) { words_.file = file_; }

  FleetWords Read(const YamlNode& root) && {
    ReadBody(root, "", kTopKeys);
    return std::move(words_);
  }

 private:
  void Fault(int line, std::string text) {
    words_.faults.push_back({.file = file_, .line = line, .text = std::move(text)});
  }

  void Wants(const YamlNode& node, std::string_view path, std::string_view wants) {
    Fault(node.line, fmt::format("key `{}` wants {}", path, wants));
  }

  // The top of the file, which is the group without a name, or a group.
  void ReadBody(const YamlNode& body, const std::string& name, const std::vector<std::string>& keys) {
    FleetGroup& group = words_.groups[name];
    group.line = body.line;
    const std::string path = name.empty() ? "" : fmt::format("groups.{}.", name);
    for (const Entry& entry : body.entries) {
      const std::string& key = entry.key;
      if (std::ranges::find(keys, key) == keys.end()) {
        const std::string close = ClosestWord(key, keys);
        Fault(entry.line,
              fmt::format("unknown key `{}`{}{}", key, name.empty() ? "" : fmt::format(" in `groups.{}`", name),
                          close.empty() ? "" : fmt::format(" (did you mean `{}`?)", close)));
      } else if (entry.value.kind == Kind::kNull) {
        Fault(entry.line, fmt::format("key `{}{}` has no value", path, key));
      } else if (key == "hosts") {
        ReadHosts(entry.value, path + key, name, "");
      } else if (key == "racks") {
        for (const Entry& rack : EntriesOf(entry.value, path + key, "hosts by rack, like {r1: [node1]}")) {
          CheckWord(rack, "rack", kLetters);
          words_.racks.insert(rack.key);
          ReadHosts(rack.value, fmt::format("{}racks.{}", path, rack.key), name, rack.key);
        }
      } else if (key == "profile" || key == "site") {
        ReadProfiles(entry, path + key, group.profiles);
      } else if (key == "rails") {
        ReadRails(entry, path + key, group.rails);
      } else if (key == "children") {
        for (const YamlNode& child : TextsOf(entry.value, path + key, "a list of groups, like [archive]"))
          group.children.emplace_back(child.text, child.line);
      } else {
        ReadGroups(entry.value);
      }
    }
  }

  void ReadGroups(const YamlNode& node) {
    if (node.entries.size() > kMostFleetGroups)
      return Fault(node.line, fmt::format("more than {} groups", kMostFleetGroups));
    for (const Entry& entry : EntriesOf(node, "groups", "groups by name, like {storage: {hosts: [node1]}}")) {
      CheckWord(entry, "group", kLetters);
      if (entry.value.kind == Kind::kMap) {
        ReadBody(entry.value, entry.key, kGroupKeys);
        words_.groups[entry.key].line = entry.line;
      } else {
        Fault(entry.line,
              fmt::format("key `groups.{}` wants some of {}", entry.key, fmt::join(kGroupKeys, ", ")));
      }
    }
  }

  void CheckWord(const Entry& entry, std::string_view what, std::string_view letters) {
    if (IsMadeOf(entry.key, letters)) return;
    Fault(entry.line, fmt::format("the name of a {} is at most {} of {}a-z 0-9 - . _", what, kLongestFleetWord,
                                  letters == kLetters ? "A-Z " : ""));
  }

  const std::vector<Entry>& EntriesOf(const YamlNode& node, std::string_view path, std::string_view wants) {
    if (node.kind != Kind::kMap) Wants(node, path, wants);
    return node.entries;
  }

  // Those items that are text.
  std::vector<YamlNode> TextsOf(const YamlNode& node, std::string_view path, std::string_view wants) {
    if (node.kind != Kind::kList) Wants(node, path, wants);
    std::vector<YamlNode> texts;
    for (const YamlNode& item : node.items) {
      if (item.kind == Kind::kScalar) {
        texts.push_back(item);
      } else {
        Wants(item, path, wants);
      }
    }
    return texts;
  }

  void ReadHosts(const YamlNode& node, const std::string& path, const std::string& group,
                 const std::string& rack) {
    if (full_) return;
    for (const YamlNode& item :
         TextsOf(node, path, "a list of hosts, each in quotes, like [\"node[001-128]\"]")) {
      absl::StatusOr<std::vector<std::string>> names = ExpandHosts(item.text);
      if (!names.ok()) {
        Fault(item.line, Message(names.status()));
        continue;
      }
      if (words_.mentions.size() + names->size() >
          2 * kMostInventoryHosts) {  // once in `hosts`, once in `racks`
        full_ = true;
        return Fault(item.line, fmt::format("more than {} hosts", kMostInventoryHosts));
      }
      for (std::string& name : *names) words_.mentions.push_back({std::move(name), item.line, group, rack});
    }
  }

  void ReadProfiles(const Entry& entry, const std::string& path, SaidProfiles& profiles) {
    if (profiles.line != 0)
      return Fault(entry.line,
                   fmt::format("key `{}`: `profile` and `site` exclude each other: a site file says "
                               "which hosts follow what",
                               path));
    profiles.line = entry.line;
    const YamlNode& node = entry.value;
    if (node.kind == Kind::kScalar) {
      profiles.value.push_back(ProfileBeside(file_, node.text));
    } else if (entry.key == "site") {
      Wants(node, path, "the path of a site file");
    } else {
      for (const YamlNode& item : TextsOf(node, path, "a profile, or a list of them"))
        profiles.value.push_back(ProfileBeside(file_, item.text));
    }
    const bool empty = profiles.value.empty() || profiles.value.front().empty();
    if (empty) Fault(entry.line, fmt::format("key `{}` names no file", path));
  }

  void ReadRails(const Entry& entry, const std::string& path, SaidRails& rails) {
    rails.line = entry.line;
    for (const Entry& rail : EntriesOf(entry.value, path, "ports by rail, like {a: [{subnet: 10.1.0.0/16}]}")) {
      CheckWord(rail, "rail", kLower);
      rails.value.push_back({.name = rail.key, .ports = ReadPorts(rail.value, file_, words_.faults)});
    }
  }

  std::string file_;
  FleetWords words_{};
  bool full_ = false;  // what follows is not even expanded
};

// "GROUP: {hosts: {...}, vars: {...}, children: {...}}", or nothing.
bool IsGroupOfAnsible(const Entry& entry) {
  const auto known = [](const Entry& member) {
    const bool maps = member.value.kind == Kind::kMap || member.value.kind == Kind::kNull;
    return maps && (member.key == "hosts" || member.key == "vars" || member.key == "children");
  };
  return entry.value.kind == Kind::kNull ||
         (entry.value.kind == Kind::kMap && std::ranges::all_of(entry.value.entries, known));
}

}  // namespace

bool IsFleetFile(const YamlNode& root) {
  if (root.kind != Kind::kMap || std::ranges::all_of(root.entries, IsGroupOfAnsible)) return false;
  return std::ranges::any_of(root.entries, [](const Entry& entry) {
    return std::ranges::find(kTopKeys, entry.key) != kTopKeys.end() ||
           !ClosestWord(entry.key, kTopKeys).empty();
  });
}

absl::StatusOr<Inventory> ReadFleetFile(const YamlNode& root, std::string_view file_name,
                                        const InventoryPart& part) {
  return HostsOf(FleetFileReader(file_name).Read(root), part);
}

}  // namespace rdmaready
