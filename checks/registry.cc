// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "checks/check.h"
#include "checks/families.h"

namespace rdmaready {

const std::vector<Check>& AllChecks() {
  static const std::vector<Check> checks{
      InvRdmaPresent(),    InvNetdevMapping(), InvTransport(),        LinkState(),      LinkSpeed(),
      MtuEthernet(),       MtuRoceActive(),    GidV2Present(),        GidDefaultMode(), RoceTos(),
      DrvDcbCapable(),     DcbxMode(),         PfcLosslessPriority(), PfcOnlyOne(),     EtsMap(),
      EtsRdmaShare(),      MapDscp(),          TrustMode(),           HostMemlock(),    MtuPair(),
      PfcBothDirections(),
  };
  return checks;
}

const Check* FindCheck(std::string_view id) {
  const auto found = std::ranges::find(AllChecks(), id, &Check::id);
  return found == AllChecks().end() ? nullptr : &*found;
}

bool Blocks(const Check& check, const Profile& profile) {
  return check.blocks_for != nullptr && check.blocks_for->made_by(profile);
}

Scope ScopeOf(const Check& check) {
  if (std::holds_alternative<Rule<HostView>>(check.rule)) return Scope::kHost;
  if (std::holds_alternative<Rule<PairView>>(check.rule)) return Scope::kPair;
  return Scope::kPort;
}

std::string_view GroupOf(std::string_view id) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kGroups{{
      {"mtu.pair", "pair"},
      {"pfc.both-directions", "pair"},
      {"inv.", "device"},
      {"link.", "device"},
      {"mtu.", "device"},
      {"gid.", "roce"},
      {"roce.", "roce"},
      {"drv.", "dcb"},
      {"dcbx.", "dcb"},
      {"pfc.", "dcb"},
      {"ets.", "dcb"},
      {"map.", "dcb"},
      {"trust.", "dcb"},
      {"host.", "host"},
      {"loopback.", "loopback"},
      {"peer.", "peer"},
  }};
  const auto found = std::ranges::find_if(kGroups, [id](const auto& row) { return id.starts_with(row.first); });
  return found == kGroups.end() ? std::string_view("other") : found->second;
}

}  // namespace rdmaready
