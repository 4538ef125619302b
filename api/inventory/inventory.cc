// SPDX-License-Identifier: Apache-2.0
#include "api/inventory/inventory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/base/status.h"
#include "api/inventory/ansible_ranges.h"
#include "api/inventory/fleet_file.h"
#include "api/inventory/host_list.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {
namespace {

constexpr std::string_view kInventoryBlank = " \t\r";

std::string_view Stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kInventoryBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kInventoryBlank) - first + 1);
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

struct NumberedLine {
  int number = 0;
  std::string_view text{};  // without blanks around it
};

std::vector<NumberedLine> LinesOf(std::string_view text) {
  std::vector<NumberedLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back({number, Stripped(text.substr(0, end))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Without a comment at its end; "#" within a word is part of it, as in Ansible's files.
std::string_view WithoutComment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at > 0 && kInventoryBlank.find(line[at - 1]) != std::string_view::npos)
      return Stripped(line.substr(0, at));
  }
  return Stripped(line);
}

// "[GROUP]", "[GROUP:KIND]". An address of IPv6 is neither.
struct Head {
  std::string group{};
  std::string kind{};  // "", "children", "vars"
};
std::optional<Head> HeadOf(std::string_view line) {
  if (!line.starts_with('[') || !line.ends_with(']')) return std::nullopt;
  const std::string_view inside = line.substr(1, line.size() - 2);
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  const std::string_view kind = inside.substr(std::min(colon + 1, inside.size()));
  if (!IsWord(inside.substr(0, colon)) || (colon < inside.size() && kind != "children" && kind != "vars"))
    return std::nullopt;
  return Head{.group = std::string(inside.substr(0, colon)), .kind = std::string(kind)};
}

absl::StatusOr<std::vector<std::string>> ExpandAnsible(std::string_view pattern, const std::string& place) {
  absl::StatusOr<std::vector<std::string>> names = ExpandAnsibleHosts(pattern);
  if (!names.ok()) return absl::InvalidArgumentError(place + Message(names.status()));
  return names;
}

absl::Status TooMany(const std::string& place) {
  return absl::InvalidArgumentError(fmt::format("{}more than {} hosts", place, kMostInventoryHosts));
}

// Ansible's groups: a group's hosts, and the groups below it.
class Groups {
 public:
  struct Group {
    std::vector<std::string> hosts{};
    std::vector<std::string> children{};
  };

  Group& Of(const std::string& name) { return groups_[name]; }

  bool Has(const std::string& name) const { return groups_.contains(name); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, members] : groups_) names.push_back(name);
    return names;
  }

  absl::Status AddHosts(const std::string& group, const std::string& pattern, const std::string& address,
                        const std::string& place) {
    if (address.find("{{") != std::string::npos)
      return absl::InvalidArgumentError(place + "ansible_host is a template: nothing is evaluated here");
    RR_ASSIGN_OR_RETURN(const std::vector<std::string> names, ExpandAnsible(pattern, place));
    if (order_.size() + names.size() > 2 * kMostInventoryHosts) return TooMany(place);  // some may be known
    for (const std::string& name : names) {
      const auto [host, fresh] = hosts_.emplace(name, ListedHost{.name = name, .place = place});
      if (fresh) order_.push_back(name);
      if (order_.size() > kMostInventoryHosts) return TooMany(place);
      if (!address.empty()) host->second = {.name = address, .place = place};
      groups_[group].hosts.push_back(name);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<ListedHost>> Chosen(const std::vector<std::string>& wanted,
                                                 std::string_view file) const {
    std::set<std::string> names;
    for (const std::string& group : wanted) {
      if (group != "all" && !Has(group))
        return absl::InvalidArgumentError(
            fmt::format("inventory {} has no group '{}'; there are {}", file, group,
                        groups_.empty() ? "none" : fmt::format("{}", fmt::join(Names(), ", "))));
      std::set<std::string> seen;
      Collect(group, seen, names);
    }
    std::vector<ListedHost> chosen;
    for (const std::string& name : order_) {
      const bool all = wanted.empty() || std::ranges::find(wanted, "all") != wanted.end();
      if (all || names.contains(name)) chosen.push_back(hosts_.at(name));
    }
    return chosen;
  }

 private:
  // `seen` ends the walk where a group is below itself.
  void Collect(const std::string& name, std::set<std::string>& seen, std::set<std::string>& names) const {
    const auto group = groups_.find(name);
    if (group == groups_.end() || !seen.insert(name).second) return;
    names.insert(group->second.hosts.begin(), group->second.hosts.end());
    for (const std::string& child : group->second.children) Collect(child, seen, names);
  }

  std::map<std::string, Group> groups_;
  std::map<std::string, ListedHost> hosts_;
  std::vector<std::string> order_;
};

// The value of ansible_host among "a=1 ansible_host='x' b=2".
std::string AddressAmong(std::string_view words) {
  constexpr std::string_view kKey = "ansible_host=";
  std::size_t at = words.find(kKey);
  while (at != std::string_view::npos && at > 0 &&
         kInventoryBlank.find(words[at - 1]) == std::string_view::npos)
    at = words.find(kKey, at + 1);
  if (at == std::string_view::npos) return {};
  std::string_view value = words.substr(at + kKey.size());
  if (value.starts_with('"') || value.starts_with('\'')) {
    const std::size_t end = value.find(value.front(), 1);
    return std::string(value.substr(1, end == std::string_view::npos ? end : end - 1));
  }
  return std::string(value.substr(0, value.find_first_of(kInventoryBlank)));
}

// A line of "[PARENT:children]".
struct Child {
  int line = 0;
  std::string name{};
  std::string parent{};
};

// A child may stand before the section that defines it, so this is asked at the end of the file. A slip in a
// name would leave hosts out of the fleet that is judged. `ungrouped` is always there.
absl::Status CheckChildren(const std::vector<Child>& children, const Groups& groups, std::string_view file) {
  for (const Child& child : children) {
    if (groups.Has(child.name) || child.name == "ungrouped") continue;
    const std::string nearest = ClosestWord(child.name, groups.Names());
    return absl::InvalidArgumentError(fmt::format("{}:{}: group {} of [{}:children] is not in the inventory{}",
                                                  file, child.line, child.name, child.parent,
                                                  nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Groups> ParseIni(std::string_view text, std::string_view file) {
  Groups groups;
  std::vector<Child> children;
  Head head{.group = "ungrouped"};
  for (const NumberedLine& line : LinesOf(text)) {
    const std::string_view said = WithoutComment(line.text);
    if (said.empty() || said.starts_with('#') || said.starts_with(';')) continue;
    if (std::optional<Head> next = HeadOf(said)) {
      head = *std::move(next);
      if (head.kind != "vars") groups.Of(head.group);  // variables alone define no group
      continue;
    }
    if (head.kind == "vars") continue;
    const std::size_t end = std::min(said.find_first_of(kInventoryBlank), said.size());
    const std::string word(said.substr(0, end));
    if (head.kind == "children") {
      children.push_back({line.number, word, head.group});
      groups.Of(head.group).children.push_back(word);
      continue;
    }
    RR_RETURN_IF_ERROR(groups.AddHosts(head.group, word, AddressAmong(said.substr(end)),
                                       fmt::format("{}:{}: ", file, line.number)));
  }
  RR_RETURN_IF_ERROR(CheckChildren(children, groups, file));
  return groups;
}

absl::Status AddYamlGroup(const std::string& name, const YamlNode& node, std::string_view file,
                          Groups& groups) {
  const auto wrong = [&](int line, std::string_view what) {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}: {} of group {} is not what Ansible has there", file, line, what, name));
  };
  groups.Of(name);
  if (node.kind == YamlNode::Kind::kNull) return absl::OkStatus();
  if (node.kind != YamlNode::Kind::kMap) return wrong(node.line, "the value");
  for (const YamlNode::Entry& entry : node.entries) {
    const YamlNode& value = entry.value;
    if (entry.key == "vars" || value.kind == YamlNode::Kind::kNull) continue;
    if (value.kind != YamlNode::Kind::kMap) return wrong(entry.line, entry.key);
    for (const YamlNode::Entry& member : value.entries) {
      if (entry.key == "children") {
        groups.Of(name).children.push_back(member.key);
        RR_RETURN_IF_ERROR(AddYamlGroup(member.key, member.value, file, groups));
        continue;
      }
      if (entry.key != "hosts") return wrong(entry.line, entry.key);
      const auto& variables = member.value.entries;
      const auto address = std::ranges::find(variables, "ansible_host", &YamlNode::Entry::key);
      RR_RETURN_IF_ERROR(groups.AddHosts(name, member.key,
                                         address == variables.end() ? "" : address->value.text,
                                         fmt::format("{}:{}: ", file, member.line)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Groups> AnsibleGroups(const YamlNode& root, std::string_view file) {
  Groups groups;
  if (root.kind != YamlNode::Kind::kMap)
    return absl::InvalidArgumentError(
        fmt::format("inventory {}: groups are expected, as Ansible writes them", file));
  for (const YamlNode::Entry& entry : root.entries) {
    RR_RETURN_IF_ERROR(AddYamlGroup(entry.key, entry.value, file, groups));
  }
  return groups;
}

absl::StatusOr<std::vector<ListedHost>> ParseLines(std::string_view text, std::string_view file) {
  std::vector<ListedHost> hosts;
  for (const NumberedLine& line : LinesOf(text)) {
    const std::string_view said = Stripped(line.text.substr(0, line.text.find('#')));
    if (said.empty()) continue;
    const std::string place = fmt::format("{}:{}: ", file, line.number);
    const absl::StatusOr<std::vector<std::string>> names = ExpandHosts(said);
    if (!names.ok()) return absl::InvalidArgumentError(place + Message(names.status()));
    if (hosts.size() + names->size() > kMostInventoryHosts) return TooMany(place);
    for (const std::string& name : *names) hosts.push_back({.name = name, .place = place});
  }
  return hosts;
}

// The first line that says something.
std::string_view FirstLine(std::string_view text) {
  for (const NumberedLine& line : LinesOf(text)) {
    if (!line.text.empty() && !line.text.starts_with('#')) return line.text;
  }
  return {};
}

// A name as a key of YAML has it, with or without quotes.
std::string_view Unquoted(std::string_view text) {
  const bool quoted =
      text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Whether a file that begins so is YAML. "name:port" of a plain list has no blank after its colon.
bool BeginsYaml(std::string_view first) {
  const std::string_view said = WithoutComment(first);
  if (said == "---" || said.starts_with('{')) return true;
  const std::size_t colon = said.find(':');
  if (colon == std::string_view::npos || !IsWord(Unquoted(Stripped(said.substr(0, colon))))) return false;
  const std::string_view value = said.substr(colon + 1);
  return value.empty() || kInventoryBlank.find(value.front()) != std::string_view::npos;
}

absl::StatusOr<YamlNode> YamlOf(std::string_view text, std::string_view file) {
  constexpr YamlLimits kLimits{.what = "inventory", .bytes = kMostInventoryBytes, .keys = kMostInventoryHosts};
  std::vector<YamlFault> faults;
  std::optional<YamlNode> root = ParseYaml(text, file, faults, kLimits);
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  return root ? *std::move(root) : YamlNode{};
}

// Standard input has no name.
bool MayBeFleetFile(std::string_view file) {
  return file == "-" || file.ends_with(".yaml") || file.ends_with(".yml");
}

bool HasSections(std::string_view text) {
  return std::ranges::any_of(
      LinesOf(text), [](const NumberedLine& line) { return HeadOf(WithoutComment(line.text)).has_value(); });
}

}  // namespace

absl::StatusOr<Inventory> ParseInventory(std::string_view text, std::string_view file_name,
                                         const InventoryPart& part) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // editors of other systems begin a file so
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.starts_with("#!"))
    return absl::InvalidArgumentError(fmt::format(
        "inventory {} is a program: nothing is run here; give what it prints as a file", file_name));
  const std::string_view first = FirstLine(text);
  if (first.starts_with("$ANSIBLE_VAULT"))
    return absl::InvalidArgumentError(fmt::format(
        "inventory {} is encrypted by ansible-vault: give it decrypted, on standard input for instance",
        file_name));
  std::optional<YamlNode> yaml;
  if (BeginsYaml(first)) {
    RR_ASSIGN_OR_RETURN(yaml, YamlOf(text, file_name));
    if (IsFleetFile(*yaml)) {
      if (MayBeFleetFile(file_name)) return ReadFleetFile(*yaml, file_name, part);
      return absl::InvalidArgumentError(fmt::format(
          "inventory {} has groups of our own form, which is read where its name ends in .yaml or .yml",
          file_name));
    }
  }
  if (!part.racks.empty())
    return absl::InvalidArgumentError(
        fmt::format("--rack: inventory {} has no racks: only our own form of YAML has", file_name));
  if (yaml || HasSections(text)) {
    RR_ASSIGN_OR_RETURN(const Groups found, yaml ? AnsibleGroups(*yaml, file_name) : ParseIni(text, file_name));
    RR_ASSIGN_OR_RETURN(std::vector<ListedHost> hosts, found.Chosen(part.groups, file_name));
    return Inventory{.hosts = std::move(hosts)};
  }
  if (!part.groups.empty())
    return absl::InvalidArgumentError(
        fmt::format("--group: inventory {} has no groups, only lines", file_name));
  RR_ASSIGN_OR_RETURN(std::vector<ListedHost> hosts, ParseLines(text, file_name));
  return Inventory{.hosts = std::move(hosts)};
}

}  // namespace rdmaready
