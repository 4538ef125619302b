// SPDX-License-Identifier: Apache-2.0
// gid.ip-match, gid.vlan-match: does the GID table follow the addresses.
#include <algorithm>

#include "checks/families.h"
#include "checks/net/tagging.h"
#include "checks/words/addresses.h"
#include "checks/words/interruption.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "GID table, rtnetlink addresses";

std::string MatchNotApplicable(const PortView& view) { return NotRoce(view.port); }

// Of the netdev itself or a VLAN directly on it. What stands further up has its GIDs only where the port is the
// active member.
bool IsNear(const PlacedAddress& placed) { return placed.upper == nullptr || placed.upper->vlan_id; }

std::string Bounce(const Port& port) {
  return BounceCommand(NetdevWord(port.netdev), "the GID table missed a change of addresses");
}

Verdict JudgeMatch(const PortView& view) {
  constexpr std::string_view kExpected = "a GID for each address, and no other";
  const Port& port = view.port;
  if (!port.gids) return NoAnswer(port.gids.missing(), std::string(kExpected), kSource);
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), std::string(kExpected), kSource);
  const std::vector<PlacedAddress> addresses = AddressesOf(port);
  const auto has_gid = [&port](const PlacedAddress& placed) {
    return std::ranges::any_of(*port.gids,
                               [&](const Gid& gid) { return AddressOfGid(gid.raw) == placed.ip.address; });
  };
  for (const PlacedAddress& placed : addresses) {
    if (!IsNear(placed) || has_gid(placed)) continue;
    return Judged(false, Cat("no GID for ", placed.ip.address, " of ", placed.netdev), std::string(kExpected),
                  kSource, Bounce(port));
  }
  if (!port.uppers) return NoAnswer(port.uppers.missing(), std::string(kExpected), kSource);
  for (const Gid& gid : *port.gids) {
    const std::string address = AddressOfGid(gid.raw);
    const bool known = std::ranges::any_of(
        addresses, [&](const PlacedAddress& placed) { return placed.ip.address == address; });
    if (address.empty() || known) continue;
    return Warned(Cat("GID ", gid.index, " is for ", address, ", which no interface has"),
                  std::string(kExpected), kSource, Bounce(port));
  }
  return Judged(true, addresses.empty() ? "neither address nor GID" : "every address has its GID",
                std::string(kExpected), kSource);
}

std::string VlanNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.vlan == Profile::Vlan::kTagged ? "" : NotAsked(view.profile, "a VLAN");
}

Verdict JudgeVlan(const PortView& view) {
  constexpr std::string_view kExpected = "a RoCE v2 GID on the storage VLAN";
  const Port& port = view.port;
  if (!port.gids) return NoAnswer(port.gids.missing(), std::string(kExpected), kSource);
  const std::vector<TaggedNetdev> vlans = StorageVlans(port, view.profile);
  if (vlans.empty()) {
    return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "no storage VLAN to look at"},
                    std::string(kExpected), kSource);
  }
  std::string observed;
  for (const TaggedNetdev& vlan : vlans) {
    const auto gid = std::ranges::find_if(*port.gids, [&vlan](const Gid& candidate) {
      return candidate.type == GidType::kRoceV2 &&
             (candidate.netdev == vlan.name || AddressOfGid(candidate.raw) == vlan.address) &&
             !AddressOfGid(candidate.raw).empty();
    });
    if (gid == port.gids->end()) {
      return Judged(false, Cat("no RoCE v2 GID on ", vlan.name), std::string(kExpected), kSource,
                    BounceCommand(ShellWord(vlan.name), "the GID table missed the VLAN"));
    }
    observed += Cat(observed.empty() ? "" : ", ", AddressOfGid(gid->raw), " at index ", gid->index);
  }
  return Judged(true, observed, std::string(kExpected), kSource);
}

}  // namespace

Check GidIpMatch() {
  return {.id = "gid.ip-match",
          .title = "The GID table has the port's addresses, and no others",
          .why = "A connection to an address without a GID fails; a GID without an address answers for nobody",
          .fix =
              "ip link set dev {netdev} down && ip link set dev {netdev} up  # the table is filled anew; IPv6 "
              "addresses and static routes are lost",
          .depends_on = {"link.state", "ip.address", "gid.v2-present"},
          .rule = Rule<PortView>{MatchNotApplicable, JudgeMatch}};
}

Check GidVlanMatch() {
  return {.id = "gid.vlan-match",
          .title = "The storage VLAN has a RoCE v2 GID",
          .why = "Without one RDMA leaves untagged or not at all, whatever the VLAN's address is",
          .fix =
              "ip link set dev {netdev}.VLAN down && ip link set dev {netdev}.VLAN up  # its IPv6 "
              "addresses and static routes are lost",
          .blocks_for = &kDemandsVlan,
          .depends_on = {"link.state", "gid.v2-present", "vlan.present", "vlan.id"},
          .rule = Rule<PortView>{VlanNotApplicable, JudgeVlan}};
}

}  // namespace rdmaready
