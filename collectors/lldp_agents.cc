// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp_agents.h"

#include <algorithm>
#include <array>
#include <string_view>

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

Fact<std::vector<std::string>> ReadLldpAgents(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> lines =
      host.FindLines("/proc/net/unix", {"/com/intel/lldpad", "/lldpd.socket"});
  if (!lines.ok()) return MissingFrom(lines.status());
  return DecodeLldpAgents(*lines);
}

}  // namespace rdmaready
