// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/watched_host.h"

namespace rdmaready {
namespace {

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

// A bond over dcb1 and dcb0, which share the RDMA device; the tree of dcb0 was read first.
Facts Bonded(const std::vector<CongestionParameter>& of_dcb1) {
  Facts host = Congested([&of_dcb1](CongestionControl& control) { control.parameters = of_dcb1; });
  std::vector<Port> ports = *host.ports;
  Netdev first = *ports.front().netdev;
  Netdev second = first;
  Netdev bond = first;
  bond.name = "bond0";
  bond.driver = "bond";
  second.name = "dcb1";
  ports.front().netdev = bond;
  ports.front().lowers = std::vector<Netdev>{second, first};
  host.ports = ports;
  return host;
}

std::vector<CheckCase> CongestionLoopWindowRows() {
  const auto loop = [](std::uint64_t marked, std::uint64_t sent, std::uint64_t ignored) {
    return Counting({{"np_ecn_marked_roce_packets", 0, marked},
                     {"np_cnp_sent", 0, sent},
                     {"rp_cnp_handled", 0, 3},
                     {"rp_cnp_ignored", 0, ignored}});
  };
  return {Passes("ecn.loop-closed", "quiet", loop(0, 0, 0), "0 packets marked"),
          Passes("ecn.loop-closed", "at work", loop(50, 9, 0), "50 packets marked, 9 notifications sent"),
          Fails("ecn.loop-closed", "open here", loop(50, 0, 0), "0 notifications sent"),
          Warns("ecn.loop-closed", "ignored", loop(0, 0, 6), "6 ignored in 10 s"),
          IsUnknown("ecn.loop-closed", "denied", EarlierDenied(loop(50, 0, 0)), "not permitted")};
}

std::vector<CheckCase> CongestionMaskRows() {
  const Profile ecn = Asking([](Profile& profile) { profile.ecn = Profile::Ecn{}; });
  const auto since_boot = [](std::uint64_t marked, std::uint64_t sent, std::uint64_t handled,
                             std::uint64_t ignored) {
    return WithHardware([=](Port& port, PciFunction&) {
      port.hw_counters = std::vector<Counter>{{"np_ecn_marked_roce_packets", marked},
                                              {"np_cnp_sent", sent},
                                              {"rp_cnp_handled", handled},
                                              {"rp_cnp_ignored", ignored}};
    });
  };
  const auto with_np_off = [&since_boot](std::uint64_t ignored) {
    Facts host = since_boot(1624, 0, 0, ignored);
    std::vector<Port> ports = *host.ports;
    ports.front().congestion =
        CongestionControl{.source = "/x", .notifies = std::uint8_t{0}, .slows_down = std::uint8_t{0xff}};
    host.ports = ports;
    return host;
  };
  const Facts switched_off = with_np_off(0);
  const Facts deaf_too = with_np_off(9'000);
  Facts timeless = since_boot(1624, 0, 0, 0);
  timeless.uptime_s = Denied();
  const auto counters = [](Fact<std::vector<Counter>> now) {
    return WithHardware([&now](Port& port, PciFunction&) { port.hw_counters = now; });
  };
  return {
      Passes("ecn.firmware-mask", "at work", since_boot(1624, 812, 640, 2), "1624 marked packets and 812",
             {.profile = ecn}),
      Passes("ecn.firmware-mask", "no mark yet", since_boot(0, 0, 0, 0), "0 marked packets", {.profile = ecn}),
      Fails("ecn.firmware-mask", "marks are not answered", since_boot(1624, 0, 0, 0), "0 notifications sent",
            {.fix = "ROCE_CC_PRIO_MASK_P1=255", .profile = ecn}),
      Fails("ecn.firmware-mask", "notifications are not heeded", since_boot(0, 0, 0, 9'000),
            "0 heeded and 9000 ignored", {.profile = ecn}),
      DoesNotApply("ecn.firmware-mask", "few marks in many days", since_boot(3, 0, 0, 0), "too few to tell",
                   {.profile = ecn}),
      DoesNotApply("ecn.firmware-mask", "the driver's own switch is off", switched_off, "see ecn.np",
                   {.profile = ecn}),
      Fails("ecn.firmware-mask", "the switch for marks is off, notifications are not heeded", deaf_too,
            "9000 ignored", {.profile = ecn}),
      IsUnknown("ecn.firmware-mask", "since when is not known", timeless, "not permitted", {.profile = ecn}),
      IsUnknown("ecn.firmware-mask", "denied", counters(Denied()), "not permitted", {.profile = ecn}),
      DoesNotApply("ecn.firmware-mask", "not counted", counters(std::vector<Counter>{}), "does not count marks",
                   {.profile = ecn}),
      DoesNotApply("ecn.firmware-mask", "not asked", since_boot(1624, 0, 0, 0), "does not ask")};
}

std::vector<CheckCase> CongestionLoopMarksRows() {
  const Profile ecn = Asking([](Profile& profile) {
    profile.ecn = Profile::Ecn{};
    profile.cnp = Profile::Cnp{.dscp = 48, .priority = std::uint8_t{6}};
  });
  const Facts good = Congested([](CongestionControl&) {});
  const Facts silent = Congested([](CongestionControl& control) { control = {.source = "/x"}; });
  const Facts denied = WithHardware([](Port& port, PciFunction&) { port.congestion = Denied(); });
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
  const Facts bnxt_rp_off = Congested([](CongestionControl& control) {
    control = {.source = "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc",
               .notifies = std::uint8_t{0},
               .slows_down = std::uint8_t{0}};
  });
  const Facts kernel = wrong("/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params");
  return {
      Passes("ecn.np", "on all", good, "answers marks on priorities 0, 1", {.profile = ecn}),
      Fails("ecn.np", "off", Congested([](CongestionControl& control) { control.notifies = std::uint8_t{0}; }),
            "answers marks on no priority",
            {.fix = "echo 1 > /sys/class/net/dcb0/ecn/roce_np/enable/3", .profile = ecn}),
      Fails("ecn.np", "off on bnxt", bnxt, "on no priority",
            {.fix = "echo -n 0x3 > /sys/kernel/config/bnxt_re/rxe0/ports/1/cc/roce_prio; echo -n 0x1 > "
                    "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc/ecn_enable; echo -n 0x1 > "
                    "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc/apply",
             .profile = ecn}),
      DoesNotApply("ecn.np", "not told", silent, "does not say", {.profile = ecn}),
      IsUnknown("ecn.np", "denied", denied, "not permitted", {.profile = ecn}),
      DoesNotApply("ecn.np", "not asked", good, "does not ask"),
      DoesNotApply("ecn.np", "software", GoodHost(), "software", {.profile = ecn}),
      Passes("ecn.rp", "on 3", good, "slows down on priority 3", {.profile = ecn}),
      Fails("ecn.rp", "on 4",
            Congested([](CongestionControl& control) { control.slows_down = std::uint8_t{16}; }),
            "slows down on priority 4", {.fix = "ecn/roce_rp/enable/3", .profile = ecn}),
      DoesNotApply("ecn.rp", "not told", silent, "does not say", {.profile = ecn}),
      IsUnknown("ecn.rp", "denied", denied, "not permitted", {.profile = ecn}),
      DoesNotApply("ecn.rp", "one switch for both ends on bnxt", bnxt_rp_off, "see ecn.np", {.profile = ecn}),
      Passes("ecn.cnp-dscp", "48", good, "DSCP 48", {.profile = ecn}),
      Fails("ecn.cnp-dscp", "0",
            Congested([](CongestionControl& control) { control.cnp_dscp = std::uint8_t{0}; }), "DSCP 0",
            {.fix = "echo 48 > /sys/class/net/dcb0/ecn/roce_np/cnp_dscp", .profile = ecn}),
      Fails("ecn.cnp-dscp", "0 on bnxt", bnxt, "DSCP 0",
            {.fix = "echo -n 0x30 > /sys/kernel/config/bnxt_re/rxe0/ports/1/cc/cnp_dscp; echo -n 0x1 > "
                    "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc/apply",
             .profile = ecn}),
      Fails("ecn.cnp-dscp", "0 with the kernel's mlx5", kernel, "DSCP 0",
            {.fix = "echo 48 > /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp", .profile = ecn}),
      DoesNotApply("ecn.cnp-dscp", "not told", silent, "does not say", {.profile = ecn}),
      IsUnknown("ecn.cnp-dscp", "denied", denied, "not permitted", {.profile = ecn}),
      Fails("ecn.cnp-dscp", "another one at a member of a bond", Bonded({{"dcb1/np_cnp_dscp", 4}}), "DSCP 4",
            {.fix = "echo 48 > /sys/class/net/dcb1/ecn/roce_np/cnp_dscp", .profile = ecn}),
      Passes("ecn.cnp-dscp", "the same at a member of a bond", Bonded({{"dcb1/np_cnp_dscp", 48}}), "DSCP 48",
             {.profile = ecn}),
      DoesNotApply("ecn.cnp-dscp", "not told of a member", Bonded({}), "shows none of dcb1", {.profile = ecn}),
      Fails("ecn.np", "off at a member of a bond", Bonded({{"dcb1/np_enable", 0}}), "on no priority",
            {.fix = "/sys/class/net/dcb1/ecn/roce_np/enable/3", .profile = ecn}),
      Passes("ecn.cnp-prio", "6", good, "priority 6", {.profile = ecn}),
      Warns("ecn.cnp-prio", "7", cnp(7), "priority 7", {.profile = ecn}),
      Fails("ecn.cnp-prio", "paused", cnp(3), "priority 3, which is paused",
            {.fix = "roce_np/cnp_802p_prio", .profile = ecn}),
      Fails("ecn.cnp-prio", "paused, none named", cnp(3), "which is paused", {.fix = "echo 6 > "}),
      Passes("ecn.cnp-prio", "unpaused, none named", cnp(7), "priority 7"),
      Fails("ecn.cnp-prio", "paused, on bnxt", bnxt, "which is paused",
            {.fix = "echo -n 0x6 > /sys/kernel/config/bnxt_re/rxe0/ports/1/cc/cnp_prio; echo -n 0x1 > ",
             .profile = ecn}),
      Fails("ecn.cnp-prio", "paused, with the kernel's mlx5", kernel, "which is paused",
            {.fix = "echo 6 > /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_prio", .profile = ecn}),
      DoesNotApply("ecn.cnp-prio", "not told", silent, "does not say", {.profile = ecn}),
      IsUnknown("ecn.cnp-prio", "denied", denied, "not permitted", {.profile = ecn})};
}

std::vector<CheckCase> CongestionToSRows() {
  const Profile by_dscp = Asking([](Profile& profile) {
    profile.tos.reset();
    profile.ecn = Profile::Ecn{};
  });
  const Profile whole = Asking([](Profile& profile) { profile.ecn = Profile::Ecn{}; });
  const auto tos = [](Fact<std::uint8_t> value) {
    return WithPort([&value](Port& port) { port.cm_default_tos = value; });
  };
  const auto by_driver = [](const char* driver) {
    return WithHardware([driver](Port& port, PciFunction&) {
      Netdev netdev = *port.netdev;
      netdev.driver = driver;
      port.netdev = netdev;
      port.cm_default_tos = std::uint8_t{104};
    });
  };
  const auto of_nic = [](std::uint64_t bits) {
    return Congested([bits](CongestionControl& control) {
      control = {.source = "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc",
                 .parameters = {{"roce_dscp", 26}, {"ecn_marking", bits}}};
    });
  };
  Facts nccl = GoodHost();
  nccl.markings = std::vector<ConsumerMarking>{
      {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .tos = std::uint8_t{104}}};
  const Profile consumers = Asking([](Profile& profile) {
    profile.ecn = Profile::Ecn{};
    profile.marking = Profile::Marking::kConsumers;
  });
  return {Passes("ecn.ect-set", "106", GoodHost(), "106: ECT(0)", {.profile = by_dscp}),
          Fails("ecn.ect-set", "104", tos(std::uint8_t{104}), "104: Not-ECT, switches drop",
                {.fix = "echo 106 > ", .profile = by_dscp}),
          Fails("ecn.ect-set", "107", tos(std::uint8_t{107}), "marked from the start", {.profile = by_dscp}),
          IsUnknown("ecn.ect-set", "denied", tos(Denied()), "not permitted", {.profile = by_dscp}),
          DoesNotApply("ecn.ect-set", "the profile names it", tos(std::uint8_t{104}), "see roce.tos",
                       {.profile = whole}),
          DoesNotApply("ecn.ect-set", "mlx5 sets the bits by itself", by_driver("mlx5_core"), "by itself",
                       {.profile = by_dscp}),
          DoesNotApply("ecn.ect-set", "ionic sets the bits by itself", by_driver("ionic"), "by itself",
                       {.profile = by_dscp}),
          Fails("ecn.ect-set", "another driver takes them as they are", by_driver("ice"), "104: Not-ECT",
                {.profile = by_dscp}),
          Passes("ecn.ect-set", "Broadcom's own driver allows marks", of_nic(1), "the NIC's own mark: ECT(1)",
                 {.profile = by_dscp}),
          Fails("ecn.ect-set", "Broadcom's own driver forbids marks", of_nic(0), "Not-ECT",
                {.fix = "echo -n 0x1 > /sys/kernel/config/bnxt_re/rxe0/ports/1/cc/ecn_marking",
                 .profile = by_dscp}),
          Fails("ecn.ect-set", "NCCL names the whole ToS without the bits", nccl, "NCCL marks ToS 104",
                {.profile = consumers}),
          DoesNotApply("ecn.ect-set", "not asked", GoodHost(), "does not ask")};
}

}  // namespace

std::vector<CheckCase> CongestionCases() {
  return Joined(
      {CongestionLoopWindowRows(), CongestionMaskRows(), CongestionLoopMarksRows(), CongestionToSRows()});
}

}  // namespace rdmaready
