// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts Keepers(Fact<std::vector<std::string>> keepers) {
  return SecurityWith(&Facts::tos_keepers, std::move(keepers));
}

// Two classes in use, and the storage VLAN mapped as the profile has it.
Facts OnVlanOf(std::string_view driver, std::vector<std::string> over) {
  return WithVlan([&](Port& port, UpperNetdev& vlan) {
    vlan.over = over;
    Netdev netdev = *port.netdev;
    netdev.driver = driver;
    port.netdev = netdev;
  });
}

Facts MarkingNaming(Fact<std::vector<ConsumerMarking>> markings) {
  Facts host = GoodHost();
  host.markings = markings;
  return host;
}

Facts NamingGid(std::uint32_t index) {
  return MarkingNaming(std::vector<ConsumerMarking>{
      {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .gid_index = index}});
}

// Two VLANs, of which dcb0.10 leads to everybody else; the map is the other's, or, swapped, its own.
Facts Managed(bool swapped = false) {
  Facts host = ConvergedWith([swapped](Port&, std::vector<UpperNetdev>& uppers) {
    if (swapped) std::swap(uppers.front().vlan_egress, uppers.back().vlan_egress);
  });
  host.default_routes = std::vector<std::string>{"dcb0.10"};
  return host;
}

template <class Change>
Facts WithMqprio(Change change) {
  return WithVlan([&change](Port& port, UpperNetdev&) {
    Mqprio mqprio{.traffic_classes = 8};
    for (std::uint8_t i = 0; i < 16; ++i) mqprio.priority_class[i] = i % 8;
    Netdev netdev = *port.netdev;
    netdev.mqprio = mqprio;
    change(netdev);
    port.netdev = netdev;
  });
}

Facts KeptByPods(Fact<std::vector<ClusterAgent>> agents) {
  Facts host = Keepers(std::vector<std::string>{});
  host.cluster_agents = std::move(agents);
  return host;
}

std::vector<CheckCase> MarkingSecurityRows() {
  const Profile fabric = VirtualFabricProfile();
  Profile unmarked = fabric;
  unmarked.tos.reset();
  unmarked.dscp.reset();
  Profile tenants = fabric;
  tenants.multi_tenant = true;
  return {Passes("roce.tos-persistent", "a unit keeps it", GoodHost(), "/etc/systemd/system/rdma-tos.service",
                 {.profile = fabric}),
          Fails("roce.tos-persistent", "nothing keeps it", Keepers(std::vector<std::string>{}),
                "nothing sets RDMA-CM's ToS at boot",
                {.fix = "ls /sys/class/infiniband | xargs mkdir -p; echo 106 | tee */ports/*/default_roce_tos",
                 .profile = fabric}),
          IsUnknown("roce.tos-persistent", "not readable", Keepers(Denied()), "Operation not permitted",
                    {.profile = fabric}),
          IsUnknown("roce.tos-persistent", "whether a pod keeps it is not known", KeptByPods(Denied()),
                    "Operation not permitted", {.profile = fabric}),
          Fails("roce.tos-persistent", "a pod sets MTU and functions alone",
                KeptByPods(std::vector<ClusterAgent>{{.process = "sriov-network-c", .by = "sriov-network-c"}}),
                "nothing sets RDMA-CM's ToS at boot", {.profile = fabric}),
          DoesNotApply(
              "roce.tos-persistent", "a pod keeps it",
              KeptByPods(std::vector<ClusterAgent>{{.process = "bash", .pid = 7712, .by = "cma_roce_tos"}}),
              "a pod of the cluster (process 7712, bash) sets it", {.profile = fabric}),
          DoesNotApply("roce.tos-persistent", "no ToS asked for", Keepers(std::vector<std::string>{}),
                       "does not ask", {.profile = unmarked})};
}

std::vector<CheckCase> MarkingVlanRows() {
  const auto egress = [](Fact<std::vector<VlanPriority>> map) {
    return WithVlan([&map](Port&, UpperNetdev& vlan) { vlan.vlan_egress = map; });
  };
  using Map = std::vector<VlanPriority>;
  return {
      Passes("vlan.egress-map", "0 to 3", OnVlan(), "dcb0.711: RDMA-CM's priority 0 leaves with PCP 3",
             {.profile = Tagged()}),
      Fails("vlan.egress-map", "empty", egress(Map{}), "priority 0 leaves with PCP 0",
            {.fix = "ip link set dev dcb0.711 type vlan egress-qos-map 0:3", .profile = Tagged()}),
      Fails("vlan.egress-map", "for another ToS",
            WithVlan([](Port& port, UpperNetdev&) { port.cm_default_tos = std::uint8_t{106}; }),
            "priority 2 leaves with PCP 0", {.fix = "egress-qos-map 2:3", .profile = Tagged()}),
      Passes("vlan.egress-map", "management on another VLAN, with the default route", Managed(),
             "dcb0.711: RDMA-CM's priority 0 leaves with PCP 3; not for RDMA: dcb0.10", {.profile = Tagged()}),
      Fails("vlan.egress-map", "the map was given to management", Managed(true),
            "dcb0.711: RDMA-CM's priority 0 leaves with PCP 0; not for RDMA: dcb0.10",
            {.fix = "ip link set dev dcb0.711 type vlan egress-qos-map 0:3", .profile = Tagged()}),
      IsUnknown("vlan.egress-map", "one of two, and which is RDMA's is not known", Converged(),
                "which of them carry RDMA is not known", {.fix = "vlan_ids", .profile = Tagged()}),
      Fails("vlan.egress-map", "none of two leaves as RDMA",
            ConvergedWith([](Port&, std::vector<UpperNetdev>& uppers) { uppers.back().vlan_egress = Map{}; }),
            "dcb0.10: RDMA-CM's priority 0 leaves with PCP 0, dcb0.711:",
            {.fix = "egress-qos-map 0:3", .profile = Tagged()}),
      IsUnknown(
          "vlan.egress-map", "one of two is not known",
          ConvergedWith([](Port&, std::vector<UpperNetdev>& uppers) { uppers.back().vlan_egress = Denied(); }),
          "not permitted", {.profile = Tagged()}),
      Fails("vlan.egress-map", "another VLAN than the named one is right", Converged(),
            "dcb0.10: RDMA-CM's priority 0 leaves with PCP 0",
            {.fix = "ip link set dev dcb0.10", .profile = OnlyVlan(10)}),
      Fails("vlan.egress-map", "the NIC's classes go before the map", OnVlanOf("bnxt_en", {"dcb0"}),
            "leaves with its traffic class, PCP 0", {.fix = "dcb ets show dev dcb0", .profile = Tagged()}),
      Passes("vlan.egress-map", "over a bond the map decides", OnVlanOf("bnxt_en", {"bond0"}),
             "leaves with PCP 3", {.profile = Tagged()}),
      Passes("vlan.egress-map", "irdma takes the map, whatever the classes of ice are",
             OnVlanOf("ice", {"dcb0"}), "leaves with PCP 3", {.profile = Tagged()}),
      IsUnknown("vlan.egress-map", "map denied", egress(Denied()), "not permitted", {.profile = Tagged()}),
      IsUnknown("vlan.egress-map", "ToS denied",
                WithVlan([](Port& port, UpperNetdev&) { port.cm_default_tos = Denied(); }), "not permitted",
                {.profile = Tagged()}),
      IsUnknown("vlan.egress-map", "no VLAN",
                WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), "no storage VLAN",
                {.profile = Tagged()}),
      DoesNotApply("vlan.egress-map", "not asked", GoodHost(), "does not ask")};
}

std::vector<CheckCase> MarkingToSRows() {
  const auto forced = [](Fact<std::uint8_t> value) {
    return WithPort([&value](Port& port) { port.verbs_traffic_class = value; });
  };
  return {Passes("roce.tos-verbs", "none", forced(std::uint8_t{0}), "no traffic class is forced"),
          Passes("roce.tos-verbs", "RDMA's", forced(std::uint8_t{104}), "DSCP 26"),
          Fails("roce.tos-verbs", "another", forced(std::uint8_t{96}), "ToS 96 (DSCP 24)",
                {.fix = "echo 106 > /sys/class/infiniband/rxe0/tc/1/traffic_class"}),
          IsUnknown("roce.tos-verbs", "denied", forced(Denied()), "not permitted"),
          DoesNotApply("roce.tos-verbs", "not offered", GoodHost(), "forces no traffic class")};
}

std::vector<CheckCase> MarkingConsumerRows() {
  const auto marks = [](MarkingConsumer consumer, std::uint8_t tos) {
    return MarkingNaming(
        std::vector<ConsumerMarking>{{.consumer = consumer, .source = "/etc/marks.conf", .tos = tos}});
  };
  const Profile consumers = Asking([](Profile& profile) { profile.marking = Profile::Marking::kConsumers; });
  const Profile with_ecn = Asking([](Profile& profile) {
    profile.marking = Profile::Marking::kConsumers;
    profile.tos.reset();
    profile.ecn = Profile::Ecn{};
  });
  Facts forced = marks(MarkingConsumer::kNccl, 106);
  std::vector<Port> forced_ports = *forced.ports;
  forced_ports.front().verbs_traffic_class = std::uint8_t{104};
  forced.ports = forced_ports;
  const auto unset = [](Facts host) {
    std::vector<Port> ports = *host.ports;
    ports.front().cm_default_tos = std::uint8_t{0};
    host.ports = ports;
    return host;
  };
  return {Passes("roce.consumer-tos", "NVMe, right", marks(MarkingConsumer::kNvme, 104),
                 "NVMe marks ToS 104 (DSCP 26)"),
          Fails("roce.consumer-tos", "NVMe, none", marks(MarkingConsumer::kNvme, 0),
                "NVMe marks ToS 0 (DSCP 0)", {.fix = "/etc/marks.conf  # name 106 there"}),
          IsUnknown("roce.consumer-tos", "denied", MarkingNaming(Denied()), "not permitted"),
          DoesNotApply("roce.consumer-tos", "nobody", GoodHost(), "no configuration here"),
          DoesNotApply("roce.consumer-tos", "all do", marks(MarkingConsumer::kNccl, 0), "see roce.tos",
                       {.profile = consumers}),
          Passes("roce.tos", "NCCL's own", unset(marks(MarkingConsumer::kNccl, 104)),
                 "NCCL marks ToS 104 (DSCP 26)", {.profile = consumers}),
          Fails("roce.tos", "NCCL's own, another", marks(MarkingConsumer::kNccl, 0), "NCCL marks ToS 0",
                {.fix = "NCCL_IB_TC=106", .profile = consumers}),
          Passes("roce.tos", "consumers say nothing, RDMA-CM's default", GoodHost(), "RDMA-CM default ToS 106",
                 {.profile = consumers}),
          IsUnknown("roce.tos", "consumers say nothing", unset(GoodHost()), "no configuration here marks",
                    {.profile = consumers}),
          Passes("ecn.ect-set", "NCCL's own", unset(marks(MarkingConsumer::kNccl, 106)),
                 "NCCL marks ToS 106 (DSCP 26) by /etc/marks.conf: ECT(0)", {.profile = with_ecn}),
          Fails("ecn.ect-set", "NCCL's own, without the bits", marks(MarkingConsumer::kNccl, 104), "Not-ECT",
                {.fix = "write NCCL_IB_TC=106 there", .profile = with_ecn}),
          Fails("ecn.ect-set", "a forced mark goes before NCCL's own", forced,
                "every connection has ToS 104: Not-ECT", {.profile = with_ecn}),
          IsUnknown("ecn.ect-set", "consumers say nothing", unset(GoodHost()), "no configuration here marks",
                    {.profile = with_ecn}),
          Passes("ecn.ect-set", "consumers say nothing, RDMA-CM's default", GoodHost(),
                 "RDMA-CM default ToS 106", {.profile = with_ecn}),
          IsUnknown("roce.tos-persistent", "consumers mark, RDMA-CM's default denied",
                    WithPort([](Port& port) { port.cm_default_tos = Denied(); }), "not permitted",
                    {.profile = consumers}),
          DoesNotApply("roce.tos-persistent", "RDMA-CM's default is nobody's", unset(GoodHost()),
                       "consumers mark by themselves", {.profile = consumers})};
}

std::vector<CheckCase> MarkingMovedRows() {
  Facts v1 = NamingGid(1);
  std::vector<Port> ports = *v1.ports;
  std::vector<Gid> gids = *ports.front().gids;
  gids.back().type = GidType::kRoceV1;
  ports.front().gids = gids;
  v1.ports = ports;
  const auto mapped = [](std::uint8_t traffic_class) {
    return WithMqprio([=](Netdev& netdev) {
      Mqprio mqprio = *netdev.mqprio;
      mqprio.priority_class[0] = traffic_class;
      netdev.mqprio = mqprio;
    });
  };
  return {Passes("gid.no-v1-traffic", "v2", NamingGid(1), "NCCL uses GID 1"),
          Fails("gid.no-v1-traffic", "v1", v1, "NCCL uses GID 1, which is RoCE v1",
                {.fix = "set NCCL_IB_GID_INDEX"}),
          Passes("gid.no-v1-traffic", "link-local", NamingGid(0), "NCCL uses GID 0"),
          DoesNotApply("gid.no-v1-traffic", "none", NamingGid(9), "see gid.pinned-index"),
          IsUnknown("gid.no-v1-traffic", "denied", MarkingNaming(Denied()), "not permitted"),
          DoesNotApply("gid.no-v1-traffic", "nobody names one", GoodHost(), "names the index"),
          Passes("vlan.mqprio", "to the RDMA priority", mapped(3), "class 3", {.profile = PcpProfile()}),
          Fails("vlan.mqprio", "elsewhere", mapped(0), "RDMA-CM's priority 0 class 0",
                {.fix = "tc qdisc del dev dcb0 root", .profile = PcpProfile()}),
          IsUnknown("vlan.mqprio", "denied", WithMqprio([](Netdev& netdev) { netdev.mqprio = Denied(); }),
                    "not permitted", {.profile = PcpProfile()}),
          DoesNotApply("vlan.mqprio", "none", OnVlan(), "no mqprio", {.profile = PcpProfile()}),
          DoesNotApply("vlan.mqprio", "DSCP profile", mapped(0), "does not ask")};
}

}  // namespace

std::vector<CheckCase> MarkingCases() {
  return Joined(
      {MarkingSecurityRows(), MarkingVlanRows(), MarkingToSRows(), MarkingConsumerRows(), MarkingMovedRows()});
}

}  // namespace rdmaready
