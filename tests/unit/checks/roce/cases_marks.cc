// SPDX-License-Identifier: Apache-2.0
// Congestion control, and marks that RDMA-CM's defaults do not decide.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

const Missing kUnsupported{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

template <class Change>
Profile Asking(Change change) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

// A NIC of hardware whose driver tells all of its congestion control, with a change.
template <class Change>
Facts Congested(Change change) {
  return WithHardware([&change](Port& port, PciFunction&) {
    CongestionControl control{.source = "/sys/class/net/dcb0/ecn",
                              .notifies = std::uint8_t{0xff},
                              .slows_down = std::uint8_t{8},
                              .cnp_dscp = std::uint8_t{48},
                              .cnp_priority = std::uint8_t{6}};
    change(control);
    port.congestion = control;
  });
}

void AddLoop(std::vector<CheckCase>& cases) {
  const Profile ecn = Asking([](Profile& profile) {
    profile.ecn = Profile::Ecn{};
    profile.cnp = Profile::Cnp{.dscp = 48, .priority = std::uint8_t{6}};
  });
  const Facts good = Congested([](CongestionControl&) {});
  const Facts silent = Congested([](CongestionControl& control) { control = {.source = "/x"}; });
  const auto cnp = [](std::uint8_t priority) {
    return Congested([=](CongestionControl& control) { control.cnp_priority = priority; });
  };
  // Nothing of it as it should be, read there.
  const auto wrong = [](const char* source) {
    return Congested([source](CongestionControl& control) {
      control = {.source = source,
                 .notifies = std::uint8_t{0},
                 .cnp_dscp = std::uint8_t{0},
                 .cnp_priority = std::uint8_t{3}};
    });
  };
  const Facts bnxt = wrong("/sys/kernel/config/bnxt_re/rxe0/ports/1/cc");
  const Facts kernel = wrong("/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params");
  cases.insert(
      cases.end(),
      {{"ecn.np", "on all", good, kPass, "answers marks on priorities 0, 1", "", ecn},
       {"ecn.np", "off", Congested([](CongestionControl& control) { control.notifies = std::uint8_t{0}; }),
        kFail, "answers marks on no priority", "echo 1 > /sys/class/net/dcb0/ecn/roce_np/enable/3", ecn},
       {"ecn.np", "off on bnxt", bnxt, kFail, "on no priority",
        "echo -n 0x3 > /sys/kernel/config/bnxt_re/rxe0/ports/1/cc/roce_prio; echo -n 0x1 > "
        "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc/ecn_enable; echo -n 0x1 > "
        "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc/apply",
        ecn},
       {"ecn.np", "not told", silent, kUnknown, "does not say", "ethtool -i dcb0", ecn},
       {"ecn.np", "not asked", good, kNotApplicable, "does not ask"},
       {"ecn.np", "software", GoodHost(), kNotApplicable, "software", "", ecn},
       {"ecn.rp", "on 3", good, kPass, "slows down on priority 3", "", ecn},
       {"ecn.rp", "on 4", Congested([](CongestionControl& control) { control.slows_down = std::uint8_t{16}; }),
        kFail, "slows down on priority 4", "ecn/roce_rp/enable/3", ecn},
       {"ecn.rp", "not told", silent, kUnknown, "does not say", "", ecn},
       {"ecn.cnp-dscp", "48", good, kPass, "DSCP 48", "", ecn},
       {"ecn.cnp-dscp", "0", Congested([](CongestionControl& control) { control.cnp_dscp = std::uint8_t{0}; }),
        kFail, "DSCP 0", "echo 48 > /sys/class/net/dcb0/ecn/roce_np/cnp_dscp", ecn},
       {"ecn.cnp-dscp", "0 on bnxt", bnxt, kFail, "DSCP 0",
        "echo -n 0x30 > /sys/kernel/config/bnxt_re/rxe0/ports/1/cc/cnp_dscp; echo -n 0x1 > "
        "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc/apply",
        ecn},
       {"ecn.cnp-dscp", "0 with the kernel's mlx5", kernel, kFail, "DSCP 0",
        "echo 48 > /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp", ecn},
       {"ecn.cnp-dscp", "not told", silent, kUnknown, "does not say", "", ecn},
       {"ecn.cnp-prio", "6", good, kPass, "priority 6", "", ecn},
       {"ecn.cnp-prio", "7", cnp(7), kWarn, "priority 7", "", ecn},
       {"ecn.cnp-prio", "paused", cnp(3), kFail, "priority 3, which is paused", "roce_np/cnp_802p_prio", ecn},
       {"ecn.cnp-prio", "paused, none named", cnp(3), kFail, "which is paused", "echo 6 > "},
       {"ecn.cnp-prio", "unpaused, none named", cnp(7), kPass, "priority 7"},
       {"ecn.cnp-prio", "paused, on bnxt", bnxt, kFail, "which is paused",
        "echo -n 0x6 > /sys/kernel/config/bnxt_re/rxe0/ports/1/cc/cnp_prio; echo -n 0x1 > ", ecn},
       {"ecn.cnp-prio", "paused, with the kernel's mlx5", kernel, kFail, "which is paused",
        "echo 6 > /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_prio", ecn},
       {"ecn.cnp-prio", "not told", silent, kUnknown, "does not say", "", ecn}});
}

void AddToS(std::vector<CheckCase>& cases) {
  const Profile by_dscp = Asking([](Profile& profile) {
    profile.tos.reset();
    profile.ecn = Profile::Ecn{};
  });
  const Profile whole = Asking([](Profile& profile) { profile.ecn = Profile::Ecn{}; });
  const auto tos = [](Fact<std::uint8_t> value) {
    return WithPort([&value](Port& port) { port.cm_default_tos = value; });
  };
  const auto forced = [](Fact<std::uint8_t> value) {
    return WithPort([&value](Port& port) { port.verbs_traffic_class = value; });
  };
  cases.insert(cases.end(),
               {{"ecn.ect-set", "106", GoodHost(), kPass, "106: ECT(0)", "", by_dscp},
                {"ecn.ect-set", "104", tos(std::uint8_t{104}), kFail, "104: Not-ECT, switches drop",
                 "echo 106 > ", by_dscp},
                {"ecn.ect-set", "107", tos(std::uint8_t{107}), kFail, "marked from the start", "", by_dscp},
                {"ecn.ect-set", "denied", tos(Denied()), kUnknown, "not permitted", "", by_dscp},
                {"ecn.ect-set", "the profile names it", tos(std::uint8_t{104}), kNotApplicable, "see roce.tos",
                 "", whole},
                {"ecn.ect-set", "not asked", GoodHost(), kNotApplicable, "does not ask"},
                {"roce.tos-verbs", "none", forced(std::uint8_t{0}), kPass, "no traffic class is forced"},
                {"roce.tos-verbs", "RDMA's", forced(std::uint8_t{104}), kPass, "DSCP 26"},
                {"roce.tos-verbs", "another", forced(std::uint8_t{96}), kFail, "ToS 96 (DSCP 24)",
                 "echo 106 > /sys/class/infiniband/rxe0/tc/1/traffic_class"},
                {"roce.tos-verbs", "denied", forced(Denied()), kUnknown, "not permitted"},
                {"roce.tos-verbs", "not offered", GoodHost(), kNotApplicable, "forces no traffic class"}});
}

Facts Naming(Fact<std::vector<ConsumerMarking>> markings) {
  Facts host = GoodHost();
  host.markings = markings;
  return host;
}

Facts NamingGid(std::uint32_t index) {
  return Naming(std::vector<ConsumerMarking>{
      {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .gid_index = index}});
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

void AddMoved(std::vector<CheckCase>& cases) {
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
  cases.insert(cases.end(),
               {{"gid.no-v1-traffic", "v2", NamingGid(1), kPass, "NCCL uses GID 1"},
                {"gid.no-v1-traffic", "v1", v1, kFail, "NCCL uses GID 1, which is RoCE v1",
                 "grep -n GID_INDEX /etc/nccl.conf"},
                {"gid.no-v1-traffic", "link-local", NamingGid(0), kFail, "no IP address", "index 1 is RoCE v2"},
                {"gid.no-v1-traffic", "none", NamingGid(9), kFail, "there is none"},
                {"gid.no-v1-traffic", "denied", Naming(Denied()), kUnknown, "not permitted"},
                {"gid.no-v1-traffic", "nobody names one", GoodHost(), kNotApplicable, "names the index"},
                {"vlan.mqprio", "to the RDMA priority", mapped(3), kPass, "class 3", "", PcpProfile()},
                {"vlan.mqprio", "elsewhere", mapped(0), kFail, "RDMA-CM's priority 0 class 0",
                 "tc qdisc del dev dcb0 root", PcpProfile()},
                {"vlan.mqprio", "denied", WithMqprio([](Netdev& netdev) { netdev.mqprio = Denied(); }),
                 kUnknown, "not permitted", "", PcpProfile()},
                {"vlan.mqprio", "none", OnVlan(), kNotApplicable, "no mqprio", "", PcpProfile()},
                {"vlan.mqprio", "DSCP profile", mapped(0), kNotApplicable, "does not ask"}});
}

}  // namespace

void AddMarkCases(std::vector<CheckCase>& cases) {
  AddLoop(cases);
  AddToS(cases);
  AddMoved(cases);
}

}  // namespace rdmaready
