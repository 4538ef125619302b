// SPDX-License-Identifier: Apache-2.0
// roce.tos-verbs, roce.tos-persistent, gid.no-v1-traffic, vlan.mqprio, vlan.egress-map: marks that RDMA-CM's
// default does not decide, and what becomes of it at a boot and in a VLAN.
#include <algorithm>

#include "checks/families.h"
#include "checks/net/tagging.h"
#include "checks/placeholders.h"
#include "checks/roce/gid_choice.h"
#include "checks/roce/own_marks.h"
#include "checks/words/cluster_agent.h"
#include "checks/words/socket_priority.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// openibd runs the hooks of /etc/infiniband at each start of the driver (MLNX_OFED).
Fix TrafficClassFix(const PortView& view, unsigned now, unsigned wanted) {
  const std::string file =
      Cat("/sys/class/infiniband/", ShellWord(view.port.device), "/tc/", view.port.number, "/traffic_class");
  return Fix(Cat("echo ", wanted, " > ", file))
      .Because(Cat("a script or a person wrote traffic class ", now, ", which overrides every program"),
               Certainty::kCertain)
      .Do(Cat("write ", wanted,
              " in the script that sets it at boot, for example /etc/infiniband/post-start-hook.sh"))
      .CheckBy(Cat("cat ", file));
}

// A vendor's switch, which overrides what every program and RDMA-CM say.
Verdict JudgeRoceTosVerbs(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!WantedTos(view.profile)) return NotApplicable(NotAsked(view.profile, "a ToS or DSCP"));
  if (NotOffered(view.port.verbs_traffic_class)) return NotApplicable("the driver forces no traffic class");
  constexpr std::string_view kSource = "sysfs traffic_class";
  const unsigned wanted = *WantedTos(view.profile);
  const std::string expected = Cat("none, or DSCP ", wanted >> 2);
  const Fact<std::uint8_t>& forced = view.port.verbs_traffic_class;
  if (!forced) return NoAnswer(forced.missing(), expected, kSource);
  const unsigned now = *forced;
  if (now == 0) return Judged(true, "no traffic class is forced", expected, kSource);
  return Judged(now >> 2 == wanted >> 2, Cat("every connection has ToS ", now, " (DSCP ", now >> 2, ")"),
                expected, kSource, TrafficClassFix(view, now, wanted));
}

std::string_view ConsumerWord(MarkingConsumer consumer) {
  switch (consumer) {
    case MarkingConsumer::kNvme:
      return "NVMe";
    case MarkingConsumer::kNccl:
      return "NCCL";
    case MarkingConsumer::kUnknown:
      break;
  }
  return "a program";
}

// What is known to mark by itself, and how.
std::string ConsumerTosNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!WantedTos(view.profile) || view.profile.trust == Profile::Trust::kPcp)
    return NotAsked(view.profile, "a ToS or DSCP");
  if (view.profile.marking == Profile::Marking::kConsumers) return "consumers mark by themselves: see roce.tos";
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (NotOffered(markings)) return "no software here marks by itself";
  if (!markings) return {};
  const bool any =
      std::ranges::any_of(*markings, [](const ConsumerMarking& one) { return one.tos.has_value(); });
  return any ? "" : "no configuration here marks by itself";
}

Verdict JudgeRoceConsumerTos(const PortView& view) {
  if (std::string reason = ConsumerTosNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kSource = "configuration files";
  const unsigned wanted = *WantedTos(view.profile);
  const std::string expected = Cat("DSCP ", wanted >> 2);
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (!markings) return NoAnswer(markings.missing(), expected, kSource);
  std::string observed;
  std::string fix;
  for (const ConsumerMarking& one : *markings) {
    if (!one.tos) continue;
    const unsigned dscp = unsigned{*one.tos} >> 2;
    observed += Cat(observed.empty() ? "" : ", ", ConsumerWord(one.consumer), " marks ToS ", *one.tos,
                    " (DSCP ", dscp, ")");
    if (dscp != wanted >> 2 && fix.empty())
      fix = Cat("grep -n -i -e tos -e NCCL_IB_TC ", ShellWord(one.source), "  # name ", wanted, " there");
  }
  return Judged(fix.empty(), observed, expected, kSource, fix);
}

std::string IndexNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (NotOffered(markings)) return "no software here names a GID";
  if (!markings) return {};
  const bool named =
      std::ranges::any_of(*markings, [](const ConsumerMarking& one) { return one.gid_index.has_value(); });
  return named ? "" : "no configuration here names the index of a GID";
}

// For programs that name a GID by its number: RDMA-CM finds the right one by itself.
Verdict JudgeGidNoV1Traffic(const PortView& view) {
  if (std::string reason = IndexNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kSource = "configuration files, GID table";
  constexpr std::string_view kExpected = "RoCE v2";
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (!markings) return NoAnswer(markings.missing(), kExpected, kSource);
  const Fact<std::vector<Gid>>& gids = view.port.gids;
  if (!gids) return NoAnswer(gids.missing(), kExpected, kSource);
  std::string observed;
  for (const ConsumerMarking& marking : *markings) {
    if (!marking.gid_index) continue;
    const auto gid = std::ranges::find(*gids, *marking.gid_index, &Gid::index);
    const std::string text = Cat(ConsumerWord(marking.consumer), " uses GID ", *marking.gid_index);
    if (gid == gids->end()) continue;
    if (gid->type != GidType::kRoceV2)
      return Judged(false, Cat(text, ", which is RoCE v1"), kExpected, kSource,
                    AnotherIndexFix(marking, view.port, *gids));
    observed += Cat(observed.empty() ? "" : ", ", text);
  }
  if (observed.empty()) return NotApplicable("no GID of this number is in the table: see gid.pinned-index");
  return Judged(true, observed, kExpected, kSource);
}

// Where it is in place it decides, and no VLAN's map is looked at.
Verdict JudgeVlanMqprio(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsPcp.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "a priority in the tag"));
  if (DriverLacks(view.port.netdev, NetdevFact(view.port.netdev, &Netdev::mqprio)))
    return NotApplicable("no mqprio is in place");
  constexpr std::string_view kSource = "rtnetlink mqprio, configfs rdma_cm";
  const unsigned wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("PCP ", wanted);
  const FactRef<Mqprio> mqprio = NetdevFact(view.port.netdev, &Netdev::mqprio);
  if (!mqprio) return NoAnswer(mqprio.missing(), expected, kSource);
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (!tos) return NoAnswer(tos.missing(), expected, kSource);
  const std::uint32_t priority = SocketPriorityOf(*tos);
  const unsigned now = ClassOf(*mqprio, priority);
  return Judged(now == wanted, Cat("mqprio gives RDMA-CM's priority ", priority, " class ", now), expected,
                kSource,
                Cat("tc qdisc del dev ", NetdevWord(view.port.netdev),
                    " root  # without it the VLAN's egress map decides"));
}

// No file sets it: a pod of the cluster may.
Verdict JudgeTosWithoutFile(const Facts& host, std::string_view expected, std::string_view source) {
  if (!host.cluster_agents) return NoAnswer(host.cluster_agents.missing(), expected, source);
  const ClusterAgent* const agent = QosAgentOf(host);
  if (agent != nullptr)
    return NotApplicable(
        Cat(ClusterAgentText(*agent), " sets it, and a host cannot show what a cluster does at its next boot"));
  return Judged(false, "nothing sets RDMA-CM's ToS at boot", expected, source);
}

Verdict JudgeRoceTosPersistent(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  const auto tos = WantedTos(view.profile);
  if (!tos) return NotApplicable(NotAsked(view.profile, "a ToS or DSCP"));
  if (*tos == 0) return NotApplicable("ToS 0 is what the kernel starts with");
  constexpr std::string_view kExpected = "a unit, a udev rule or a script that sets it";
  const Fact<std::uint64_t> of_nic = DscpOfNic(view.port);
  if (of_nic) return NotApplicable(kMarkOfNic);
  if (!NotOffered(of_nic)) return NoAnswer(of_nic.missing(), kExpected, "congestion control");
  const Fact<std::uint8_t>& now = view.port.cm_default_tos;
  const bool consumers = view.profile.marking == Profile::Marking::kConsumers;
  if (consumers && now && *now == 0)
    return NotApplicable("consumers mark by themselves, and RDMA-CM's default is not set");
  constexpr std::string_view kKeepersSource = "files below /etc";
  if (consumers && !now) return NoAnswer(now.missing(), kExpected, "configfs rdma_cm");
  const Fact<std::vector<std::string>>& keepers = view.host.tos_keepers;
  if (!keepers) return NoAnswer(keepers.missing(), kExpected, kKeepersSource);
  // Of a port that may be iWARP nobody asks for a ToS.
  if (keepers->empty() && !view.port.transport)
    return NoAnswer(view.port.transport.missing(), kExpected, "transport");
  if (keepers->empty()) return JudgeTosWithoutFile(view.host, kExpected, kKeepersSource);
  return Judged(true, Cat(keepers->front(), keepers->size() > 1 ? " and others" : ""), kExpected,
                kKeepersSource);
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
std::string OtherVlansText(const PortView& view, const std::vector<TaggedNetdev>& storage) {
  if (view.profile.vlan_ids) return {};
  std::string names;
  for (const TaggedNetdev& vlan : VlansWithAddress(view.port)) {
    if (std::ranges::find(storage, vlan) == storage.end()) names += Cat(names.empty() ? "" : ", ", vlan.name);
  }
  return names.empty() ? "" : Cat("; not for RDMA: ", names);
}

Verdict JudgeVlanEgressMap(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (view.profile.vlan != Profile::Vlan::kTagged) return NotApplicable(NotAsked(view.profile, "a VLAN"));
  if (!kDemandsPcp.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "a priority in the tag"));
  constexpr std::string_view kMapSource = "rtnetlink VLAN egress map, configfs rdma_cm";
  const std::uint8_t wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("PCP ", wanted);
  const Fact<std::uint8_t>& tos = view.port.cm_default_tos;
  if (!tos) return NoAnswer(tos.missing(), expected, kMapSource);
  const std::uint32_t priority = SocketPriorityOf(*tos);
  const std::vector<TaggedNetdev> vlans = StorageVlans(view.host, view.port, view.profile);
  if (vlans.empty()) {
    return NoAnswer({.kind = Missing::Kind::kFailed, .detail = "no storage VLAN to look at"}, expected,
                    kMapSource);
  }
  std::string observed;
  std::string fix;
  std::size_t right = 0;
  for (const TaggedNetdev& vlan : vlans) {
    const Fact<TagPriority> tag = TagPriorityOf(view.port, vlan, priority);
    // Of several that are not named the unknown one may be the one that storage uses.
    if (!tag) return NoAnswer(tag.missing(), expected, kMapSource);
    if (tag->pcp == wanted) ++right;
    if (tag->pcp != wanted && fix.empty()) fix = EgressFix(view, vlan, priority, *tag);
    observed += Cat(observed.empty() ? "" : ", ", LeavesText(vlan, priority, *tag));
  }
  observed += OtherVlansText(view, vlans);
  // A fix for all of them might mark another's traffic.
  if (right > 0 && right < vlans.size() && !view.profile.vlan_ids) {
    Verdict verdict = Unclear(observed + "; which of them carry RDMA is not known", expected, kMapSource);
    verdict.fix = "rdmaready profile show {profile}  # name the storage VLANs in the profile (vlan_ids)";
    return verdict;
  }
  return Judged(fix.empty(), observed, expected, kMapSource, fix);
}

}  // namespace

std::vector<Check> MarkingChecks() {
  return {
      {.id = "gid.no-v1-traffic",
       .title = "Software that names a GID names one of RoCE v2",
       .why = "Numbers of GIDs move when an address comes or goes: what was RoCE v2 is then v1, without a DSCP",
       .fix = Fix()
                  .Do("name the index of a RoCE v2 GID in the configuration")
                  .CheckBy("ibv_devinfo -v -d {device}"),
       .depends_on = {"gid.v2-present"},
       .judge = JudgeGidNoV1Traffic},
      {.id = "roce.tos-verbs",
       .title = "No traffic class is forced on RDMA but the profile's",
       .why = "It overrides what RDMA-CM and every program say: all RDMA lands in the class that it names",
       .fix = Fix("echo {tos} > /sys/class/infiniband/{device}/tc/{port}/traffic_class")
                  .CheckBy("cat /sys/class/infiniband/{device}/tc/{port}/traffic_class"),
       .blocks_for = &kDemandsTos,
       .depends_on = {"inv.rdma-present", "inv.transport", "link.state"},
       .judge = JudgeRoceTosVerbs},
      {.id = "roce.consumer-tos",
       .title = "Software that marks its RDMA itself names the profile's mark",
       .why =
           "Its own mark overrides RDMA-CM's default: with another one its traffic runs in the default class",
       .fix = "grep -n -i -e tos -e NCCL_IB_TC /etc/nvme/discovery.conf /etc/nvme/config.json /etc/nccl.conf  "
              "# name {tos} "
              "there",
       .depends_on = {"inv.transport"},
       .judge = JudgeRoceConsumerTos},
      {.id = "vlan.mqprio",
       .title = "A queueing discipline does not move RDMA to another priority",
       .why = "RDMA-CM asks mqprio first: with it in place the VLAN's map is not even looked at",
       .fix = "tc qdisc del dev {netdev} root",
       .depends_on = {"vlan.present", "gid.default-mode"},
       .judge = JudgeVlanMqprio},
      {.id = "roce.tos-persistent",
       .title = "RDMA-CM's ToS is set again at every boot",
       .why = "RDMA-CM forgets it when its module is unloaded: it works until the next boot",
       // One rule for all ports, which needs no name: the device of the event may get another one before RUN
       // (60-rdma-persistent-naming.rules), and %k would still be the old one.
       .fix =
           "echo \"ACTION==\\\"add\\\", SUBSYSTEM==\\\"infiniband\\\", RUN+=\\\"/bin/sh -c 'modprobe rdma_cm; "
           "cd /sys/kernel/config/rdma_cm || exit; ls /sys/class/infiniband | xargs mkdir -p; "
           "echo {tos} | tee */ports/*/default_roce_tos'\\\"\" > "
           "/etc/udev/rules.d/90-rdma-tos.rules",
       .depends_on = {"gid.default-mode", "roce.tos"},
       .judge = JudgeRoceTosPersistent},
      {.id = "vlan.egress-map",
       .title = "RDMA leaves the storage VLAN with the RDMA priority in its tag",
       .why =
           "RDMA-CM takes the priority from this map: without a row the tag says 0, the class that is dropped",
       .fix = "ip link set dev {netdev}.VLAN type vlan egress-qos-map 0:{priority}",
       .blocks_for = &kDemandsVlan,
       .depends_on = {"vlan.present", "vlan.id", "gid.default-mode"},
       .judge = JudgeVlanEgressMap},
  };
}

}  // namespace rdmaready
