// SPDX-License-Identifier: Apache-2.0
// inv.ports-selected: whether the host has the ports that a profile is for.
#include <vector>

#include "checks/families.h"
#include "checks/port_fit.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSelectorSource = "the `ports` of the profile";
constexpr std::string_view kSelectorExpected = "at least one port that the profile is for";

// What selectors leave to choose from, and what is not known of it.
struct Selected {
  std::string names{};  // "mlx5_0/1 ens1f0, mlx5_1/1 ens1f1"
  std::size_t count = 0;
  std::string unknown{};  // of the first port of which it is not known
};

Selected Select(const std::vector<Port>& ports, const Profile& profile) {
  Selected selected;
  for (const Port& port : ports) {
    const PortFit fit = FitOf(port, profile);
    switch (fit.answer) {
      case PortFit::Answer::kNo:
        break;
      case PortFit::Answer::kYes:
        selected.names += Cat(selected.count == 0 ? "" : ", ", SubjectOf(port));
        ++selected.count;
        break;
      case PortFit::Answer::kUnknown:
        if (selected.unknown.empty())
          selected.unknown = Cat("perhaps ", SubjectOf(port), ", of which ", fit.unknown, " cannot be read");
        break;
    }
  }
  return selected;
}

Verdict JudgeInvPortsSelected(const HostView& view) {
  if (view.profile.ports.empty())
    return NotApplicable(Cat("profile ", view.profile.name, " is for every port"));
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), kSelectorExpected, kSelectorSource);
  const Selected selected = Select(*view.host.ports, view.profile);
  const std::string found = Cat(selected.count, " of ", CountText(view.host.ports->size(), "port"));
  if (!selected.unknown.empty())
    return Unclear(Cat(found, "; ", selected.unknown), kSelectorExpected, kSelectorSource);
  if (selected.count > 0)
    return Judged(true, Cat(found, ": ", selected.names), kSelectorExpected, kSelectorSource);
  if (view.profile.ports_expected) return Judged(false, found, kSelectorExpected, kSelectorSource);
  return Unclear(found, kSelectorExpected, kSelectorSource);
}

}  // namespace

std::vector<Check> SelectionChecks() {
  return {{.id = "inv.ports-selected",
           .title = "The host has ports that the profile is for",
           .why = "What no profile is for is judged by none: a host without such a port has not been looked at",
           .fix = Fix("rdmaready facts")
                      .Because("names or addresses changed, or the profile is for another kind of host",
                               Certainty::kPossible)
                      .Do("compare netdevs, devices, addresses and VLANs with the `ports` of {profile}")
                      .CheckBy("rdmaready check"),
           .blocks_for = &kDemandsSelectedPorts,
           .depends_on = {"inv.rdma-present"},
           .judge = JudgeInvPortsSelected}};
}

}  // namespace rdmaready
