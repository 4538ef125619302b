// SPDX-License-Identifier: Apache-2.0
// vlan.*: RDMA that is told apart by the priority in the VLAN tag needs a tag, and the right priority in it.
#include <algorithm>

#include "checks/families.h"
#include "checks/net/tagging.h"
#include "checks/words/addresses.h"
#include "checks/words/socket_priority.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "rtnetlink link and addresses";

std::string TagNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.vlan == Profile::Vlan::kTagged ? "" : NotAsked(view.profile, "a VLAN");
}

// An id from the profile, else a word in capitals.
std::string IdWord(const Profile& profile) {
  return profile.vlan_ids && !profile.vlan_ids->empty() ? std::to_string(profile.vlan_ids->front()) : "VLAN";
}

// With the priority that RDMA-CM will look up; where its ToS is not known, that of an unset one.
std::string AddFix(const PortView& view) {
  const std::uint32_t from =
      SocketPriorityOf(view.port.cm_default_tos ? *view.port.cm_default_tos : std::uint8_t{0});
  const std::string netdev = NetdevWord(view.port.netdev);
  const std::string id = IdWord(view.profile);
  const std::string name = Cat(netdev, ".", id);
  return Cat("ip link add link ", netdev, " name ", name, " type vlan id ", id, " egress-qos-map ", from, ":",
             view.profile.rdma_priority.value_or(0), " && ip link set dev ", name,
             " up && ip address add ADDRESS dev ", name,
             "  # ADDRESS: this host's in the storage network; VLAN: the storage VLAN's id");
}

// Whether all VLANs with an address are known.
const Missing* Gap(const Port& port, Missing& why) {
  if (!AddressesKnown(port)) {
    why = WhyAddressesUnknown(port);
    return &why;
  }
  return port.netdev && !port.uppers ? &port.uppers.missing() : nullptr;
}

std::string VlanText(const TaggedNetdev& vlan) {
  return Cat(vlan.address, " on ", vlan.name, " (VLAN ", vlan.id, ")");
}

Verdict JudgePresent(const PortView& view) {
  constexpr std::string_view kExpected = "the storage address on a VLAN";
  const std::vector<TaggedNetdev> vlans = VlansWithAddress(view.port);
  if (!vlans.empty()) {
    std::string observed;
    for (const TaggedNetdev& vlan : vlans) observed += Cat(observed.empty() ? "" : ", ", VlanText(vlan));
    return Judged(true, observed, std::string(kExpected), kSource);
  }
  Missing why;
  if (const Missing* gap = Gap(view.port, why)) return NoAnswer(*gap, std::string(kExpected), kSource);
  const std::vector<PlacedAddress> addresses = AddressesOf(view.port);
  const std::string observed =
      addresses.empty() ? std::string("no address on a VLAN")
                        : Cat(addresses.front().ip.address, " on ", addresses.front().netdev, ", untagged");
  return Judged(false, observed, std::string(kExpected), kSource, AddFix(view));
}

std::string WantedIds(const Profile& profile) {
  if (!profile.vlan_ids) return "1 to 4094";
  std::string text;
  for (const std::uint16_t id : *profile.vlan_ids) text += Cat(text.empty() ? "" : " or ", id);
  return text;
}

Verdict JudgeId(const PortView& view) {
  const std::string expected = WantedIds(view.profile);
  const std::vector<TaggedNetdev> vlans = VlansWithAddress(view.port);
  Missing why;
  const Missing* gap = Gap(view.port, why);
  if (vlans.empty() && gap != nullptr) return NoAnswer(*gap, expected, kSource);
  std::string ids;
  for (const TaggedNetdev& vlan : vlans) ids += Cat(ids.empty() ? "VLAN " : ", ", vlan.id);
  // An id of 0 is no VLAN, only a priority: a switch drops it, or puts it where it likes.
  const bool good = std::ranges::any_of(StorageVlans(view.port, view.profile),
                                        [](const TaggedNetdev& vlan) { return vlan.id != 0; });
  if (!good && gap != nullptr) return NoAnswer(*gap, expected, kSource);
  return Judged(good, ids.empty() ? "no VLAN" : ids, expected, kSource, AddFix(view));
}

std::string EgressNotApplicable(const PortView& view) {
  if (std::string reason = TagNotApplicable(view); !reason.empty()) return reason;
  return kDemandsPcp.made_by(view.profile) ? "" : NotAsked(view.profile, "a priority in the tag");
}

// What a VLAN makes of RDMA-CM's priority, in words.
std::string LeavesText(const TaggedNetdev& vlan, std::uint32_t priority, const TagPriority& tag) {
  const std::string_view how = tag.by_class ? " leaves with its traffic class, PCP " : " leaves with PCP ";
  return Cat(vlan.name, ": RDMA-CM's priority ", priority, how, tag.pcp);
}

std::string EgressFix(const PortView& view, const TaggedNetdev& vlan, std::uint32_t priority,
                      const TagPriority& tag) {
  if (tag.by_class)
    return Cat("dcb ets show dev ", NetdevWord(view.port.netdev), "  # with traffic classes in use ",
               Printable(view.port.netdev->driver),
               " lets no egress map decide: classify by DSCP (trust: dscp) on switch and hosts");
  return Cat("ip link set dev ", ShellWord(vlan.name), " type vlan egress-qos-map ", priority, ":",
             *view.profile.rdma_priority);
}

// Those that the profile does not name, and that RDMA does not leave by as it should.
std::string OthersText(const PortView& view, const std::vector<TaggedNetdev>& storage) {
  if (view.profile.vlan_ids) return {};
  std::string names;
  for (const TaggedNetdev& vlan : VlansWithAddress(view.port)) {
    if (std::ranges::find(storage, vlan) == storage.end()) names += Cat(names.empty() ? "" : ", ", vlan.name);
  }
  return names.empty() ? "" : Cat("; not for RDMA: ", names);
}

Verdict JudgeEgress(const PortView& view) {
  constexpr std::string_view kMapSource = "rtnetlink VLAN egress map, configfs rdma_cm";
  const std::uint8_t wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("PCP ", wanted);
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (!tos) return NoAnswer(tos.missing(), expected, kMapSource);
  const std::uint32_t priority = SocketPriorityOf(*tos);
  const std::vector<TaggedNetdev> vlans = StorageVlans(view.port, view.profile);
  if (vlans.empty()) {
    return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "no storage VLAN to look at"}, expected,
                    kMapSource);
  }
  std::string observed;
  std::string fix;
  for (const TaggedNetdev& vlan : vlans) {
    const Fact<TagPriority> tag = TagPriorityOf(view.port, vlan, priority);
    // Of several that are not named the unknown one may be the one that storage uses.
    if (!tag) return NoAnswer(tag.missing(), expected, kMapSource);
    if (tag->pcp != wanted && fix.empty()) fix = EgressFix(view, vlan, priority, *tag);
    observed += Cat(observed.empty() ? "" : ", ", LeavesText(vlan, priority, *tag));
  }
  return Judged(fix.empty(), observed + OthersText(view, vlans), expected, kMapSource, fix);
}

}  // namespace

Check VlanPresent() {
  return {
      .id = "vlan.present",
      .title = "The storage address is on a VLAN",
      .why = "Without a tag a frame carries no priority: RDMA runs in the default class, and is dropped there",
      .fix =
          "ip link add link {netdev} name {netdev}.VLAN type vlan id VLAN egress-qos-map 0:{priority}  # VLAN: "
          "the storage VLAN's id; then give it the address",
      .blocks_for = &kDemandsVlan,
      .depends_on = {"inv.netdev-mapping", "inv.transport", "ip.address"},
      .rule = Rule<PortView>{TagNotApplicable, JudgePresent}};
}

Check VlanId() {
  return {
      .id = "vlan.id",
      .title = "The storage address is on one of the profile's VLANs",
      .why = "A VLAN that the switch does not carry to the peers reaches nobody",
      .fix =
          "ip link add link {netdev} name {netdev}.VLAN type vlan id VLAN egress-qos-map 0:{priority}  # VLAN: "
          "the storage VLAN's id; then give it the address",
      .blocks_for = &kDemandsVlan,
      .depends_on = {"vlan.present"},
      .rule = Rule<PortView>{TagNotApplicable, JudgeId}};
}

Check VlanEgressMap() {
  return {
      .id = "vlan.egress-map",
      .title = "RDMA leaves the storage VLAN with the RDMA priority in its tag",
      .why =
          "RDMA-CM takes the priority from this map: without a row the tag says 0, the class that is dropped",
      .fix = "ip link set dev {netdev}.VLAN type vlan egress-qos-map 0:{priority}",
      .blocks_for = &kDemandsVlan,
      .depends_on = {"vlan.present", "vlan.id", "gid.default-mode"},
      .rule = Rule<PortView>{EgressNotApplicable, JudgeEgress}};
}

}  // namespace rdmaready
