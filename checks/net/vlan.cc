// SPDX-License-Identifier: Apache-2.0
// vlan.*: RDMA that is told apart by the priority in the VLAN tag needs a tag, and the right priority in it.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/families.h"
#include "checks/net/address_fix.h"
#include "checks/net/tagging.h"
#include "checks/words/addresses.h"
#include "checks/words/socket_priority.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kVlanSource = "rtnetlink link and addresses";

std::string TagNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.vlan == Profile::Vlan::kTagged ? "" : NotAsked(view.profile, "a VLAN");
}

// An id from the profile, else a word in capitals.
std::string IdWord(const Profile& profile) {
  return profile.vlan_ids && !profile.vlan_ids->empty() ? std::to_string(profile.vlan_ids->front()) : "VLAN";
}

// The one address that the VLAN takes over: it would be on both otherwise. Nothing where there are several, or
// where it may be the one by which the host is managed.
std::optional<PlacedAddress> AddressToMove(const PortView& view) {
  if (!AddressesKnown(view.port)) return std::nullopt;
  std::vector<PlacedAddress> addresses = AddressesOf(view.port);
  if (addresses.size() != 1) return std::nullopt;
  if (LeadsByDefault(view.host, addresses.front().netdev)) return std::nullopt;
  return addresses.front();
}

// With the priority that RDMA-CM will look up; where its ToS is not known, that of an unset one.
Fix AddFix(const PortView& view) {
  const std::uint32_t from =
      SocketPriorityOf(view.port.cm_default_tos ? *view.port.cm_default_tos : std::uint8_t{0});
  const std::string netdev = NetdevWord(view.port.netdev);
  const std::string id = IdWord(view.profile);
  const std::string name = Cat(netdev, ".", id);
  const std::string add =
      Cat("ip link add link ", netdev, " name ", name, " type vlan id ", id, " egress-qos-map ", from, ":",
          view.profile.rdma_priority.value_or(0), " && ip link set dev ", name, " up && ");
  const std::optional<PlacedAddress> moved = AddressToMove(view);
  Fix fix = moved ? Fix(Cat(add, MoveAddress(moved->ip, moved->netdev, name)))
                        .Caution(Cat("connections by ", Printable(moved->ip.address), " end"))
                  : Fix(Cat(add, "ip address add ADDRESS dev ", name))
                        .Do("ADDRESS: this host's in the storage network");
  if (!view.profile.vlan_ids) fix = std::move(fix).Do("VLAN: the storage VLAN's id");
  return std::move(fix)
      .Caution("the interface holds until the next boot: write it to the network configuration too")
      .Do("let the switch port carry that VLAN with its tag", StepSite::kSwitch)
      .CheckBy(Cat("ip -d link show dev ", name));
}

// Whether all VLANs with an address are known.
const Missing* VlanGap(const Port& port, Missing& why) {
  if (!AddressesKnown(port)) {
    why = WhyAddressesUnknown(port);
    return &why;
  }
  return port.netdev && !port.uppers ? &port.uppers.missing() : nullptr;
}

std::string VlanText(const TaggedNetdev& vlan) {
  return Cat(vlan.address, " on ", vlan.name, " (VLAN ", vlan.id, ")");
}

// RDMA's may be the one on no VLAN.
bool UntaggedAddress(const Port& port) {
  return port.netdev && !port.netdev->vlan_id &&
         std::ranges::any_of(AddressesOf(port),
                             [](const PlacedAddress& placed) { return placed.upper == nullptr; });
}

Verdict JudgeVlanPresent(const PortView& view) {
  if (std::string reason = TagNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "the storage address on a VLAN";
  if (!view.port.transport) return NoAnswer(view.port.transport.missing(), kExpected, kVlanSource);
  const std::vector<TaggedNetdev> vlans = VlansWithAddress(view.port);
  const bool named = view.profile.vlan_ids.has_value();
  const Fact<std::vector<std::string>>& routes = view.host.default_routes;
  if (!vlans.empty() && !named && !routes && UntaggedAddress(view.port))
    return NoAnswer(routes.missing(), kExpected, kVlanSource);
  if (!vlans.empty() && (named || !StorageVlans(view.host, view.port, view.profile).empty())) {
    std::string observed;
    for (const TaggedNetdev& vlan : vlans) observed += Cat(observed.empty() ? "" : ", ", VlanText(vlan));
    return Judged(true, observed, kExpected, kVlanSource);
  }
  Missing why;
  if (const Missing* gap = VlanGap(view.port, why)) return NoAnswer(*gap, kExpected, kVlanSource);
  const std::vector<PlacedAddress> addresses = AddressesOf(view.port);
  std::string observed =
      addresses.empty() ? std::string("no address on a VLAN")
                        : Cat(addresses.front().ip.address, " on ", addresses.front().netdev, ", untagged");
  if (!vlans.empty()) observed += Cat("; ", vlans.front().name, " has the default route");
  return Judged(false, observed, kExpected, kVlanSource, AddFix(view));
}

std::string WantedIds(const Profile& profile) {
  if (!profile.vlan_ids) return "1 to 4094";
  std::string text;
  for (const std::uint16_t id : *profile.vlan_ids) text += Cat(text.empty() ? "" : " or ", id);
  return text;
}

Verdict JudgeVlanId(const PortView& view) {
  if (std::string reason = TagNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::string expected = WantedIds(view.profile);
  if (!view.port.transport) return NoAnswer(view.port.transport.missing(), expected, kVlanSource);
  const std::vector<TaggedNetdev> vlans = VlansWithAddress(view.port);
  Missing why;
  const Missing* gap = VlanGap(view.port, why);
  if (vlans.empty() && gap != nullptr) return NoAnswer(*gap, expected, kVlanSource);
  std::string ids;
  for (const TaggedNetdev& vlan : vlans) ids += Cat(ids.empty() ? "VLAN " : ", ", vlan.id);
  // An id of 0 is no VLAN, only a priority: a switch drops it, or puts it where it likes.
  const std::vector<TaggedNetdev> storage = StorageVlans(view.host, view.port, view.profile);
  const auto bad = std::ranges::count(storage, 0, &TaggedNetdev::id);
  const bool good = !storage.empty() && bad == 0;
  if (!good && gap != nullptr) return NoAnswer(*gap, expected, kVlanSource);
  if (bad != 0 && static_cast<std::size_t>(bad) < storage.size())
    return Unclear(Cat(ids, ": which of them carries RDMA is not known"), expected, kVlanSource);
  return Judged(good, ids.empty() ? "no VLAN" : ids, expected, kVlanSource, AddFix(view));
}

// Frames then keep their tag where programs do not expect it.
Verdict JudgeVlanReorder(const PortView& view) {
  constexpr std::string_view kSource = "rtnetlink link";
  constexpr std::string_view kExpected = "reorder_hdr on";
  const std::vector<TaggedNetdev> vlans = VlansWithAddress(view.port);
  Missing why;
  const Missing* gap = VlanGap(view.port, why);
  if (vlans.empty() && gap == nullptr) return NotApplicable("no VLAN with an address on the port");
  if (vlans.empty()) return NoAnswer(*gap, kExpected, kSource);
  for (const TaggedNetdev& vlan : vlans) {
    if (!vlan.reorder) return NoAnswer(vlan.reorder.missing(), kExpected, kSource);
    if (!*vlan.reorder)
      return Judged(false, Cat(vlan.name, ": reorder_hdr off"), kExpected, kSource,
                    Cat("ip link set dev ", ShellWord(vlan.name), " type vlan reorder_hdr on"));
  }
  return Judged(true, "reorder_hdr on", kExpected, kSource);
}

}  // namespace

std::vector<Check> VlanChecks() {
  return {
      {.id = "vlan.present",
       .title = "The storage address is on a VLAN",
       .why = "Without a tag a frame carries no priority: RDMA runs in the default class, and is dropped there",
       .fix = Fix("ip link add link {netdev} name {netdev}.VLAN type vlan id VLAN egress-qos-map 0:{priority}")
                  .Caution("the interface holds until the next boot: write it to the network configuration too")
                  .Do("VLAN: the storage VLAN's id; then give the interface the address")
                  .Do("let the switch port carry that VLAN with its tag", StepSite::kSwitch)
                  .CheckBy("ip -d link show type vlan"),
       .blocks_for = &kDemandsVlan,
       .depends_on = {"inv.netdev-mapping", "inv.transport", "ip.address"},
       .judge = JudgeVlanPresent},
      {.id = "vlan.id",
       .title = "The storage address is on one of the profile's VLANs",
       .why = "A VLAN that the switch does not carry to the peers reaches nobody",
       .fix = Fix("ip link add link {netdev} name {netdev}.VLAN type vlan id VLAN egress-qos-map 0:{priority}")
                  .Caution("the interface holds until the next boot: write it to the network configuration too")
                  .Do("VLAN: the storage VLAN's id; then give the interface the address")
                  .Do("let the switch port carry that VLAN with its tag", StepSite::kSwitch)
                  .CheckBy("ip -d link show type vlan"),
       .blocks_for = &kDemandsVlan,
       .depends_on = {"vlan.present"},
       .judge = JudgeVlanId},
      {.id = "vlan.reorder",
       .title = "Programs see the VLAN's frames without their tag",
       .why = "With reorder_hdr off whoever reads frames from the interface (captures, DHCP clients) meets the "
              "tag "
              "where a header is expected; RDMA itself does not care",
       .fix =
           Fix("ip link set dev {netdev}.VLAN type vlan reorder_hdr on").CheckBy("ip -d link show type vlan"),
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeVlanReorder},
  };
}

}  // namespace rdmaready
