// SPDX-License-Identifier: Apache-2.0
#include "packaging/rights/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace rdmaready {
namespace {

constexpr std::string_view kOwner = "root";

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

// "net_admin", as setpriv and AppArmor have it.
std::vector<std::string> ShortNames(Daemon daemon) {
  std::vector<std::string> names;
  const std::uint64_t capabilities = CapabilitiesOf(daemon);
  for (std::size_t bit = 0; bit <= CAP_LAST_CAP; ++bit) {
    if ((capabilities >> bit & 1U) != 0) names.push_back(Lower(CapabilityName(bit)).substr(4));
  }
  return names;
}

std::string NeededFor(const Right& right) {
  return right.capability == kRootsFile ? std::string(kOwner)
                                        : CapabilityName(static_cast<std::size_t>(right.capability));
}

// What one does, and who it is.
std::string_view RoleOf(Daemon daemon) {
  switch (daemon) {
    case Daemon::kUnknown:
      break;
    case Daemon::kAgent:
      return "listens on the network, runs the live tests; a user of its own. Its memory for tests is what "
             "LimitMEMLOCK allows";
    case Daemon::kReader:
      return "root with these capabilities; reads, and writes nothing but a directory of configfs for a moment";
    case Daemon::kListener:
      return "root with these capabilities; hears LLDP and notices of DCB writes, and sends nothing";
    case Daemon::kProver:
      return "root with these capabilities; mounts shares and attaches NVMe disks that its own file names. Off "
             "unless configured";
    case Daemon::kApplier:
      return "root with these capabilities; reads this host, plans, and changes settings that its own file allows. "
             "Off unless configured";
    case Daemon::kPauser:
      return "root with these capabilities; sends pauses of one priority for a bounded time, on interfaces "
             "that "
             "its own file names, and hears nothing. Off unless configured";
  }
  return "unknown";
}

constexpr std::string_view kPageHead = R"(<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by `build/bin/rdmaready-rights page` from api/model/rights.h, which is the place to change it. -->
# Rights

The process that listens on the network has no capability. What takes one, or what only root may open, is asked by
a helper: a small program of root's with few rights, a closed list of questions, and an ear for the agent's user only.
A question carries names and indexes; the helper builds what goes to the kernel. Without a helper the agent answers
all the same: what it may not read is `unknown: not allowed`, and who could read it is said.

| process | capabilities | what it is |
| --- | --- | --- |
)";

constexpr std::string_view kPageTable = R"(
| right | process | needs | what is asked | unknown without it |
| --- | --- | --- | --- | --- |
)";

constexpr std::string_view kPageFoot = R"(
`root` means that the owner of a file is asked for, and no capability. Each row holds both ways in
`tests/fabric/suite/rights_test.py`: with the right it reads, without it says unknown and why. `sec.agent-caps`
names what an agent has besides. An agent that root starts by hand, without helpers, reads by itself what they would.

The in-process agent of the command line has no helpers and its caller's rights.
)";

}  // namespace

std::string UnitLines(Daemon daemon) {
  const std::uint64_t capabilities = CapabilitiesOf(daemon);
  return fmt::format("User={}\nCapabilityBoundingSet={}\nAmbientCapabilities=\nNoNewPrivileges=yes\n",
                     daemon == Daemon::kAgent ? "rdmaready" : kOwner,
                     capabilities == 0 ? "" : CapabilityNames(capabilities));
}

std::string AppArmorLines(Daemon daemon) {
  std::string lines;
  for (const std::string& name : ShortNames(daemon)) lines += fmt::format("  capability {},\n", name);
  return lines;
}

std::string SetprivArguments(Daemon daemon) {
  std::string bounding = "-all";
  for (const std::string& name : ShortNames(daemon)) bounding += ",+" + name;
  return fmt::format("--bounding-set={} --inh-caps=-all --ambient-caps=-all --no-new-privs\n", bounding);
}

std::string RightsTsv() {
  std::string lines;
  for (const Right& right : kRights) {
    lines += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", right.feature, NameOf(right.daemon), NeededFor(right),
                         right.asked, right.without, right.kernel);
  }
  return lines;
}

std::string RightsPage() {
  std::string page(kPageHead);
  for (const Daemon daemon : kDaemons) {
    page += fmt::format("| rdmaready-{} | {} | {} |\n", NameOf(daemon), CapabilityNames(CapabilitiesOf(daemon)),
                        RoleOf(daemon));
  }
  page += kPageTable;
  for (const Right& right : kRights) {
    page += fmt::format("| {} | {} | {} | {} | {} |\n", right.feature, NameOf(right.daemon), NeededFor(right),
                        right.asked, right.without);
  }
  return page.append(kPageFoot);
}

}  // namespace rdmaready
