// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
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

Facts EtsDenied() {
  return WithDcb([](Dcb& dcb) { dcb.ets = Denied(); });
}

Profile WithHeartbeat() {
  return Asking([](Profile& profile) {
    profile.heartbeat =
        Profile::Heartbeat{.priority = 7, .percent = std::uint8_t{1}, .percent_up_to_10g = std::uint8_t{2}};
  });
}

Profile Silent() {
  return Asking([](Profile& profile) { profile.ets_rdma_percent.reset(); });
}

// Three classes: 49 % for the rest, 50 % for RDMA, 1 % for the heartbeat; then a change.
template <class Change>
Facts ThreeClasses(Change change) {
  return WithEts([&change](Ets& ets) {
    ets.tsa[7] = Tsa::kEts;
    ets.tx_percent = {49, 0, 0, 50, 0, 0, 0, 1};
    ets.prio_tc[7] = 7;
    change(ets);
  });
}

void AddClasses(std::vector<CheckCase>& cases) {
  const auto rates = [](std::size_t tc, std::uint64_t kbps) {
    return WithDcb([=](Dcb& dcb) {
      MaxRatesKbps limits{};
      limits[tc] = kbps;
      dcb.max_rate_kbps = limits;
    });
  };
  Profile limited = VirtualFabricProfile();
  limited.rdma_max_rate_mbps = 5'000;
  cases.insert(
      cases.end(),
      {{"ets.capacity", "eight", GoodHost(), kPass, "8 classes"},
       {"ets.capacity", "one", WithEts([](Ets& ets) { ets.traffic_classes = 1; }), kFail, "1 class",
        "dcb ets show dev dcb0"},
       {"ets.capacity", "two where three are needed", WithEts([](Ets& ets) { ets.traffic_classes = 2; }), kFail,
        "2 classes", "", WithHeartbeat()},
       {"ets.capacity", "denied", EtsDenied(), kUnknown, "not permitted"},
       {"ets.capacity", "not asked", GoodHost(), kNotApplicable, "does not ask", "", Silent()},
       {"ets.sum", "100", GoodHost(), kPass, "the shares of 2 classes add up to 100 %"},
       {"ets.sum", "90", WithEts([](Ets& ets) { ets.tx_percent[0] = 40; }), kFail, "add up to 90 %",
        "dcb ets set dev dcb0"},
       {"ets.sum", "no class shares", WithEts([](Ets& ets) { ets.tsa = {}; }), kPass, "no class shares"},
       {"ets.sum", "denied", EtsDenied(), kUnknown, "not permitted"},
       {"ets.tsa", "ets", GoodHost(), kPass, "priority 3 in TC 3: ets"},
       {"ets.tsa", "strict", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kStrict; }), kWarn,
        "priority 3 in TC 3: strict", "dcb ets set dev dcb0"},
       {"ets.tsa", "the vendor's way", WithEts([](Ets& ets) { ets.tsa[3] = Tsa::kVendor; }), kFail,
        "priority 3 in TC 3: vendor", "dcb ets set dev dcb0"},
       {"ets.tsa", "the default class is strict", WithEts([](Ets& ets) { ets.tsa[0] = Tsa::kStrict; }), kWarn,
        "priority 0 in TC 0: strict, served before"},
       {"ets.tsa", "a strict heartbeat", ThreeClasses([](Ets& ets) { ets.tsa[7] = Tsa::kStrict; }), kPass,
        "ets", "", WithHeartbeat()},
       {"ets.tsa", "in no class", WithEts([](Ets& ets) { ets.prio_tc[3] = 15; }), kUnknown, "in no class"},
       {"ets.tsa", "denied", EtsDenied(), kUnknown, "not permitted"},
       {"ets.maxrate", "none", GoodHost(), kPass, "no class is limited"},
       {"ets.maxrate", "another class's", rates(0, 1'000'000), kPass, "TC 3 has no limit"},
       {"ets.maxrate", "RDMA's", rates(3, 1'000'000), kFail, "TC 3 is limited to 1000 Mb/s",
        "dcb maxrate set dev dcb0 tc-maxrate 3:0"},
       {"ets.maxrate", "as wanted", rates(3, 5'000'000), kPass, "TC 3 is limited to 5000 Mb/s", "", limited},
       {"ets.maxrate", "a step less", rates(3, 4'900'001), kPass, "limited to 4900 Mb/s", "", limited},
       {"ets.maxrate", "more than a step less", rates(3, 4'900'000), kFail, "limited to 4900 Mb/s", "",
        limited},
       {"ets.maxrate", "less than wanted", rates(3, 1'000'000), kFail, "TC 3 is limited to 1000 Mb/s",
        "dcb maxrate set dev dcb0 tc-maxrate 3:5000mbit", limited},
       {"ets.maxrate", "not limited", GoodHost(), kFail, "TC 3 has no limit", "tc-maxrate 3:5000mbit", limited},
       {"ets.maxrate", "denied", WithDcb([](Dcb& dcb) { dcb.max_rate_kbps = Denied(); }), kUnknown,
        "not permitted"},
       {"ets.maxrate", "not offered", WithDcb([](Dcb& dcb) { dcb.max_rate_kbps = kUnsupported; }),
        kNotApplicable, "no rate limits"}});
}

void AddHeartbeat(std::vector<CheckCase>& cases) {
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
  cases.insert(
      cases.end(),
      {{"ets.three-classes", "good", ThreeClasses(as_it_is), kPass, "priority 7 is in TC 7", "",
        WithHeartbeat()},
       {"ets.three-classes", "with the default", GoodHost(), kFail, "TC 0, with the default",
        std::string(kWhole), WithHeartbeat()},
       {"ets.three-classes", "with RDMA", ThreeClasses([](Ets& ets) { ets.prio_tc[7] = 3; }), kFail,
        "TC 3, with RDMA", std::string(kWhole), WithHeartbeat()},
       {"ets.three-classes", "denied", EtsDenied(), kUnknown, "not permitted", "", WithHeartbeat()},
       {"ets.three-classes", "not asked", GoodHost(), kNotApplicable, "does not ask"},
       {"ets.cluster-share", "1 % of 25 Gb/s", ThreeClasses(as_it_is), kPass, "TC 7: ETS 1 %", "",
        WithHeartbeat()},
       {"ets.cluster-share", "2 % of 10 Gb/s", slow, kPass, "TC 7: ETS 2 %", "", WithHeartbeat()},
       {"ets.cluster-share", "2 % of 25 Gb/s", share(2), kWarn, "TC 7: ETS 2 %", std::string(kWhole),
        WithHeartbeat()},
       {"ets.cluster-share", "3 % of 10 Gb/s", slow_and_more, kFail, "TC 7: ETS 3 %", "", WithHeartbeat()},
       {"ets.cluster-share", "20 %", share(20), kFail, "TC 7: ETS 20 %", std::string(kWhole), WithHeartbeat()},
       {"ets.cluster-share", "none", share(0), kFail, "TC 7: ETS 0 %", "", WithHeartbeat()},
       {"ets.cluster-share", "strict", ThreeClasses([](Ets& ets) { ets.tsa[7] = Tsa::kStrict; }), kWarn,
        "strict", "", WithHeartbeat()},
       {"ets.cluster-share", "vendor", ThreeClasses([](Ets& ets) { ets.tsa[7] = Tsa::kVendor; }), kFail,
        "vendor", "", WithHeartbeat()},
       {"ets.cluster-share", "in no class", ThreeClasses([](Ets& ets) { ets.prio_tc[7] = 15; }), kUnknown,
        "in no class", "", WithHeartbeat()},
       {"ets.cluster-share", "denied", EtsDenied(), kUnknown, "not permitted", "", WithHeartbeat()},
       {"ets.cluster-share", "not asked", GoodHost(), kNotApplicable, "does not ask"}});
}

}  // namespace

void AddEtsCases(std::vector<CheckCase>& cases) {
  AddClasses(cases);
  AddHeartbeat(cases);
}

}  // namespace rdmaready
