// SPDX-License-Identifier: Apache-2.0
#include "collectors/setting_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "collectors/lines.h"
#include "collectors/setting_commands.h"

namespace rdmaready {
namespace {

using SettingLines = std::vector<std::string>;

constexpr std::string_view kIfcfg = "ifcfg-";

std::string_view NameOfFile(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view PlainText(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\"'";
  const std::size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

// The two sides of the first `sign`; both empty where the line has none.
std::pair<std::string_view, std::string_view> Parted(std::string_view line, char sign) {
  const std::size_t at = line.find(sign);
  if (at == std::string_view::npos) return {};
  return {PlainText(line.substr(0, at)), PlainText(line.substr(at + 1))};
}

bool IsPlainNumber(std::string_view text) {
  constexpr std::size_t kMostDigits = 10;
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}
std::string NumberText(std::string_view text) {
  return IsPlainNumber(text) ? std::string(text) : std::string("*");
}

bool IsPlainName(std::string_view text) {
  constexpr std::size_t kMostBytes = 32;
  return !text.empty() && text.size() <= kMostBytes && std::ranges::all_of(text, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
           std::string_view("_-.").find(one) != std::string_view::npos;
  });
}
std::string NameText(std::string_view text) { return IsPlainName(text) ? std::string(text) : std::string("*"); }

// "AA-BB-CC-DD-EE-FF" is "aa:bb:cc:dd:ee:ff".
std::string MacOrStar(std::string_view text) {
  constexpr std::size_t kMacTextBytes = 17;
  std::string mac(text);
  for (char& one : mac)
    one = one == '-' ? ':' : one >= 'A' && one <= 'F' ? static_cast<char>(one - 'A' + 'a') : one;
  const bool whole =
      mac.size() == kMacTextBytes && mac.find_first_not_of("0123456789abcdef:") == std::string::npos;
  return whole ? mac : std::string("*");
}

// ---- systemd.link(5) and systemd.network(5) ----

bool IsYesWord(std::string_view value) {
  constexpr std::array<std::string_view, 6> kYes{"1", "yes", "y", "true", "t", "on"};
  return std::ranges::find(kYes, value) != kYes.end();
}

// The keys of a [Match] section, the surest one first.
struct LinkMatch {
  SettingLines macs{};
  SettingLines names{};
  SettingLines places{};  // "pci=0000:3b:00.0"
  SettingLines drivers{};

  const SettingLines& Chosen() const {
    for (const SettingLines* some : {&macs, &names, &places}) {
      if (!some->empty()) return *some;
    }
    return drivers;
  }
};

void TakeMatch(std::string_view key, std::string_view value, LinkMatch& match) {
  const bool others = value.starts_with('!');  // all but those of the list
  for (const std::string_view one : WordsOf(value)) {
    const std::string_view word = others ? "*" : one;
    if (key == "MACAddress" || key == "PermanentMACAddress") {
      match.macs.push_back(MacOrStar(word));
    } else if (key == "OriginalName" || key == "Name") {
      match.names.push_back(NameText(word));
    } else if (key == "Path" && others) {
      match.places.emplace_back("*");
    } else if (key == "Path" && word.starts_with("pci-")) {
      const std::string_view address = word.substr(4, word.find_last_not_of("-*") - 3);
      const bool plain = address.find_first_not_of("0123456789abcdef:.") == std::string_view::npos;
      match.places.push_back(plain ? "pci=" + std::string(address) : std::string("*"));
    } else if (key == "Driver") {
      match.drivers.push_back(IsPlainName(word) ? "driver=" + std::string(word) : std::string("*"));
    }
  }
}

std::string FlowControlOf(std::string_view key, std::string_view value) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kKeys{
      {{"AutoNegotiationFlowControl", "autoneg"}, {"RxFlowControl", "rx"}, {"TxFlowControl", "tx"}}};
  const auto* const found =
      std::ranges::find(kKeys, key, &std::pair<std::string_view, std::string_view>::first);
  if (found == kKeys.end() || value.empty()) return {};
  return " " + std::string(found->second) + (IsYesWord(value) ? " on" : " off");
}

SettingLines ReadLinkFile(std::string_view text, bool has_flow_control) {
  LinkMatch match;
  std::string section;
  std::string mtu;
  std::string pause;
  bool any = false;
  while (!text.empty()) {
    const std::string_view line = PlainText(TakeLine(text));
    if (line.starts_with('#') || line.starts_with(';')) continue;
    if (line.starts_with('[')) section = line;
    const auto [key, value] = Parted(line, '=');
    any = any || !key.empty();
    if (section == "[Match]") TakeMatch(key, value, match);
    if (section == "[NetDev]" && key == "Name") match.names = {NameText(value)};
    if (section != "[Link]" && section != "[NetDev]") continue;
    if (key == "MTUBytes" && !value.empty()) mtu = NumberText(value);
    if (has_flow_control) pause += FlowControlOf(key, value);
  }
  SettingLines lines;
  if (!any) return lines;  // an empty file masks one of its name
  const SettingLines unknown{"*"};
  for (const std::string& name : match.Chosen().empty() ? unknown : match.Chosen()) {
    if (!mtu.empty()) lines.push_back("mtu " + name + " " + mtu);
    if (!pause.empty()) lines.push_back("pause " + name + pause);
    if (mtu.empty() && pause.empty() && name != "*") lines.push_back("match " + name);
  }
  return lines;
}

// ---- netplan ----

// One definition below "ethernets:" or its like.
struct NetplanDefinition {
  std::string name{};
  std::string mac{};
  std::string set_name{};
  std::string mtu{};
  bool matches = false;  // by something else than an address

  std::string Line() const {
    if (mtu.empty()) return {};
    const std::string object = !set_name.empty() ? set_name : !mac.empty() ? mac : matches ? "*" : name;
    return "mtu " + object + " " + mtu;
  }
};

class Netplan {
 public:
  void Take(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' ');
    line = line.substr(0, line.find(" #"));
    if (indent >= line.size() || line[indent] == '#' || line[indent] == '-') return;
    const auto [key, value] = Parted(line, ':');
    const std::string_view whole = PlainText(line.substr(line.find(':') + 1));
    if (key.empty()) return;
    while (!path_.empty() && path_.back().first >= indent) path_.pop_back();
    path_.emplace_back(indent, key);
    Set(key, whole);
  }

  SettingLines End() {
    Flush();
    return std::move(lines_);
  }

 private:
  void Flush() {
    if (const std::string line = one_.Line(); !line.empty()) lines_.push_back(line);
    one_ = {};
  }

  void Set(std::string_view key, std::string_view value) {
    constexpr std::size_t kName = 3;
    if (path_.size() < kName || path_[0].second != "network") return;
    if (path_.size() == kName) {
      Flush();
      one_.name = NameText(key);
      return;
    }
    const bool direct = path_.size() == kName + 1;
    const bool of_match = path_.size() == kName + 2 && path_[kName].second == "match";
    if (direct && key == "mtu") one_.mtu = NumberText(value);
    if (direct && key == "set-name") one_.set_name = NameText(value);
    if (direct && key == "match" && !value.empty()) one_.matches = true;
    if (of_match && key == "macaddress") one_.mac = MacOrStar(value);
    if (of_match && key != "macaddress") one_.matches = true;
  }

  std::vector<std::pair<std::size_t, std::string>> path_{};
  NetplanDefinition one_{};
  SettingLines lines_{};
};

SettingLines ReadNetplan(std::string_view text) {
  Netplan netplan;
  while (!text.empty()) netplan.Take(TakeLine(text));
  return netplan.End();
}

// ---- sysctl.d and ifcfg ----

SettingLines ReadSysctls(std::string_view text) {
  SettingLines lines;
  while (!text.empty()) {
    const std::string_view line = PlainText(TakeLine(text));
    if (line.starts_with('#') || line.starts_with(';')) continue;
    if (std::string kept = SysctlLine(line); !kept.empty()) lines.push_back(std::move(kept));
  }
  return lines;
}

// MTU=, and the options of ethtool that the network scripts of Red Hat take.
SettingLines ReadIfcfg(std::string_view name, std::string_view text) {
  std::string netdev = NameText(name);
  SettingLines lines;
  std::string mtu;
  SettingLines ethtool{"ethtool"};
  while (!text.empty()) {
    const std::string_view line = PlainText(TakeLine(text));
    const auto [key, value] = Parted(line, '=');
    if (key == "DEVICE") netdev = NameText(value);
    if (key == "MTU" && !value.empty()) mtu = NumberText(value);
    if (key != "ETHTOOL_OPTS" && key != "ETHTOOL_OPTIONS") continue;
    for (const std::string_view word : WordsOf(value)) ethtool.emplace_back(word);
  }
  if (!mtu.empty()) lines.push_back("mtu " + netdev + " " + mtu);
  for (std::string& word : ethtool) {
    if (word.starts_with('$')) word = netdev;
  }
  for (std::string& line : SettingCommands(ethtool)) lines.push_back(std::move(line));
  return lines;
}

// ---- udev ----

// The text behind `key` and `sign`, in quotes; empty: the rule has none.
std::string_view Quoted(std::string_view rule, std::string_view key, std::string_view sign) {
  for (std::size_t at = rule.find(key); at != std::string_view::npos; at = rule.find(key, at + 1)) {
    const std::string_view rest = rule.substr(at + key.size());
    const bool own = at == 0 || rule[at - 1] == ',' || rule[at - 1] == ' ' || rule[at - 1] == '\t';
    if (!own || !rest.starts_with(sign) || !rest.substr(sign.size()).starts_with('"')) continue;
    const std::string_view text = rest.substr(sign.size() + 1);
    return text.substr(0, text.find('"'));
  }
  return {};
}

// "*": a pattern, or a rule for other devices.
std::string NameInRule(std::string_view rule) {
  for (const std::string_view key : {"KERNEL", "NAME"}) {
    if (const std::string_view name = Quoted(rule, key, "=="); !name.empty()) return NameText(name);
  }
  return "*";
}

std::string InterfaceOfRule(std::string_view rule) {
  if (const std::string_view mac = Quoted(rule, "ATTR{address}", "=="); !mac.empty()) return MacOrStar(mac);
  if (std::string name = NameInRule(rule); name != "*") return name;
  const std::string_view driver = Quoted(rule, "DRIVERS", "==");
  return IsPlainName(driver) ? "driver=" + std::string(driver) : std::string("*");
}

bool HasFolder(std::string_view path, std::string_view folder) {
  return path.find(folder) != std::string_view::npos;
}

// "20-a.link", or a drop-in of it: "20-a.link.d/rdma.conf".
bool IsOfKind(std::string_view path, const std::string& ending) {
  return path.ends_with(ending) || (HasFolder(path, ending + ".d/") && path.ends_with(".conf"));
}

// The name of a variable, with `netdev` for what stands for the rule's interface in it.
std::string WithInterface(std::string name, std::string netdev) {
  constexpr std::array<std::string_view, 5> kNames{"$env{INTERFACE}", "$env{ID_NET_NAME}", "$name", "$kernel",
                                                   "%k"};
  const std::size_t sign = name.find_first_of("./");
  if (sign != std::string::npos && name[sign] == '.') std::ranges::replace(netdev, '.', '/');
  for (const std::string_view one : kNames) {
    const std::size_t at = name.find(one);
    if (at != std::string::npos) name.replace(at, one.size(), netdev);
  }
  return name;
}

// "SYSCTL{net/ipv4/conf/$name/rp_filter}" holds braces in its braces.
std::string_view VariableOfRule(std::string_view rule) {
  constexpr std::string_view kSysctl = "SYSCTL{";
  const std::size_t at = rule.find(kSysctl);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = rule.substr(at + kSysctl.size());
  std::size_t depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '{') ++depth;
    if (rest[i] != '}') continue;
    if (depth == 0) return rest.substr(0, i);
    --depth;
  }
  return {};
}

}  // namespace

bool IsSettingFile(std::string_view path) {
  const bool sysctl = path == "/etc/sysctl.conf" || (HasFolder(path, "/sysctl.d/") && path.ends_with(".conf"));
  const bool systemd = HasFolder(path, "/systemd/network/") &&
                       (IsOfKind(path, ".link") || IsOfKind(path, ".network") || IsOfKind(path, ".netdev"));
  const bool netplan = HasFolder(path, "/netplan/") && path.ends_with(".yaml");
  return sysctl || systemd || netplan || NameOfFile(path).starts_with(kIfcfg);
}

std::vector<std::string> SettingsInFile(std::string_view path, std::string_view text) {
  if (HasFolder(path, "/systemd/network/")) return ReadLinkFile(text, IsOfKind(path, ".link"));
  if (HasFolder(path, "/netplan/")) return ReadNetplan(text);
  if (NameOfFile(path).starts_with(kIfcfg)) return ReadIfcfg(NameOfFile(path).substr(kIfcfg.size()), text);
  return ReadSysctls(text);
}

std::vector<std::string> SettingsInRule(std::string_view rule) {
  SettingLines lines;
  if (Quoted(rule, "ACTION", "==") == "remove") return lines;
  const std::string_view mtu = Quoted(rule, "ATTR{mtu}", "=");
  if (!mtu.empty()) lines.push_back("mtu " + InterfaceOfRule(rule) + " " + NumberText(mtu));
  const std::string name(VariableOfRule(rule));
  if (name.empty()) return lines;
  const std::string_view value = Quoted(rule, "SYSCTL{" + name + "}", "=");
  if (value.empty()) return lines;
  std::string line = SysctlLine(WithInterface(name, NameInRule(rule)) + "=" + std::string(value));
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string NameOfRule(std::string_view rule) {
  std::string name = NameInRule(rule);
  return name == "*" ? std::string() : name;
}

}  // namespace rdmaready
