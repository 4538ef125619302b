// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Profile EtsSilent() {
  return Asking([](Profile& profile) { profile.ets_rdma_percent.reset(); });
}

std::vector<CheckCase> EtsBasicsRows() {
  return {
      Passes("ets.map", "good", GoodHost(), "priority 3 is in TC 3"),
      Fails("ets.map", "in the default class", WithEts([](Ets& ets) { ets.prio_tc[3] = 0; }),
            "priority 3 shares TC 0",
            {.fix =
                 "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3"}),
      Fails("ets.map", "more classes than there are", WithEts([](Ets& ets) {
              ets.traffic_classes = 2;
              ets.prio_tc[3] = 3;
            }),
            "the NIC has 2 classes", {.fix = "prio-tc all:0 3:1"}),
      Warns("ets.map", "shared with 4", WithEts([](Ets& ets) { ets.prio_tc[4] = 3; }), "together with 4",
            {.fix = "prio-tc all:0 3:3"}),
      IsUnknown("ets.map", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), "not permitted"),
      DoesNotApply("ets.map", "not asked", GoodHost(), "does not ask",
                   {.profile = Without([](Profile& profile) { profile.ets_rdma_percent.reset(); })}),
      Passes("ets.rdma-share", "good", GoodHost(), "ETS 50 %"),
      Fails("ets.rdma-share", "share moved", WithEts([](Ets& ets) {
              ets.tx_percent[0] = 90;
              ets.tx_percent[3] = 10;
            }),
            "priority 3 in TC 3: ETS 10 %",
            {.fix =
                 "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3"}),
      DoesNotApply("ets.rdma-share", "strict", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kStrict; }),
                   "strict, see ets.tsa"),
      Fails("ets.rdma-share", "vendor", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kVendor; }), "vendor"),
      Passes("ets.rdma-share", "within tolerance", WithEts([](Ets& ets) { ets.tx_percent[3] = 45; }),
             "ETS 45 %"),
      Warns("ets.rdma-share", "too much", WithEts([](Ets& ets) { ets.tx_percent[3] = 80; }), "ETS 80 %"),
      IsUnknown("ets.rdma-share", "denied", WithDcb([](Dcb& dcb) { dcb.ets = Denied(); }), "not permitted")};
}

std::vector<CheckCase> EtsDcbRows() {
  const Profile more = Asking([](Profile& profile) { profile.ets_at_least = true; });
  return {Passes("ets.rdma-share", "more than at least", WithEts([](Ets& ets) { ets.tx_percent[3] = 80; }),
                 "ETS 80 %", {.profile = more}),
          Fails("ets.rdma-share", "less than at least", WithEts([](Ets& ets) { ets.tx_percent[3] = 20; }),
                "ETS 20 %", {.profile = more})};
}

std::vector<CheckCase> EtsClassesRows() {
  const auto rates = [](std::size_t tc, std::uint64_t kbps) {
    return WithDcb([=](Dcb& dcb) {
      MaxRatesKbps limits{};
      limits[tc] = kbps;
      dcb.max_rate_kbps = limits;
    });
  };
  Profile limited = VirtualFabricProfile();
  limited.rdma_max_rate_mbps = 5'000;
  return {
      Passes("ets.capacity", "eight", GoodHost(), "8 classes"),
      Fails("ets.capacity", "one", WithEts([](Ets& ets) { ets.traffic_classes = 1; }), "1 class",
            {.fix = "dcb ets show dev dcb0"}),
      Fails("ets.capacity", "two where three are needed", WithEts([](Ets& ets) { ets.traffic_classes = 2; }),
            "2 classes", {.profile = EtsWithHeartbeat()}),
      IsUnknown("ets.capacity", "denied", EtsDenied(), "not permitted"),
      DoesNotApply("ets.capacity", "not asked", GoodHost(), "does not ask", {.profile = EtsSilent()}),
      Passes("ets.sum", "100", GoodHost(), "the shares of 2 classes add up to 100 %"),
      Fails("ets.sum", "90", WithEts([](Ets& ets) { ets.tx_percent[0] = 40; }), "add up to 90 %",
            {.fix = "dcb ets set dev dcb0"}),
      Passes("ets.sum", "no class shares", WithEts([](Ets& ets) { ets.tsa = {}; }), "no class shares"),
      IsUnknown("ets.sum", "denied", EtsDenied(), "not permitted"),
      Passes("ets.tsa", "ets", GoodHost(), "priority 3 in TC 3: ets"),
      Warns("ets.tsa", "strict", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kStrict; }),
            "priority 3 in TC 3: strict", {.fix = "dcb ets set dev dcb0"}),
      Fails("ets.tsa", "the vendor's way", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kVendor; }),
            "priority 3 in TC 3: vendor", {.fix = "dcb ets set dev dcb0"}),
      Warns("ets.tsa", "the default class is strict", WithEts([](Ets& ets) { ets.tsa[0] = Tsa::kStrict; }),
            "priority 0 in TC 0: strict, served before"),
      Passes("ets.tsa", "a strict heartbeat", ThreeClasses([](Ets& ets) { ets.tsa[7] = Tsa::kStrict; }), "ets",
             {.profile = EtsWithHeartbeat()}),
      Passes("ets.tsa", "mlx5's notifications are strict",
             On("mlx5_core",
                [](Netdev& netdev) {
                  Ets ets = *netdev.dcb.ets;
                  ets.prio_tc[6] = 6;
                  netdev.dcb.ets = ets;
                }),
             "priority 3 in TC 3: ets"),
      Warns("ets.tsa", "somebody else's class is strict", WithEts([](Ets& ets) { ets.prio_tc[6] = 6; }),
            "priority 6 in TC 6: strict"),
      IsUnknown("ets.tsa", "bnxt, nothing set by the host",
                On("bnxt_en", [](Netdev& netdev) { netdev.dcb.ets = Ets{.traffic_classes = 8}; }),
                "is not shown"),
      IsUnknown("ets.tsa", "in no class", WithEts([](Ets& ets) { ets.prio_tc[3] = 15; }), "in no class"),
      IsUnknown("ets.tsa", "denied", EtsDenied(), "not permitted"),
      Passes("ets.maxrate", "none", GoodHost(), "no class is limited"),
      Passes("ets.maxrate", "another class's", rates(0, 1'000'000), "TC 3 has no limit"),
      Fails("ets.maxrate", "RDMA's", rates(3, 1'000'000), "TC 3 is limited to 1000 Mb/s",
            {.fix = "dcb maxrate set dev dcb0 tc-maxrate 3:0"}),
      Passes("ets.maxrate", "as wanted", rates(3, 5'000'000), "TC 3 is limited to 5000 Mb/s",
             {.profile = limited}),
      Passes("ets.maxrate", "a step less", rates(3, 4'900'001), "limited to 4900 Mb/s", {.profile = limited}),
      Fails("ets.maxrate", "more than a step less", rates(3, 4'900'000), "limited to 4900 Mb/s",
            {.profile = limited}),
      Fails("ets.maxrate", "less than wanted", rates(3, 1'000'000), "TC 3 is limited to 1000 Mb/s",
            {.fix = "echo 3:5000000bps || echo 3:5000000kbit)", .profile = limited}),
      Fails("ets.maxrate", "not limited", GoodHost(), "TC 3 has no limit",
            {.fix = "echo 3:5000000bps || echo 3:5000000kbit)", .profile = limited}),
      IsUnknown("ets.maxrate", "denied", WithDcb([](Dcb& dcb) { dcb.max_rate_kbps = Denied(); }),
                "not permitted"),
      DoesNotApply("ets.maxrate", "not offered", WithDcb([](Dcb& dcb) { dcb.max_rate_kbps = kUnsupported; }),
                   "no rate limits")};
}

}  // namespace

std::vector<CheckCase> EtsCases() { return Joined({EtsBasicsRows(), EtsDcbRows(), EtsClassesRows()}); }

}  // namespace rdmaready
