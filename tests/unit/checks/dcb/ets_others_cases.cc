// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// A profile that names every class, and a host that has them; then a change.
Profile Classes() {
  return Asking([](Profile& profile) {
    profile.ets_classes = {{.priorities = {0, 1, 2, 4, 5, 7}, .percent = 50},
                           {.priorities = {3}, .percent = 50},
                           {.priorities = {6}}};
  });
}

template <class Change>
Facts Classed(Change change) {
  return WithEts([&change](Ets& ets) {
    ets.prio_tc[6] = 6;
    change(ets);
  });
}

std::vector<CheckCase> EtsOthersEtsRows() {
  const Facts denied = WithDcb([](Dcb& dcb) { dcb.ets = Denied(); });
  const auto starving = [](Ets& ets) { ets.tx_percent = {0, 0, 0, 100, 0, 0, 0, 0}; };
  const auto contiguous = [](Netdev& netdev) {
    Ets ets = *netdev.dcb.ets;
    ets.prio_tc[3] = 1;
    netdev.dcb.ets = ets;
  };
  const auto nothing = [](Netdev&) {};
  const Facts ice_denied = On("ice", [](Netdev& netdev) { netdev.dcb.ets = Denied(); });
  constexpr std::string_view kWhole =
      "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3 6:6";
  return {
      Passes("ets.min-default", "half", GoodHost(), "TC 0: ETS 50 %"),
      Fails("ets.min-default", "nothing", WithEts(starving), "TC 0: ETS 0 %", {.fix = "dcb ets set dev dcb0"}),
      Passes("ets.min-default", "strict", WithEts([](Ets& ets) { ets.tsa[0] = Tsa::kStrict; }), "has no share"),
      IsUnknown("ets.min-default", "in no class", WithEts([](Ets& ets) { ets.prio_tc[0] = 15; }),
                "in no class"),
      IsUnknown("ets.min-default", "denied", denied, "not permitted"),
      Passes("ets.map-contiguous", "0 and 1", On("ice", contiguous), "TC 0 and 1"),
      Fails("ets.map-contiguous", "0 and 3", On("ice", nothing), "TC 0 and 3", {.fix = "dcb ets set dev dcb0"}),
      IsUnknown("ets.map-contiguous", "denied", ice_denied, "not permitted"),
      DoesNotApply("ets.map-contiguous", "another driver", GoodHost(), "any number"),
      Passes("ets.classes", "all three", Classed([](Ets&) {}), "3 classes", {.profile = Classes()}),
      Fails("ets.classes", "one is not apart", GoodHost(), "together with 6",
            {.fix = std::string(kWhole), .profile = Classes()}),
      Fails("ets.classes", "torn", Classed([](Ets& ets) { ets.prio_tc[7] = 7; }), "are not in one class",
            {.profile = Classes()}),
      Fails("ets.classes", "not strict", Classed([](Ets& ets) { ets.tsa[6] = Tsa::kVendor; }),
            "vendor, not strict", {.profile = Classes()}),
      Fails("ets.classes", "another share", Classed([](Ets& ets) { ets.tx_percent[0] = 30; }), "TC 0: ETS 30 %",
            {.profile = Classes()}),
      IsUnknown("ets.classes", "denied", denied, "not permitted", {.profile = Classes()}),
      Fails("ets.classes", "somebody else has a share", ThreeClasses([](Ets& ets) {
              ets.prio_tc[5] = 5;
              ets.tsa[5] = Tsa::kEts;
              ets.tx_percent = {29, 0, 0, 50, 0, 20, 0, 1};
            }),
            "priority 5 in TC 5: ETS 20 %", {.profile = EtsWithHeartbeat()}),
      IsUnknown("ets.classes", "denied, with a heartbeat", denied, "not permitted",
                {.profile = EtsWithHeartbeat()}),
      Passes("ets.classes", "no classes named, and a heartbeat", ThreeClasses([](Ets&) {}),
             "no other class has a share", {.profile = EtsWithHeartbeat()}),
      DoesNotApply("ets.classes", "not asked", GoodHost(), "does not ask")};
}

std::vector<CheckCase> EtsOthersHeartbeatRows() {
  const auto as_it_is = [](Ets&) {};
  const auto share = [](std::uint8_t percent) {
    return ThreeClasses([percent](Ets& ets) {
      ets.tx_percent[7] = percent;
      ets.tx_percent[0] = static_cast<std::uint8_t>(50 - percent);
    });
  };
  Facts slow = share(2);
  std::vector<Port> ports = *slow.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.speed_mbps = 10'000;
  ports.front().netdev = netdev;
  slow.ports = ports;
  const Facts slow_and_more = [&slow] {
    Facts host = slow;
    std::vector<Port> changed = *host.ports;
    Netdev port = *changed.front().netdev;
    Ets ets = *port.dcb.ets;
    ets.tx_percent[7] = 3;
    port.dcb.ets = ets;
    changed.front().netdev = port;
    host.ports = changed;
    return host;
  }();
  constexpr std::string_view kWhole =
      "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets 7:ets tc-bw all:0 0:49 3:50 7:1 prio-tc all:0 3:3 "
      "7:7";
  return {
      Passes("ets.three-classes", "good", ThreeClasses(as_it_is), "priority 7 is in TC 7",
             {.profile = EtsWithHeartbeat()}),
      Fails("ets.three-classes", "with the default", GoodHost(), "TC 0, with the default",
            {.fix = std::string(kWhole), .profile = EtsWithHeartbeat()}),
      Fails("ets.three-classes", "with RDMA", ThreeClasses([](Ets& ets) { ets.prio_tc[7] = 3; }),
            "TC 3, with RDMA", {.fix = std::string(kWhole), .profile = EtsWithHeartbeat()}),
      IsUnknown("ets.three-classes", "denied", EtsDenied(), "not permitted", {.profile = EtsWithHeartbeat()}),
      DoesNotApply("ets.three-classes", "not asked", GoodHost(), "does not ask"),
      Passes("ets.cluster-share", "1 % of 25 Gb/s", ThreeClasses(as_it_is), "TC 7: ETS 1 %",
             {.profile = EtsWithHeartbeat()}),
      Passes("ets.cluster-share", "2 % of 10 Gb/s", slow, "TC 7: ETS 2 %", {.profile = EtsWithHeartbeat()}),
      Warns("ets.cluster-share", "2 % of 25 Gb/s", share(2), "TC 7: ETS 2 %",
            {.fix = std::string(kWhole), .profile = EtsWithHeartbeat()}),
      Fails("ets.cluster-share", "3 % of 10 Gb/s", slow_and_more, "TC 7: ETS 3 %",
            {.profile = EtsWithHeartbeat()}),
      Fails("ets.cluster-share", "20 %", share(20), "TC 7: ETS 20 %",
            {.fix = std::string(kWhole), .profile = EtsWithHeartbeat()}),
      Fails("ets.cluster-share", "none", share(0), "TC 7: ETS 0 %", {.profile = EtsWithHeartbeat()}),
      Warns("ets.cluster-share", "strict", ThreeClasses([](Ets& ets) { ets.tsa[7] = Tsa::kStrict; }), "strict",
            {.profile = EtsWithHeartbeat()}),
      Fails("ets.cluster-share", "vendor", ThreeClasses([](Ets& ets) { ets.tsa[7] = Tsa::kVendor; }), "vendor",
            {.profile = EtsWithHeartbeat()}),
      IsUnknown("ets.cluster-share", "in no class", ThreeClasses([](Ets& ets) { ets.prio_tc[7] = 15; }),
                "in no class", {.profile = EtsWithHeartbeat()}),
      IsUnknown("ets.cluster-share", "denied", EtsDenied(), "not permitted", {.profile = EtsWithHeartbeat()}),
      DoesNotApply("ets.cluster-share", "not asked", GoodHost(), "does not ask")};
}

}  // namespace

std::vector<CheckCase> EtsOthersCases() { return Joined({EtsOthersEtsRows(), EtsOthersHeartbeatRows()}); }

}  // namespace rdmaready
