// SPDX-License-Identifier: Apache-2.0
// gid.*, roce.tos: the GIDs that stand for the port's addresses, and how RDMA-CM marks by default.
#include <algorithm>
#include <cstdint>

#include "checks/families.h"
#include "checks/net/address_fix.h"
#include "checks/net/tagging.h"
#include "checks/placeholders.h"
#include "checks/roce/own_marks.h"
#include "checks/words/addresses.h"
#include "checks/words/carrying_function.h"
#include "checks/words/interruption.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCmSource = "configfs rdma_cm";
constexpr std::string_view kCmInstead =
    "modprobe rdma_cm; mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config";

std::string NotRoceV2(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.transport == Profile::Transport::kRoceV2 ? "" : NotAsked(view.profile, "RoCE v2");
}

std::string AddressesOf(const std::vector<Gid>& gids, GidType type) {
  std::string text;
  for (const Gid& gid : gids) {
    const std::string address = AddressOfGid(gid.raw);
    if (gid.type != type || address.empty()) continue;
    text += Cat(text.empty() ? "" : ", ", address, " at index ", gid.index);
  }
  return text;
}

// An mlx5 physical function in switchdev mode has an RDMA device for raw packets, and no RoCE: its ports have
// RDMA_CORE_PORT_RAW_PACKET alone (mlx5_port_rep_immutable in main.c of mlx5_ib).
bool IsSwitchdev(const Port& port) {
  return port.devlink.eswitch_mode && *port.devlink.eswitch_mode == "switchdev" && !IsVirtualFunction(port);
}

// Even the default GIDs are missing, which every RoCE port has while its interface is up: addresses do not
// matter then, and taking the interface down would only lose them.
Fix NoRoceFix(const Port& port) {
  const std::string handle = Cat("pci/", ShellWord(port.pci->address));
  Fix fix;
  if (IsSwitchdev(port)) {
    fix = Fix().Because("its eswitch is in switchdev mode, where the physical function has no RoCE",
                        Certainty::kCertain);
  } else {
    fix = Fix(Cat("devlink dev eswitch show ", handle))
              .Because("the device has no RoCE now: its eswitch is in switchdev mode, or RoCE is switched off")
              .Run(Cat("devlink dev param show ", handle, " name enable_roce"));
  }
  return std::move(fix)
      .Do("in switchdev mode give RDMA a virtual function or a subfunction of {netdev}, with an address of its "
          "own")
      .Or(Cat("devlink dev eswitch set ", handle,
              " mode legacy: that ends its virtual functions and representors, and the interface loses its "
              "addresses"))
      .CheckBy(
          "grep -v 0000:0000:0000:0000:0000:0000:0000:0000 "
          "/sys/class/infiniband/{device}/ports/{port}/gids/*");
}

// Why the table has no usable entry decides what to do.
Fix GidFix(const PortView& view, const std::vector<Gid>& gids) {
  const Port& port = view.port;
  const std::string netdev = NetdevWord(port.netdev);
  if (!AddressesOf(gids, GidType::kRoceV1).empty()) {
    return Fix(Cat("ethtool -i ", netdev))
        .Because("this device or its driver offers RoCE v1 only", Certainty::kCertain)
        .Do("update firmware and driver of {device}, or use another NIC")
        .CheckBy("rdma link show {device}/{port}");
  }
  const bool has_address =
      port.netdev && port.netdev->addresses &&
      std::ranges::any_of(*port.netdev->addresses, [](const IpAddress& a) { return !IsLinkLocal(a.address); });
  const bool up = port.netdev && port.netdev->admin_up;
  if (gids.empty() && has_address && up && port.pci && !IsVirtualFunction(port)) return NoRoceFix(port);
  if (has_address) {
    return Bounce(port.netdev, "the interface has an address, the GID table missed it");
  }
  return AddressFix(view);
}

Verdict JudgeGidV2Present(const PortView& view) {
  if (std::string reason = NotRoceV2(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kSource = "GID table";
  constexpr std::string_view kExpected = "a RoCE v2 GID with an IP address";
  if (auto carried = CarriedElsewhere(view.host, view.port, kExpected, kSource)) return *carried;
  const Fact<Transport>& transport = view.port.transport;
  if (!transport) return NoAnswer(transport.missing(), kExpected, kSource);
  const Fact<std::vector<Gid>>& gids = view.port.gids;
  if (!gids) return NoAnswer(gids.missing(), kExpected, kSource);
  const std::string addresses = AddressesOf(*gids, GidType::kRoceV2);
  if (!addresses.empty()) return Judged(true, addresses, kExpected, kSource);
  const std::string v1 = AddressesOf(*gids, GidType::kRoceV1);
  std::string observed = "no RoCE v2 GID with an IP address";
  if (!v1.empty()) {
    observed += ", only RoCE v1: " + v1;
  } else if (!gids->empty()) {
    observed += ", only link-local ones";
  }
  return Judged(false, observed, kExpected, kSource, GidFix(view, *gids));
}

Verdict JudgeGidDefaultMode(const PortView& view) {
  if (std::string reason = NotRoceV2(view); !reason.empty()) return NotApplicable(reason);
  if (auto carried = CarriedElsewhere(view.host, view.port, "RoCE v2", kCmSource)) return *carried;
  const Fact<GidType>& mode = view.port.cm_default_mode;
  if (!mode) return NoAnswer(mode.missing(), "RoCE v2", kCmSource, kCmInstead);
  switch (*mode) {
    case GidType::kUnknown:
      return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "RDMA-CM reports a mode we do not know"},
                      "RoCE v2", kCmSource);
    case GidType::kIb:
    case GidType::kRoceV1:
      return Judged(false, "RDMA-CM uses RoCE v1", "RoCE v2", kCmSource);
    case GidType::kRoceV2:
      return Judged(true, "RDMA-CM uses RoCE v2", "RoCE v2", kCmSource);
  }
  return {};
}

Fix NcclFix(const std::string& file) {
  const std::string show = Cat("grep -n NCCL_IB_TC ", ShellWord(file));
  return Fix(show)
      .Because("the configuration of NCCL names another traffic class", Certainty::kCertain)
      .Caution("jobs that run keep theirs")
      .Do("write NCCL_IB_TC={tos} there")
      .CheckBy(show);
}

// Every consumer marks by itself.
Verdict JudgeOwnMarks(const PortView& view, unsigned wanted) {
  const std::string expected = Cat("DSCP ", wanted >> 2, " on what each consumer sends");
  const Fact<std::vector<OwnMark>> marks = OwnMarksOf(view, wanted);
  if (!marks) {
    const bool unread = !NotOffered(marks);
    return NoAnswer(
        marks.missing(), expected, kOwnMarksSource,
        unread ? Fix()
               : Fix("echo NCCL_IB_TC={tos} >> /etc/nccl.conf").Or("let each job say it in its environment"));
  }
  std::string observed;
  bool good = true;
  for (const OwnMark& mark : *marks) {
    good = good && unsigned{mark.tos} >> 2U == wanted >> 2U;
    observed += Cat(observed.empty() ? "" : ", ", mark.text);
  }
  const std::string& file = marks->front().file;
  return Judged(good, observed, expected, kOwnMarksSource, file.empty() ? Fix() : NcclFix(file));
}

// The upper six bits are the DSCP and decide the traffic class; the lower two only say whether ECN may mark
// the packet.
Verdict JudgeRoceTos(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!WantedTos(view.profile)) return NotApplicable(NotAsked(view.profile, "a ToS or DSCP"));
  if (auto carried = CarriedElsewhere(view.host, view.port, "RDMA's mark", kCmSource)) return *carried;
  const Profile& profile = view.profile;
  const unsigned wanted = *WantedTos(profile);
  if (profile.marking == Profile::Marking::kConsumers) return JudgeOwnMarks(view, wanted);
  const std::string expected =
      profile.tos ? Cat("ToS ", wanted, " (DSCP ", wanted >> 2, ")") : Cat("DSCP ", wanted >> 2);
  const Fact<std::uint64_t> own = DscpOfNic(view.port);
  if (own) {
    return Judged(*own == wanted >> 2, Cat("the NIC marks RoCE with DSCP ", *own, " by itself"), expected,
                  view.port.congestion->source);
  }
  if (!NotOffered(own)) return NoAnswer(own.missing(), expected, "congestion control");
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (!tos) return NoAnswer(tos.missing(), expected, kCmSource, kCmInstead);
  const unsigned now = *tos;
  const std::string observed =
      Cat("RDMA-CM default ToS ", now, now == 0 ? " (not set)" : Cat(" (DSCP ", now >> 2, ")"));
  if ((now >> 2) == (wanted >> 2) && profile.tos && now != wanted) {
    return Warned(observed + ", the ECN bits differ", expected, kCmSource);
  }
  return Judged((now >> 2) == (wanted >> 2), observed, expected, kCmSource);
}

constexpr std::string_view kGidTableSource = "GID table, rtnetlink addresses";

// Of the netdev itself or a VLAN directly on it. What stands further up has its GIDs only where the port is the
// active member.
bool IsNear(const PlacedAddress& placed) { return placed.upper == nullptr || placed.upper->vlan_id; }

Fix ReadAddressesAgain(const Port& port) {
  return Bounce(port.netdev, "the GID table missed a change of addresses");
}

Verdict JudgeGidIpMatch(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "a GID for each address, and no other";
  const Port& port = view.port;
  if (!port.transport) return NoAnswer(port.transport.missing(), kExpected, kGidTableSource);
  if (!port.gids) return NoAnswer(port.gids.missing(), kExpected, kGidTableSource);
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), kExpected, kGidTableSource);
  const std::vector<PlacedAddress> addresses = AddressesOf(port);
  const auto has_gid = [&port](const PlacedAddress& placed) {
    return std::ranges::any_of(*port.gids,
                               [&](const Gid& gid) { return AddressOfGid(gid.raw) == placed.ip.address; });
  };
  for (const PlacedAddress& placed : addresses) {
    if (!IsNear(placed) || has_gid(placed)) continue;
    return Judged(false, Cat("no GID for ", placed.ip.address, " of ", placed.netdev), kExpected,
                  kGidTableSource, ReadAddressesAgain(port));
  }
  if (!port.uppers) return NoAnswer(port.uppers.missing(), kExpected, kGidTableSource);
  for (const Gid& gid : *port.gids) {
    const std::string address = AddressOfGid(gid.raw);
    const bool known = std::ranges::any_of(
        addresses, [&](const PlacedAddress& placed) { return placed.ip.address == address; });
    if (address.empty() || known || gid.netdev.empty()) continue;  // without: of another network namespace
    return Warned(Cat("GID ", gid.index, " is for ", address, ", which no interface has"), kExpected,
                  kGidTableSource, ReadAddressesAgain(port));
  }
  return Judged(true, addresses.empty() ? "neither address nor GID" : "every address has its GID", kExpected,
                kGidTableSource);
}

Verdict JudgeGidVlanMatch(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (view.profile.vlan != Profile::Vlan::kTagged) return NotApplicable(NotAsked(view.profile, "a VLAN"));
  constexpr std::string_view kExpected = "a RoCE v2 GID on the storage VLAN";
  const Port& port = view.port;
  if (!port.gids) return NoAnswer(port.gids.missing(), kExpected, kGidTableSource);
  const std::vector<TaggedNetdev> vlans = StorageVlans(view.host, port, view.profile);
  if (vlans.empty()) {
    return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "no storage VLAN to look at"}, kExpected,
                    kGidTableSource);
  }
  std::string observed;
  for (const TaggedNetdev& vlan : vlans) {
    const auto gid = std::ranges::find_if(*port.gids, [&vlan](const Gid& candidate) {
      return candidate.type == GidType::kRoceV2 &&
             (candidate.netdev == vlan.name || AddressOfGid(candidate.raw) == vlan.address) &&
             !AddressOfGid(candidate.raw).empty();
    });
    if (gid == port.gids->end()) {
      return Judged(false, Cat("no RoCE v2 GID on ", vlan.name), kExpected, kGidTableSource,
                    Bounce(ShellWord(vlan.name), "the GID table missed the VLAN"));
    }
    observed += Cat(observed.empty() ? "" : ", ", AddressOfGid(gid->raw), " at index ", gid->index);
  }
  return Judged(true, observed, kExpected, kGidTableSource);
}

}  // namespace

std::vector<Check> GidChecks() {
  return {
      {.id = "gid.v2-present",
       .title = "The port has a RoCE v2 GID with an IP address",
       .why = "RDMA connections are made by IP address: without such a GID none can be resolved",
       .fix = AddressFix(),
       .blocks_for = &kDemandsRoceV2,
       .depends_on = {"drv.userlib", "inv.netdev-mapping", "link.state", "ip.address"},
       .judge = JudgeGidV2Present},
      {.id = "gid.ip-match",
       .title = "The GID table has the port's addresses, and no others",
       .why = "A connection to an address without a GID fails; a GID without an address answers for nobody",
       .fix = Bounce("{netdev}", "the GID table missed a change of addresses"),
       .depends_on = {"link.state", "ip.address", "gid.v2-present"},
       .judge = JudgeGidIpMatch},
      {.id = "gid.vlan-match",
       .title = "The storage VLAN has a RoCE v2 GID",
       .why = "Without one RDMA leaves untagged or not at all, whatever the VLAN's address is",
       .fix = Bounce("{netdev}.VLAN", "the GID table missed the VLAN"),
       .blocks_for = &kDemandsVlan,
       .depends_on = {"link.state", "gid.v2-present", "vlan.present", "vlan.id"},
       .judge = JudgeGidVlanMatch},
      {.id = "gid.default-mode",
       .title = "RDMA-CM makes RoCE v2 connections by default",
       .why = "RoCE v1 is not routed and carries no DSCP, so its traffic misses the lossless class",
       .fix = Fix("mkdir -p /sys/kernel/config/rdma_cm/{device} && echo 'RoCE v2' > "
                  "/sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_mode")
                  .Because("RDMA-CM's default of this device was set to RoCE v1", Certainty::kCertain)
                  .Caution("connections that are open keep their version")
                  .CheckBy("cat /sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_mode"),
       .blocks_for = &kDemandsRoceV2,
       .judge = JudgeGidDefaultMode},
      {.id = "roce.tos",
       .title = "RDMA-CM marks its traffic with the profile's ToS",
       .why = "Unmarked RDMA traffic lands in the default class, where frames are dropped under load",
       .fix = Fix("mkdir -p /sys/kernel/config/rdma_cm/{device} && echo {tos} > "
                  "/sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_tos")
                  .Because("nobody set RDMA-CM's default since the device was made")
                  .Caution("connections that are open keep their ToS")
                  .CheckBy("cat /sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_tos"),
       .blocks_for = &kDemandsTos,
       .depends_on = {"link.state", "gid.default-mode"},
       .in_summary = 1,
       .judge = JudgeRoceTos},
  };
}

}  // namespace rdmaready
