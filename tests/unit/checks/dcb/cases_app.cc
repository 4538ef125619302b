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

template <class Change>
Profile Asking(Change change) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

AppEntry Row(AppSelector selector, std::uint16_t protocol, std::uint8_t priority) {
  return {.selector = selector, .priority = priority, .protocol = protocol};
}

const AppEntry kRdma = Row(AppSelector::kDscp, 26, 3);

Facts AppDenied() {
  return WithDcb([](Dcb& dcb) { dcb.app = Denied(); });
}

// A driver that takes RoCE's priority from the APP table.
Facts OnBnxt(Fact<std::vector<AppEntry>> rows) {
  return WithNetdev([&rows](Netdev& netdev) {
    netdev.driver = "bnxt_en";
    netdev.dcb.app = rows;
  });
}

Facts OnQede(const std::vector<AppEntry>& rows) {
  return WithNetdev([&rows](Netdev& netdev) {
    netdev.driver = "qede";
    netdev.dcb.app = rows;
  });
}

Profile WithCnp() {
  return Asking([](Profile& profile) { profile.cnp = Profile::Cnp{.dscp = 48, .priority = std::uint8_t{6}}; });
}

Facts ByPcp() { return WithApp({}); }
Facts TrustDenied() { return AppDenied(); }

void AddRows(std::vector<CheckCase>& cases) {
  using Rows = std::vector<AppEntry>;
  const AppEntry udp = Row(AppSelector::kDgram, 4791, 3);
  cases.insert(
      cases.end(),
      {{"app.roce-udp", "bnxt with its row", OnBnxt(Rows{udp}), kPass, "UDP port 4791 to priority 3"},
       {"app.roce-udp", "bnxt without", OnBnxt(Rows{}), kFail, "no row for UDP port 4791",
        "dcb app replace dev dcb0 dgram-port-prio 4791:3"},
       {"app.roce-udp", "bnxt, other priority", OnBnxt(Rows{Row(AppSelector::kDgram, 4791, 5)}), kFail,
        "to priority 5"},
       {"app.roce-udp", "qede with its row", OnQede(Rows{udp}), kPass, "UDP port 4791 to priority 3"},
       {"app.roce-udp", "qede without", OnQede(Rows{}), kUnknown, "does not show those of its firmware",
        "dcb app replace dev dcb0 dgram-port-prio 4791:3"},
       {"app.roce-udp", "denied", OnBnxt(Denied()), kUnknown, "not permitted"},
       {"app.roce-udp", "other driver", GoodHost(), kNotApplicable, "driver dcbnic does not take"},
       {"map.duplicates", "good", GoodHost(), kPass, "1 row, none twice"},
       {"map.duplicates", "RDMA's DSCP twice", WithApp({Row(AppSelector::kDscp, 26, 0), kRdma}), kFail,
        "DSCP 26 to priorities 0 and 3", "dcb app replace dev dcb0 dscp-prio 26:3"},
       {"map.duplicates", "a port twice",
        WithApp({kRdma, Row(AppSelector::kStream, 445, 0), Row(AppSelector::kStream, 445, 3)}), kFail,
        "TCP port 445 to priorities 0 and 3", "stream-port-prio 445:3"},
       {"map.duplicates", "RoCE's port twice",
        WithApp({kRdma, Row(AppSelector::kDgram, 4791, 0), Row(AppSelector::kDgram, 4791, 3)}), kFail,
        "UDP port 4791 to priorities 0 and 3", "dgram-port-prio 4791:3"},
       {"map.duplicates", "the DSCP of notifications twice",
        WithApp({kRdma, Row(AppSelector::kDscp, 48, 0), Row(AppSelector::kDscp, 48, 6)}), kFail,
        "DSCP 48 to priorities 0 and 6", "dscp-prio 48:6", WithCnp()},
       {"map.duplicates", "what nobody planned",
        WithApp({kRdma, Row(AppSelector::kStream, 80, 1), Row(AppSelector::kStream, 80, 3)}), kFail,
        "TCP port 80 to priorities 1 and 3", "stream-port-prio 80:1"},
       {"map.duplicates", "denied", AppDenied(), kUnknown, "not permitted"},
       {"map.default-prio", "no row", GoodHost(), kPass, "no default row"},
       {"map.default-prio", "0", WithApp({kRdma, Row(AppSelector::kEthertype, 0, 0)}), kPass, "to priority 0"},
       {"map.default-prio", "3", WithApp({kRdma, Row(AppSelector::kEthertype, 0, 3)}), kFail, "to priority 3",
        "dcb app replace dev dcb0 default-prio 0"},
       {"map.default-prio", "qede without a row", OnQede(Rows{}), kUnknown,
        "does not show those of its firmware"},
       {"map.default-prio", "denied", AppDenied(), kUnknown, "not permitted"},
       {"map.default-prio", "nothing asked", GoodHost(), kNotApplicable, "does not ask", "",
        Profile{.name = "any"}}});
}

void AddMarks(std::vector<CheckCase>& cases) {
  using Rows = std::vector<AppEntry>;
  const AppEntry cnp = Row(AppSelector::kDscp, 48, 6);
  const Profile no_priority = Asking([](Profile& profile) { profile.cnp = Profile::Cnp{.dscp = 48}; });
  cases.insert(
      cases.end(),
      {{"map.cnp-dscp", "good", WithApp({kRdma, cnp}), kPass, "DSCP 48 to priority 6", "", WithCnp()},
       {"map.cnp-dscp", "paused", WithApp({kRdma, Row(AppSelector::kDscp, 48, 3)}), kFail,
        "DSCP 48 to priority 3, which is paused", "dcb app replace dev dcb0 dscp-prio 48:6", WithCnp()},
       {"map.cnp-dscp", "a driver that maps none", OnQede(Rows{cnp}), kWarn, "driver qede maps no DSCP", "",
        WithCnp()},
       {"map.cnp-dscp", "no row", GoodHost(), kWarn, "no row for DSCP 48", "", WithCnp()},
       {"map.cnp-dscp", "no row where none is asked for", GoodHost(), kPass, "no row for DSCP 48", "",
        no_priority},
       {"map.cnp-dscp", "denied", AppDenied(), kUnknown, "not permitted", "", WithCnp()},
       {"map.cnp-dscp", "not asked", GoodHost(), kNotApplicable, "does not ask"},
       {"map.pcp", "no row", WithApp({}), kPass, "PCP 3 is priority 3", "", PcpProfile()},
       {"map.pcp", "to itself", WithApp({Row(AppSelector::kPcp, 3, 3)}), kPass, "PCP 3 to priority 3", "",
        PcpProfile()},
       {"map.pcp", "elsewhere", WithApp({Row(AppSelector::kPcp, 3, 0)}), kFail, "PCP 3 to priority 0",
        "dcb app replace dev dcb0 pcp-prio 3:3", PcpProfile()},
       {"map.pcp", "denied", AppDenied(), kUnknown, "not permitted", "", PcpProfile()},
       {"map.pcp", "DSCP profile", GoodHost(), kNotApplicable, "does not ask"},
       {"trust.uniform", "dscp on both", GoodHost(), kPass, "dscp on both"},
       {"trust.uniform", "pcp here", WithApp({}), kFail, "pcp at a, dscp at b", "dcb app show dev dcb0"},
       {"trust.uniform", "pcp there", GoodHost(), kFail, "dscp at a, pcp at b", "", {}, 0, ByPcp},
       {"trust.uniform", "denied there", GoodHost(), kUnknown, "not permitted", "", {}, 0, TrustDenied},
       {"trust.uniform", "a table that says pcp first", WithDcb([](Dcb& dcb) {
          dcb.app_trust = std::vector<AppSelector>{AppSelector::kPcp, AppSelector::kDscp};
        }),
        kFail, "pcp at a"},
       {"trust.uniform", "mlx4 here", WithNetdev([](Netdev& netdev) { netdev.driver = "mlx4_en"; }), kFail,
        "pcp at a, dscp at b"},
       {"trust.uniform", "driver whose rule is not known",
        WithNetdev([](Netdev& netdev) { netdev.driver = "qede"; }), kNotApplicable, "does not say"}});
}

}  // namespace

void AddAppCases(std::vector<CheckCase>& cases) {
  AddRows(cases);
  AddMarks(cases);
}

}  // namespace rdmaready
