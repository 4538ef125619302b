// SPDX-License-Identifier: Apache-2.0
// roce.tos-verbs, gid.no-v1-traffic, vlan.mqprio: marks that RDMA-CM's defaults do not decide.
#include <algorithm>

#include "checks/families.h"
#include "checks/placeholders.h"
#include "checks/words/socket_priority.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string VerbsNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!WantedTos(view.profile)) return NotAsked(view.profile, "a ToS or DSCP");
  return NotOffered(view.port.verbs_traffic_class) ? "the driver forces no traffic class" : "";
}

// A vendor's switch, which overrides what every program and RDMA-CM say.
Verdict JudgeVerbs(const PortView& view) {
  constexpr std::string_view kSource = "sysfs traffic_class";
  const unsigned wanted = *WantedTos(view.profile);
  const std::string expected = Cat("none, or DSCP ", wanted >> 2);
  const Fact<std::uint8_t>& forced = view.port.verbs_traffic_class;
  if (!forced) return NoAnswer(forced.missing(), expected, kSource);
  const unsigned now = *forced;
  if (now == 0) return Judged(true, "no traffic class is forced", expected, kSource);
  return Judged(now >> 2 == wanted >> 2, Cat("every connection has ToS ", now, " (DSCP ", now >> 2, ")"),
                expected, kSource,
                Cat("echo ", wanted, " > /sys/class/infiniband/", ShellWord(view.port.device), "/tc/",
                    view.port.number, "/traffic_class"));
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

std::string IndexNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (NotOffered(markings)) return "no software here names a GID";
  if (!markings) return {};
  const bool named =
      std::ranges::any_of(*markings, [](const ConsumerMarking& one) { return one.gid_index.has_value(); });
  return named ? "" : "no configuration here names the index of a GID";
}

// Of whoever names a GID by its number: RDMA-CM finds the right one by itself.
Verdict JudgeIndex(const PortView& view) {
  constexpr std::string_view kSource = "configuration files, GID table";
  constexpr std::string_view kExpected = "RoCE v2 with an IP address";
  const Fact<std::vector<ConsumerMarking>>& markings = view.host.markings;
  if (!markings) return NoAnswer(markings.missing(), std::string(kExpected), kSource);
  const Fact<std::vector<Gid>>& gids = view.port.gids;
  if (!gids) return NoAnswer(gids.missing(), std::string(kExpected), kSource);
  const auto good = std::ranges::find_if(
      *gids, [](const Gid& gid) { return gid.type == GidType::kRoceV2 && !AddressOfGid(gid.raw).empty(); });
  const std::string advice =
      good == gids->end() ? std::string() : Cat("; index ", good->index, " is RoCE v2 with an IP address");
  std::string observed;
  for (const ConsumerMarking& marking : *markings) {
    if (!marking.gid_index) continue;
    const auto gid = std::ranges::find(*gids, *marking.gid_index, &Gid::index);
    const std::string text = Cat(ConsumerWord(marking.consumer), " uses GID ", *marking.gid_index);
    const bool right = gid != gids->end() && gid->type == GidType::kRoceV2 && !AddressOfGid(gid->raw).empty();
    if (!right) {
      const std::string_view what = gid == gids->end()              ? ", and there is none"
                                    : gid->type == GidType::kRoceV2 ? ", which has no IP address"
                                                                    : ", which is RoCE v1";
      return Judged(
          false, Cat(text, what), std::string(kExpected), kSource,
          Cat("grep -n GID_INDEX ", ShellWord(marking.source), "  # name another index there", advice));
    }
    observed += Cat(observed.empty() ? "" : ", ", text);
  }
  return Judged(true, observed, std::string(kExpected), kSource);
}

std::string MqprioNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsPcp.made_by(view.profile)) return NotAsked(view.profile, "a priority in the tag");
  return NotOffered(NetdevFact(view.port.netdev, &Netdev::mqprio)) ? "no mqprio is in place" : "";
}

// Where it is in place it decides, and no VLAN's map is looked at.
Verdict JudgeMqprio(const PortView& view) {
  constexpr std::string_view kSource = "rtnetlink mqprio, configfs rdma_cm";
  const unsigned wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("PCP ", wanted);
  const Fact<Mqprio> mqprio = NetdevFact(view.port.netdev, &Netdev::mqprio);
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

}  // namespace

Check RoceTosVerbs() {
  return {.id = "roce.tos-verbs",
          .title = "No traffic class is forced on RDMA but the profile's",
          .why = "It overrides what RDMA-CM and every program say: all RDMA lands in the class that it names",
          .fix = "cat /sys/class/infiniband/{device}/tc/{port}/traffic_class  # echo {tos} into it",
          .depends_on = {"inv.rdma-present", "inv.transport", "link.state"},
          .rule = Rule<PortView>{VerbsNotApplicable, JudgeVerbs}};
}

Check GidNoV1Traffic() {
  return {
      .id = "gid.no-v1-traffic",
      .title = "Software that names a GID names one of RoCE v2",
      .why = "Numbers of GIDs move when an address comes or goes: what was RoCE v2 is then v1, without a DSCP",
      .fix = "rdma link show {device}/{port}  # the GIDs: ibv_devinfo -v; name the index of a RoCE v2 one",
      .depends_on = {"gid.v2-present"},
      .rule = Rule<PortView>{IndexNotApplicable, JudgeIndex}};
}

Check VlanMqprio() {
  return {.id = "vlan.mqprio",
          .title = "A queueing discipline does not move RDMA to another priority",
          .why = "RDMA-CM asks mqprio first: with it in place the VLAN's map is not even looked at",
          .fix = "tc qdisc del dev {netdev} root",
          .depends_on = {"vlan.present", "gid.default-mode"},
          .rule = Rule<PortView>{MqprioNotApplicable, JudgeMqprio}};
}

}  // namespace rdmaready
