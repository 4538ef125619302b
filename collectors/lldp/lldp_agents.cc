// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp/lldp_agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

struct Agent {
  std::string_view name;
  std::string_view socket;  // the end of its name in /proc/net/unix; an abstract one begins with @
};
constexpr std::array<Agent, 2> kAgents{{{"lldpad", " @/com/intel/lldpad"}, {"lldpd", "/run/lldpd.socket"}}};

// The kernel shows the zeros of an abstract name that was bound with too long an address as @.
std::string_view WithoutPadding(std::string_view line) {
  const std::size_t last = line.find_last_not_of('@');
  return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

constexpr std::uint64_t kLongestTicks = std::uint64_t{1} << 40U;

Missing NotKnown(const std::string& why) {
  return {Missing::Kind::kFailed, why + ": lldpad may run, or only systemd hold its socket for it"};
}

// What is not there leaves the question open; the rest is as it is.
Missing Unknown(const absl::Status& status) {
  return status.code() == absl::StatusCode::kNotFound ? NotKnown(Message(status)) : MissingFrom(status);
}

Fact<std::uint32_t> ReadLldpadPid(HostReader& host) {
  const absl::StatusOr<std::string> record = host.ReadFile(kLldpadPidFile);
  if (!record.ok()) return Unknown(record.status());
  std::string_view text = *record;
  const std::optional<std::uint32_t> pid = TakeNumber<std::uint32_t>(text);
  if (!pid) return NotKnown("no process in /var/run/lldpad.pid");
  return *pid;
}

Fact<std::uint64_t> ReadLldpadStart(HostReader& host, std::uint32_t pid) {
  const absl::StatusOr<std::string> stat = host.ReadFile(fmt::format("/proc/{}/stat", pid));
  if (!stat.ok()) return Unknown(stat.status());
  return DecodeLldpadStart(*stat);
}

// Without an answer it counts as one that writes, as it does without the option.
bool IsStartedReadOnly(HostReader& host, std::uint32_t pid) {
  const absl::StatusOr<std::string> words = host.ReadFile(fmt::format("/proc/{}/cmdline", pid));
  return words.ok() && IsReadOnlyLldpad(*words);
}

}  // namespace

std::vector<std::string> DecodeLldpAgents(const std::vector<std::string>& lines) {
  std::vector<std::string> agents;
  for (const Agent& agent : kAgents) {
    const bool runs = std::ranges::any_of(
        lines, [&agent](const std::string& line) { return WithoutPadding(line).ends_with(agent.socket); });
    if (runs) agents.emplace_back(agent.name);
  }
  return agents;
}

Fact<std::uint64_t> DecodeLldpadStart(std::string_view stat) {
  constexpr std::string_view kName =
      " (lldpad) ";                         // the second field; a name may hold spaces, this one does not
  constexpr int kStartField = 22;           // proc_pid_stat(5), from 1
  constexpr std::uint64_t kMsPerTick = 10;  // USER_HZ is 100
  const std::size_t name = stat.find(kName);
  if (name == std::string_view::npos || stat.find('(') != name + 1)
    return NotKnown("the process of /var/run/lldpad.pid is not lldpad");
  std::string_view rest = stat.substr(name + kName.size());
  for (int field = 3; field < kStartField; ++field) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos)
      return Missing{Missing::Kind::kFailed, "/proc/PID/stat of lldpad ends in the middle"};
    rest.remove_prefix(space + 1);
  }
  const std::optional<std::uint64_t> ticks = TakeNumber<std::uint64_t>(rest);
  if (!ticks || rest.empty() || *ticks > kLongestTicks)
    return Missing{Missing::Kind::kFailed, "/proc/PID/stat of lldpad ends in the middle"};
  return *ticks * kMsPerTick;
}

bool IsReadOnlyLldpad(std::string_view command_line) {
  bool first = true;
  while (!command_line.empty()) {
    const std::string_view word = command_line.substr(0, command_line.find('\0'));
    command_line.remove_prefix(std::min(command_line.size(), word.size() + 1));
    const bool options = !first && word.size() > 1 && word[0] == '-' && word[1] != '-';
    const std::string_view letters = word.substr(0, word.find_first_of("fV"));  // a value follows these
    if (options && letters.find('R') != std::string_view::npos) return true;
    first = false;
  }
  return false;
}

LldpAgents ReadLldpAgents(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> lines =
      host.FindLines("/proc/net/unix", {"/com/intel/lldpad", "/lldpd.socket"});
  if (!lines.ok()) return {MissingFrom(lines.status()), MissingFrom(lines.status())};
  LldpAgents agents{.names = DecodeLldpAgents(*lines)};
  const bool lldpad = !agents.names->empty() && agents.names->front() == "lldpad";
  if (!lldpad) {
    agents.lldpad_started_ms = Missing{Missing::Kind::kUnsupported, "lldpad does not run"};
    return agents;
  }
  const Fact<std::uint32_t> pid = ReadLldpadPid(host);
  agents.lldpad_started_ms = pid ? ReadLldpadStart(host, *pid) : Fact<std::uint64_t>(pid.missing());
  if (!agents.lldpad_started_ms) {
    agents.names = agents.lldpad_started_ms.missing();
  } else if (IsStartedReadOnly(host, *pid)) {
    std::vector<std::string> names = *agents.names;
    names.front() = kReadOnlyLldpad;
    agents.names = std::move(names);
  }
  return agents;
}

}  // namespace rdmaready
