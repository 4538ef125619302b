// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts ByPcp() { return WithApp({}); }

Facts TrustDenied() { return AppDenied(); }

Facts Same() { return GoodHost(); }

Facts PairOtherHardware() { return Hardware(); }

Facts OlderFirmware() {
  return WithHardware([](Port& port, PciFunction&) { port.firmware = std::string("16.30.1004"); });
}

Facts OtherBoard() {
  return WithHardware([](Port& port, PciFunction&) { port.board = std::string("MT_0000000090"); });
}

std::vector<CheckCase> PairItselfRows() {
  const Profile silent = Without([](Profile& profile) {
    profile.mtu_bytes.reset();
    profile.roce_mtu_bytes.reset();
  });
  const Profile two = Without([](Profile& profile) { profile.pfc = std::vector<std::uint8_t>{3}; });
  return {Passes("mtu.pair", "good", GoodHost(), "RoCE MTU 4096 on both"),
          Fails("mtu.pair", "other MTU", WithPort([](Port& port) { port.active_mtu_bytes = 1024; }),
                "RoCE MTU 1024 on a, 4096 on b",
                {.fix = "ip link set dev dcb0 mtu 9000  # run it on a", .profile = silent}),
          IsUnknown("mtu.pair", "denied", WithPort([](Port& port) { port.active_mtu_bytes = Denied(); }),
                    "not permitted", {.profile = silent}),
          Passes("pfc.both-directions", "good", GoodHost(), "PFC on 3 on both"),
          // A host that lacks the priority fails by itself; only the pair's own rule is looked at here.
          Fails("pfc.both-directions", "moved to 4", WithPfc(1U << 4), "PFC on 4 at a, PFC on 3 at b",
                {.fix = "# run it on a", .profile = two}),
          Warns("pfc.both-directions", "one more", WithPfc(0x18), "PFC on 3 and 4 at a", {.profile = two}),
          IsUnknown("pfc.both-directions", "denied", WithDcb([](Dcb& dcb) { dcb.pfc = Denied(); }),
                    "not permitted")};
}

std::vector<CheckCase> PairMarksRows() {
  return {
      Passes("trust.uniform", "dscp on both", GoodHost(), "dscp on both"),
      Fails("trust.uniform", "pcp here", WithApp({}), "pcp at a, dscp at b", {.fix = "dcb app show dev dcb0"}),
      Fails("trust.uniform", "pcp there", GoodHost(), "dscp at a, pcp at b", {.port = 0, .other = ByPcp}),
      IsUnknown("trust.uniform", "denied there", GoodHost(), "not permitted",
                {.port = 0, .other = TrustDenied}),
      Fails("trust.uniform", "a table that says pcp first", WithDcb([](Dcb& dcb) {
              dcb.app_trust = std::vector<AppSelector>{AppSelector::kPcp, AppSelector::kDscp};
            }),
            "pcp at a"),
      Fails("trust.uniform", "mlx4 here", WithNetdev([](Netdev& netdev) { netdev.driver = "mlx4_en"; }),
            "pcp at a, dscp at b"),
      DoesNotApply("trust.uniform", "driver whose rule is not known",
                   WithNetdev([](Netdev& netdev) { netdev.driver = "qede"; }), "does not say")};
}

std::vector<CheckCase> PairDriverRows() {
  return {Passes("drv.fw-uniform", "the same", Hardware(), "firmware 16.35.4030 on both",
                 {.port = 0, .other = PairOtherHardware}),
          Fails("drv.fw-uniform", "older", Hardware(), "16.35.4030 at a, 16.30.1004 at b",
                {.fix = "devlink dev info", .port = 0, .other = OlderFirmware}),
          IsUnknown("drv.fw-uniform", "not known",
                    WithHardware([](Port& port, PciFunction&) { port.firmware = Denied(); }), "not permitted",
                    {.port = 0, .other = PairOtherHardware}),
          DoesNotApply("drv.fw-uniform", "other board", Hardware(), "different boards",
                       {.port = 0, .other = OtherBoard}),
          DoesNotApply("drv.fw-uniform", "software", GoodHost(), "no firmware", {.port = 0, .other = Same}),
          Fails("iw.peer-protocol", "iWARP on one end",
                WithPort([](Port& port) { port.transport = Transport::kIwarp; }),
                "a speaks iWARP, b RoCE: nothing is tested", {.fix = "rdma link show"}),
          Passes("iw.peer-protocol", "iWARP on both",
                 WithPort([](Port& port) { port.transport = Transport::kIwarp; }), "iWARP on both",
                 {.port = 0,
                  .other = [] { return WithPort([](Port& port) { port.transport = Transport::kIwarp; }); }}),
          IsUnknown("iw.peer-protocol", "one not known",
                    WithPort([](Port& port) { port.transport = Denied(); }), "not permitted"),
          IsUnknown("iw.peer-protocol", "one does not say",
                    WithPort([](Port& port) { port.transport = Transport::kUnknown; }), "does not say"),
          DoesNotApply("iw.peer-protocol", "RoCE on both", GoodHost(), "neither port is iWARP")};
}

}  // namespace

std::vector<CheckCase> PairCases() { return Joined({PairItselfRows(), PairMarksRows(), PairDriverRows()}); }

}  // namespace rdmaready
