// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/boot_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "checks/plan/boot_files.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostBytes = 16UL * 1024;
constexpr std::size_t kMostLineBytes = 2048;  // LINE_MAX

using Lines = std::vector<std::string_view>;

bool IsLetter(char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'); }
bool IsDigit(char one) { return one >= '0' && one <= '9'; }
bool IsPrintable(char one) { return one >= ' ' && one <= '~'; }

bool IsAll(std::string_view text, bool (*is)(char)) { return !text.empty() && std::ranges::all_of(text, is); }

// Whole lines, without those that say nothing.
Lines LinesOf(std::string_view content) {
  Lines lines;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    lines.push_back(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return lines;
}

bool SaysNothing(std::string_view line) { return line.empty() || line.front() == '#'; }

std::string AtLine(std::size_t index, std::string_view what) { return Cat("line ", index + 1, ": ", what); }

// Keys as systemd and NetworkManager have them: "MTUBytes", "ethernet.mtu", "match-device".
bool IsKey(std::string_view key) {
  return IsAll(key, [](char one) { return IsLetter(one) || IsDigit(one) || one == '.' || one == '-'; });
}

std::string WhyNotIni(const Lines& lines) {
  bool in_section = false;
  bool sets = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (SaysNothing(line)) continue;
    if (line.back() == '\\') return AtLine(i, "it goes on in the next one");
    if (line.front() == '[') {
      const bool named = line.size() > 2 && line.find_first_of("[]", 1) == line.size() - 1;
      if (!named) return AtLine(i, "not the name of a section");
      in_section = true;
      continue;
    }
    if (!in_section) return AtLine(i, "in no section");
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !IsKey(line.substr(0, equals)) || equals + 1 == line.size())
      return AtLine(i, "not a setting");
    sets = true;
  }
  return sets ? "" : "it sets nothing";
}

std::string WhyNotSysctls(const Lines& lines) {
  bool sets = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (SaysNothing(lines[i])) continue;
    const std::size_t equals = lines[i].find(" = ");
    const bool named = equals != std::string_view::npos && lines[i].starts_with("net.") &&
                       lines[i].substr(0, equals).find_first_of(" =*") == std::string_view::npos;
    if (!named || !IsAll(lines[i].substr(equals + 3), IsDigit))
      return AtLine(i, "not a variable and its number");
    sets = true;
  }
  return sets ? "" : "it sets nothing";
}

// The whole form that this program writes: an MTU of one definition.
std::string WhyNotNetplan(const Lines& lines) {
  constexpr std::array<std::string_view, 3> kSections{"  ethernets:", "  bonds:", "  bridges:"};
  constexpr std::string_view kId = "    \"";
  constexpr std::string_view kMtu = "      mtu: ";
  Lines said;
  for (const std::string_view line : lines)
    if (!SaysNothing(line)) said.push_back(line);
  const auto is_id = [&](std::string_view line) {
    return line.starts_with(kId) && line.ends_with("\":") && line.size() > kId.size() + 2 &&
           line.substr(kId.size(), line.size() - kId.size() - 2).find_first_of("\"\\") ==
               std::string_view::npos;
  };
  const bool right = said.size() == 5 && said[0] == "network:" && said[1] == "  version: 2" &&
                     std::ranges::find(kSections, said[2]) != kSections.end() && is_id(said[3]) &&
                     said[4].starts_with(kMtu) && IsAll(said[4].substr(kMtu.size()), IsDigit);
  return right ? "" : "not the MTU of one definition of netplan";
}

// udev drops a line with an odd number of quotes.
std::string WhyNotRule(const Lines& lines) {
  std::size_t rules = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (SaysNothing(lines[i])) continue;
    ++rules;
    const bool whole = lines[i].starts_with("ACTION==\"") && lines[i].ends_with('"') &&
                       std::ranges::count(lines[i], '"') % 2 == 0 &&
                       lines[i].find('\\') == std::string_view::npos;
    if (!whole) return AtLine(i, "not a rule");
  }
  return rules == 1 ? "" : "not one rule";
}

}  // namespace

std::string WhyNotBootText(std::string_view path, std::string_view content) {
  if (!IsBootFilePath(path)) return "no file of this program has that path";
  if (content.size() > kMostBytes) return "too long";
  if (content.empty() || content.back() != '\n') return "its last line has no end";
  const Lines lines = LinesOf(content);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() > kMostLineBytes) return AtLine(i, "too long");
    if (!std::ranges::all_of(lines[i], IsPrintable)) return AtLine(i, "it holds what cannot be printed");
  }
  if (path.starts_with("/etc/netplan/")) return WhyNotNetplan(lines);
  if (path.starts_with("/etc/sysctl.d/")) return WhyNotSysctls(lines);
  if (path.starts_with("/etc/udev/")) return WhyNotRule(lines);
  return WhyNotIni(lines);
}

}  // namespace rdmaready
