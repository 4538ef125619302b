// SPDX-License-Identifier: Apache-2.0
#include "collectors/setting_commands.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rdmaready {
namespace {

using CommandSpan = std::span<const std::string>;

constexpr std::string_view kBlankBytes = " \t\r\"'";
constexpr std::string_view kInterfacesFolder = "/sys/class/net/";
constexpr std::string_view kMtuFile = "/mtu";
constexpr std::string_view kVariablesFolder = "/proc/sys/";

std::string_view BareText(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlankBytes);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlankBytes) - begin + 1);
}

bool IsObjectByte(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
         std::string_view("_-.:@$*/").find(one) != std::string_view::npos;
}

std::string NameOrUnknown(std::string_view word) {
  constexpr std::size_t kMostBytes = 64;
  const bool name = !word.empty() && word.size() <= kMostBytes && std::ranges::all_of(word, IsObjectByte);
  return name ? std::string(word) : std::string("*");
}

std::string NumberOrUnknown(std::string_view word) {
  constexpr std::size_t kMostDigits = 10;
  const bool number = !word.empty() && word.size() <= kMostDigits &&
                      word.find_first_not_of("0123456789") == std::string_view::npos;
  const bool argument = word.size() == 2 && word[0] == '$' && word[1] >= '1' && word[1] <= '9';
  return number || argument ? std::string(word) : std::string("*");
}

// The word after `key`; empty: no such word.
std::string_view WordAfter(CommandSpan words, std::string_view key) {
  const auto found = std::ranges::find(words, key);
  return found == words.end() || found + 1 == words.end() ? std::string_view() : std::string_view(*(found + 1));
}

// iproute2 takes the beginning of a word for the word.
bool IsBeginOf(std::string_view text, std::string_view word) { return !text.empty() && word.starts_with(text); }

// ip -s link set [dev] NAME up mtu BYTES
std::string OfIp(CommandSpan words) {
  while (!words.empty() && words.front().starts_with('-')) words = words.subspan(1);
  if (words.size() < 4 || !IsBeginOf(words[0], "link") || !IsBeginOf(words[1], "set")) return {};
  words = words.subspan(2);
  const std::string_view mtu = WordAfter(words, "mtu");
  if (mtu.empty()) return {};
  std::string_view name = WordAfter(words, "dev");
  for (std::size_t i = 0; name.empty() && i < words.size(); ++i) {
    if (words[i] == "mtu") ++i;
    const bool keyword = i >= words.size() || words[i] == mtu || words[i] == "up" || words[i] == "down";
    if (!keyword) name = words[i];
  }
  return "mtu " + NameOrUnknown(name) + " " + NumberOrUnknown(mtu);
}

std::string OfIfconfig(CommandSpan words) {
  const std::string_view mtu = WordAfter(words, "mtu");
  return mtu.empty() ? std::string() : "mtu " + NameOrUnknown(words.front()) + " " + NumberOrUnknown(mtu);
}

// ethtool -A NAME autoneg off rx on tx on
std::string OfEthtool(CommandSpan words) {
  const auto option =
      std::ranges::find_if(words, [](const std::string& word) { return word == "-A" || word == "--pause"; });
  if (option == words.end() || option + 1 == words.end()) return {};
  std::string line = "pause " + NameOrUnknown(*(option + 1));
  bool any = false;
  for (const std::string_view key : {"autoneg", "rx", "tx"}) {
    const std::string_view value = WordAfter(words, key);
    if (value != "on" && value != "off") continue;
    any = true;
    line += " " + std::string(key) + " " + std::string(value);
  }
  return any ? line : std::string();
}

// The NIC's files of congestion notifications (checks/roce): of MLNX_OFED, of mlx5's debugfs, of bnxt_re's
// configfs. The object is a netdev, a PCI address or an RDMA device.
std::string OfNotifications(std::string_view path, const std::string& number) {
  constexpr std::array<std::string_view, 3> kFolders{"/sys/class/net/", "/sys/kernel/debug/mlx5/",
                                                     "/sys/kernel/config/bnxt_re/"};
  const auto* const folder =
      std::ranges::find_if(kFolders, [path](std::string_view one) { return path.starts_with(one); });
  if (folder == kFolders.end() || !path.ends_with("cnp_dscp")) return {};
  const std::string_view rest = path.substr(folder->size());
  return "cnp " + NameOrUnknown(rest.substr(0, rest.find('/'))) + " " + number;
}

// echo 9000 > /sys/class/net/NAME/mtu; echo 2 > /proc/sys/net/ipv4/conf/all/arp_ignore
std::string OfWrite(CommandSpan words, bool tee) {
  std::string number("*");
  for (const std::string& word : words) {
    if (NumberOrUnknown(word) != "*") number = word;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!tee && (i == 0 || words[i - 1] != ">")) continue;
    if (word.starts_with(kVariablesFolder))
      return SysctlLine(std::string(word.substr(kVariablesFolder.size())) + "=" + number);
    if (std::string line = OfNotifications(word, number); !line.empty()) return line;
    if (!word.starts_with(kInterfacesFolder) || !word.ends_with(kMtuFile)) continue;
    const std::size_t size = word.size() - kInterfacesFolder.size();
    if (size > kMtuFile.size())
      return "mtu " + NameOrUnknown(word.substr(kInterfacesFolder.size(), size - kMtuFile.size())) + " " +
             number;
  }
  return {};
}

}  // namespace

std::string SysctlLine(std::string_view assignment) {
  assignment = BareText(assignment);
  const bool ignores = assignment.starts_with('-');
  if (ignores) assignment.remove_prefix(1);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos && !ignores) return {};
  std::string name(BareText(assignment.substr(0, equals)));
  const std::size_t sign = name.find_first_of("./");
  if (sign != std::string::npos && name[sign] == '/') {
    for (char& one : name) one = one == '/' ? '.' : one == '.' ? '/' : one;
  }
  const bool known = name.starts_with("net.ipv4.conf.") && std::ranges::all_of(name, IsObjectByte);
  if (!known || name.size() > 128) return {};
  if (equals == std::string_view::npos) return "sysctl " + name;
  return "sysctl " + name + " " + NumberOrUnknown(BareText(assignment.substr(equals + 1)));
}

std::vector<std::string> SettingCommands(CommandSpan command) {
  std::vector<std::string> lines;
  const auto add = [&lines](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  if (command.size() < 2) return lines;
  const std::string_view program = std::string_view(command.front()).substr(command.front().rfind('/') + 1);
  const CommandSpan words = command.subspan(1);
  if (program == "ip") {
    add(OfIp(words));
  } else if (program == "ifconfig") {
    add(OfIfconfig(words));
  } else if (program == "ethtool") {
    add(OfEthtool(words));
  } else if (program == "sysctl") {
    for (const std::string& word : words) {
      if (!word.starts_with('-')) add(SysctlLine(word));
    }
  } else {
    add(OfWrite(words, program == "tee"));
  }
  return lines;
}

}  // namespace rdmaready
