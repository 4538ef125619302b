// SPDX-License-Identifier: Apache-2.0
// agree.*: what the ports of several hosts should have in common, whatever the profile says of it. All of it is
// advice: each host may be ready by itself. The checks of shared_wire.cc and pair.cc, and the peer rung, find
// faults that keep two hosts from talking.
#include <algorithm>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/fleet/align.h"
#include "checks/words/addresses.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// What the value of a port is where the question does not apply to it.
Missing Apart(std::string_view reason) {
  return {.kind = Missing::Kind::kUnsupported, .detail = std::string(reason)};
}

// The answer of each Ethernet port that the RDMA port stands on, each text once.
template <class Describe>
Fact<std::string> OfEthernets(const Port& port, Describe describe) {
  std::vector<std::string> texts;
  for (NetdevRef netdev : EthernetPortsOf(port)) {
    const Fact<std::string> text = describe(netdev);
    if (!text) return text.missing();
    if (std::ranges::find(texts, *text) == texts.end()) texts.push_back(*text);
  }
  std::ranges::sort(texts);
  std::string all;
  for (const std::string& text : texts) all += Cat(all.empty() ? "" : " / ", text);
  return all;
}

Fact<std::string> TransportValue(const PortView& view) {
  if (!view.port.transport) return view.port.transport.missing();
  switch (*view.port.transport) {
    case Transport::kUnknown:
      break;
    case Transport::kInfiniBand:
      return std::string("InfiniBand");
    case Transport::kRoce:
      return std::string("RoCE");
    case Transport::kIwarp:
      return std::string("iWARP");
  }
  return Missing{.kind = Missing::Kind::kFailed, .detail = "the device does not say which transport it speaks"};
}

// The GID that stands for the port's first address: RoCE v2 where there is one.
Fact<std::string> GidValue(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return Apart(reason);
  if (!view.port.gids) return view.port.gids.missing();
  const std::vector<PlacedAddress> addresses = AddressesOf(view.port);
  if (addresses.empty()) return Missing{.kind = Missing::Kind::kFailed, .detail = "the port has no address"};
  std::string v1;
  for (const Gid& gid : *view.port.gids) {
    if (AddressOfGid(gid.raw) != addresses.front().ip.address) continue;
    if (gid.type == GidType::kRoceV2) return Cat("RoCE v2 GID at index ", gid.index);
    if (v1.empty()) v1 = Cat("RoCE v1 GID at index ", gid.index);
  }
  if (!v1.empty()) return v1;
  return Missing{.kind = Missing::Kind::kFailed, .detail = "no GID stands for its address"};
}

Fact<std::string> MtuValue(const PortView& view) {
  const Fact<Transport>& transport = view.port.transport;
  if (transport && *transport == Transport::kIwarp) return Apart("iWARP: TCP agrees on its segments by itself");
  if (!view.port.active_mtu_bytes) return view.port.active_mtu_bytes.missing();
  return Cat("RDMA MTU ", *view.port.active_mtu_bytes);
}

Fact<std::string> NetdevMtuValue(const PortView& view) {
  if (IsInfiniBand(view.port)) return Apart("InfiniBand has no Ethernet interface");
  if (!view.port.netdev) return view.port.netdev.missing();
  return Cat("MTU ", view.port.netdev->mtu_bytes);
}

Fact<std::string> SpeedValue(const PortView& view) {
  if (IsInfiniBand(view.port)) return Apart("InfiniBand has no Ethernet interface");
  return OfEthernets(view.port, [](NetdevRef netdev) -> Fact<std::string> {
    const FactRef<std::uint32_t> speed = NetdevFact(netdev, &Netdev::speed_mbps);
    if (!speed) return speed.missing();
    return SpeedText(*speed);
  });
}

Fact<std::string> AdapterValue(const PortView& view) {
  if (IsSoftware(view.port)) return Apart("a software device has none");
  if (!view.port.board) return view.port.board.missing();
  return *view.port.board;
}

Fact<std::string> FirmwareValue(const PortView& view) {
  if (IsSoftware(view.port)) return Apart("a software device has none");
  if (!view.port.firmware) return view.port.firmware.missing();
  return "firmware " + *view.port.firmware;
}

Fact<std::string> PfcValue(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return Apart(reason);
  return OfEthernets(view.port, [](NetdevRef netdev) -> Fact<std::string> {
    const FactRef<Pfc> pfc = DcbFact(netdev, &Dcb::pfc);
    if (!pfc) return pfc.missing();
    return PfcText(pfc->enabled);
  });
}

// One class of ETS: its priorities, and what it gets.
std::string ClassText(const Ets& ets, std::uint8_t traffic_class, const std::vector<std::uint8_t>& priorities) {
  const bool shares = ets.tsa[traffic_class] == Tsa::kEts;
  const std::string share = shares                                   ? Cat(ets.tx_percent[traffic_class], " %")
                            : ets.tsa[traffic_class] == Tsa::kStrict ? std::string("strict")
                                                                     : std::string("vendor's own scheduling");
  return Cat("priority ", ListText(priorities), " ", share);
}

// By its priorities, whatever numbers the classes have: two NICs may number them differently.
std::string EtsText(const Ets& ets) {
  std::vector<std::string> classes;
  for (std::uint8_t traffic_class = 0; traffic_class < kPriorities; ++traffic_class) {
    std::vector<std::uint8_t> priorities;
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
      if (ets.prio_tc[priority] == traffic_class) priorities.push_back(priority);
    }
    if (!priorities.empty()) classes.push_back(ClassText(ets, traffic_class, priorities));
  }
  std::ranges::sort(classes);
  std::string all;
  for (const std::string& text : classes) all += Cat(all.empty() ? "" : ", ", text);
  return all;
}

Fact<std::string> EtsValue(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return Apart(reason);
  return OfEthernets(view.port, [](NetdevRef netdev) -> Fact<std::string> {
    const FactRef<Ets> ets = DcbFact(netdev, &Dcb::ets);
    if (!ets) return ets.missing();
    return EtsText(*ets);
  });
}

// How RDMA-CM marks, by default.
Fact<std::string> MarkingValue(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return Apart(reason);
  if (!view.port.cm_default_tos) return view.port.cm_default_tos.missing();
  return Cat("RDMA-CM marks ToS ", *view.port.cm_default_tos);
}

// To which priority the DSCP leads that RDMA is to have.
Fact<std::string> DscpValue(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return Apart(reason);
  if (!view.profile.dscp) return Apart(NotAsked(view.profile, "a DSCP"));
  const std::uint8_t dscp = *view.profile.dscp;
  return OfEthernets(view.port, [dscp](NetdevRef netdev) -> Fact<std::string> {
    const FactRef<std::vector<AppEntry>> app = DcbFact(netdev, &Dcb::app);
    if (!app) return app.missing();
    std::vector<std::uint8_t> priorities;
    for (const AppEntry& row : *app) {
      if (row.selector == AppSelector::kDscp && row.protocol == dscp) priorities.push_back(row.priority);
    }
    std::ranges::sort(priorities);
    if (priorities.empty()) return Cat("no row for DSCP ", dscp);
    return Cat("DSCP ", dscp, " to priority ", ListText(priorities));
  });
}

template <class Number>
std::string Known(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : std::string("not told");
}

Fact<std::string> CongestionValue(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return Apart(reason);
  if (!view.port.congestion) return view.port.congestion.missing();
  const CongestionControl& control = *view.port.congestion;
  const auto priorities = [](const std::optional<std::uint8_t>& bitmap) {
    if (!bitmap) return std::string("not told");
    return *bitmap == 0 ? std::string("none") : ListText(PrioritiesOf(*bitmap));
  };
  std::string text =
      Cat("CNP DSCP ", Known(control.cnp_dscp), ", priority ", Known(control.cnp_priority), "; notifies for ",
          priorities(control.notifies), ", slows down for ", priorities(control.slows_down));
  for (const CongestionParameter& parameter : control.parameters) {
    if (parameter.name.find('/') != std::string::npos) continue;  // of another member of a bond, by its name
    text += Cat(", ", parameter.name, " ", parameter.value);
  }
  return text;
}

std::vector<Check> OfDevices() {
  return {
      {.id = "agree.transport",
       .title = "All hosts speak one RDMA protocol in a subnet",
       .why = "iWARP, RoCE and InfiniBand do not talk to each other: storage falls back to TCP, silently",
       .fix = Fix("rdma link show")
                  .Do("on the host that differs: another NIC, or its other protocol by devlink dev param")
                  .Or("put the hosts of each protocol into a subnet of their own")
                  .CheckBy("rdma link show"),
       .depends_on = {"inv.transport"},
       .judge = Agreement{TransportValue, "RDMA netlink of all"}},
      {.id = "agree.gid",
       .title = "The GID of the storage address has one type and index on all hosts",
       .why = "Programs that are given a GID index (NCCL, perftest) take another address, or none, where it "
              "differs",
       .fix = Fix("rdma link show {device}/{port}")
                  .Because("addresses and VLANs were added in another order, and each took the next index")
                  .Do("give all hosts the same addresses and VLANs in the same order")
                  .Or("let programs find the GID by RDMA-CM: then its index does not matter")
                  .CheckBy("grep -r . /sys/class/infiniband/{device}/ports/{port}/gids"),
       .depends_on = {"inv.netdev-mapping", "ip.address", "gid.v2-present", "gid.ip-match"},
       .judge = Agreement{GidValue, "GID tables of all"}},
      {.id = "agree.mtu",
       .title = "All hosts of a subnet have one RDMA MTU",
       .why = "Messages larger than the smaller MTU are dropped, or the connection fails",
       .fix = Fix("ip link set dev {netdev} mtu MTU")
                  .Caution("some drivers stop traffic for a moment to take a new MTU")
                  .Do("MTU: that of the others")
                  .Or("change the other hosts, where this one is right")
                  .CheckBy("ip link show dev {netdev}"),
       .depends_on = {"inv.transport", "link.state", "mtu.ethernet", "mtu.roce-active", "agree.netdev-mtu"},
       .judge = Agreement{MtuValue, "verbs active MTU of all"}},
      {.id = "agree.netdev-mtu",
       .title = "All hosts of a subnet have one MTU for IP",
       .why = "What goes by TCP beside RDMA (and all of iWARP) stalls on the larger frames of one side",
       .fix = Fix("ip link set dev {netdev} mtu MTU")
                  .Caution("some drivers stop traffic for a moment to take a new MTU")
                  .Do("MTU: that of the others")
                  .Or("change the other hosts, where this one is right")
                  .CheckBy("ip link show dev {netdev}"),
       .depends_on = {"inv.netdev-mapping", "mtu.max", "mtu.ethernet"},
       .judge = Agreement{.value = NetdevMtuValue, .source = "rtnetlink of all", .align = AlignMtu}},
      {.id = "agree.speed",
       .title = "All ports of a subnet have one speed",
       .why = "The slow one makes the fast ones wait: pauses, or loss, for everybody",
       .fix = Fix("ethtool {netdev}")
                  .Because("another cable or module, or a speed that is set by hand at one end")
                  .Do("compare the cable and the module of the port with those of the others", StepSite::kPort)
                  .Do("compare speed and autonegotiation of the switch ports", StepSite::kSwitch)
                  .CheckBy("ethtool {netdev}"),
       .depends_on = {"inv.netdev-mapping", "link.state", "link.speed"},
       .judge = Agreement{.value = SpeedValue, .source = "sysfs speed of all", .of_model = true}},
      {.id = "agree.adapter",
       .title = "All hosts of a subnet have one model of adapter",
       .why = "Different models differ in pause, congestion control and limits: what works on one is no proof "
              "for the other",
       .fix = Fix("rdma dev show; lspci -nn")
                  .Do("use the same model in every host")
                  .Or("leave it, and test between hosts of both models"),
       .depends_on = {"inv.physical"},
       .judge = Agreement{AdapterValue, "sysfs board_id of all"}},
      {.id = "agree.firmware",
       .title = "All adapters of one model have one firmware",
       .why = "Two firmware versions differ in pause and congestion behaviour: a fault shows on one host only",
       .fix =
           Fix("devlink dev info")
               .Caution(
                   "new firmware works after a reset of the NIC: its links go down, so drain the host before")
               .Do("bring the NIC to the firmware of the others, with the vendor's tool")
               .CheckBy("devlink dev info"),
       .depends_on = {"inv.physical"},
       .judge = Agreement{FirmwareValue, "RDMA netlink of all", Agreement::Among::kOneBoard}},
  };
}

std::vector<Check> OfClasses() {
  return {
      {.id = "agree.pfc",
       .title = "All hosts of a subnet pause the same priorities",
       .why = "A pause that only some hosts honour protects one direction: frames are lost under load",
       .fix = Fix("dcb pfc show dev {netdev}")
                  .Caution("some NICs stop traffic for a moment when PFC is changed")
                  .Do("set it as the others have it: dcb pfc set dev {netdev} prio-pfc all:off PRIORITY:on")
                  .Or("change the other hosts, where this one is right")
                  .CheckBy("dcb pfc show dev {netdev}"),
       .depends_on = {"inv.transport", "drv.dcb-capable", "pfc.lossless-priority", "pfc.off-when-lossy",
                      "pfc.not-default", "pfc.not-heartbeat", "pfc.only-one"},
       .judge = Agreement{.value = PfcValue, .source = "dcbnl IEEE PFC of all", .align = AlignPfc}},
      {.id = "agree.ets",
       .title = "All hosts of a subnet share the link alike between the priorities",
       .why = "A host that gives RDMA less is the slow one of every collective and every stripe",
       .fix = Fix("dcb ets show dev {netdev}")
                  .Do("set it as the others have it: dcb ets set dev {netdev} tc-bw ... prio-tc ...")
                  .Or("change the other hosts, where this one is right")
                  .CheckBy("dcb ets show dev {netdev}"),
       .depends_on = {"inv.transport", "drv.dcb-capable", "ets.map", "ets.sum", "ets.tsa", "ets.rdma-share",
                      "ets.three-classes", "ets.cluster-share"},
       .judge = Agreement{.value = EtsValue, .source = "dcbnl IEEE ETS of all", .align = AlignEts}},
      {.id = "agree.dscp",
       .title = "All hosts of a subnet take the DSCP of RDMA for the same priority",
       .why = "Where it is another one, traffic to that host is in a class that drops",
       .fix = Fix("dcb app show dev {netdev}")
                  .Do("set it as the others have it: dcb app replace dev {netdev} dscp-prio {dscp}:PRIORITY")
                  .Or("change the other hosts, where this one is right")
                  .CheckBy("dcb app show dev {netdev}"),
       .depends_on = {"inv.transport", "drv.dcb-capable", "map.dscp"},
       .judge = Agreement{DscpValue, "dcbnl APP tables of all"}},
      {.id = "agree.marking",
       .title = "RDMA-CM marks alike on all hosts of a subnet",
       .why = "The host that marks differently sends in another class than it is answered in",
       .fix =
           Fix("rdma link show {device}/{port}")
               .Caution("connections that exist keep their mark")
               .Do("write the others' ToS to /sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_tos")
               .Or("change the other hosts, where this one is right")
               .CheckBy("cat /sys/kernel/config/rdma_cm/{device}/ports/{port}/default_roce_tos"),
       .depends_on = {"inv.transport", "roce.tos"},
       .judge =
           Agreement{.value = MarkingValue, .source = "configfs default_roce_tos of all", .align = AlignTos}},
      {.id = "agree.congestion",
       .title = "Congestion control is set alike on all hosts of a subnet",
       .why = "Senders that slow down differently share a link unfairly, and one that does not makes the "
              "others pay",
       .fix = Fix("rdmaready facts HOST OTHER")
                  .Do("compare congestion control of the two, and align the host that differs")
                  .Or("change the other hosts, where this one is right")
                  .CheckBy("rdmaready facts HOST OTHER"),
       .depends_on = {"inv.transport"},
       .judge = Agreement{.value = CongestionValue,
                          .source = "the drivers' congestion control files of all",
                          .of_model = true}},
  };
}

}  // namespace

std::vector<Check> AgreementChecks() {
  std::vector<Check> checks = OfDevices();
  for (Check& check : OfClasses()) checks.push_back(std::move(check));
  return checks;
}

}  // namespace rdmaready
