// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

AppEntry AppRow(AppSelector selector, std::uint16_t protocol, std::uint8_t priority) {
  return {.selector = selector, .priority = priority, .protocol = protocol};
}

const AppEntry kRdmaRow = AppRow(AppSelector::kDscp, 26, 3);

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

AppEntry DcbAppRow(AppSelector selector, std::uint16_t protocol, std::uint8_t priority) {
  return {.selector = selector, .priority = priority, .protocol = protocol};
}

// With these rows, making RoCE v1 connections.
Facts V1(Fact<std::vector<AppEntry>> rows, std::string_view driver = "bnxt_en") {
  Facts host = On(driver, [&rows](Netdev& netdev) { netdev.dcb.app = rows; });
  std::vector<Port> ports = *host.ports;
  ports.front().cm_default_mode = GidType::kRoceV1;
  host.ports = ports;
  return host;
}

std::vector<CheckCase> AppRowsAppRows() {
  using Rows = std::vector<AppEntry>;
  const AppEntry udp = AppRow(AppSelector::kDgram, 4791, 3);
  return {Passes("app.roce-udp", "bnxt with its row", OnBnxt(Rows{udp}), "UDP port 4791 to priority 3"),
          IsUnknown("app.roce-udp", "bnxt without", OnBnxt(Rows{}), "does not show those of its firmware",
                    {.fix = "dcb app replace dev dcb0 dgram-port-prio 4791:3"}),
          Fails("app.roce-udp", "bnxt, other priority", OnBnxt(Rows{AppRow(AppSelector::kDgram, 4791, 5)}),
                "to priority 5"),
          Passes("app.roce-udp", "qede with its row", OnQede(Rows{udp}), "UDP port 4791 to priority 3"),
          IsUnknown("app.roce-udp", "qede without", OnQede(Rows{}), "does not show those of its firmware",
                    {.fix = "dcb app replace dev dcb0 dgram-port-prio 4791:3"}),
          IsUnknown("app.roce-udp", "denied", OnBnxt(Denied()), "not permitted"),
          DoesNotApply("app.roce-udp", "other driver", GoodHost(), "driver dcbnic does not take"),
          Passes("map.duplicates", "good", GoodHost(), "1 row, none twice"),
          Fails("map.duplicates", "RDMA's DSCP twice", WithApp({AppRow(AppSelector::kDscp, 26, 0), kRdmaRow}),
                "DSCP 26 to priorities 0 and 3", {.fix = "dcb app replace dev dcb0 dscp-prio 26:3"}),
          Fails("map.duplicates", "a port twice",
                WithApp({kRdmaRow, AppRow(AppSelector::kStream, 445, 0), AppRow(AppSelector::kStream, 445, 3)}),
                "TCP port 445 to priorities 0 and 3", {.fix = "stream-port-prio 445:3"}),
          Fails("map.duplicates", "RoCE's port twice",
                WithApp({kRdmaRow, AppRow(AppSelector::kDgram, 4791, 0), AppRow(AppSelector::kDgram, 4791, 3)}),
                "UDP port 4791 to priorities 0 and 3", {.fix = "dgram-port-prio 4791:3"}),
          Fails("map.duplicates", "the DSCP of notifications twice",
                WithApp({kRdmaRow, AppRow(AppSelector::kDscp, 48, 0), AppRow(AppSelector::kDscp, 48, 6)}),
                "DSCP 48 to priorities 0 and 6", {.fix = "dscp-prio 48:6", .profile = WithCnp()}),
          Fails("map.duplicates", "what nobody planned",
                WithApp({kRdmaRow, AppRow(AppSelector::kStream, 80, 1), AppRow(AppSelector::kStream, 80, 3)}),
                "TCP port 80 to priorities 1 and 3", {.fix = "stream-port-prio 80:1"}),
          IsUnknown("map.duplicates", "denied", AppDenied(), "not permitted"),
          Passes("map.default-prio", "no row", GoodHost(), "no default row"),
          Passes("map.default-prio", "0", WithApp({kRdmaRow, AppRow(AppSelector::kEthertype, 0, 0)}),
                 "to priority 0"),
          Fails("map.default-prio", "3", WithApp({kRdmaRow, AppRow(AppSelector::kEthertype, 0, 3)}),
                "to priority 3", {.fix = "dcb app replace dev dcb0 default-prio 0"}),
          IsUnknown("map.default-prio", "driver not known", On("", [](Netdev&) {}), "which driver"),
          IsUnknown("map.default-prio", "qede without a row", OnQede(Rows{}),
                    "does not show those of its firmware"),
          IsUnknown("map.default-prio", "denied", AppDenied(), "not permitted"),
          DoesNotApply("map.default-prio", "nothing asked", GoodHost(), "does not ask",
                       {.profile = Profile{.name = "any"}})};
}

std::vector<CheckCase> AppMarksRows() {
  using Rows = std::vector<AppEntry>;
  const AppEntry cnp = AppRow(AppSelector::kDscp, 48, 6);
  const Profile no_priority = Asking([](Profile& profile) { profile.cnp = Profile::Cnp{.dscp = 48}; });
  return {
      Passes("map.cnp-dscp", "good", WithApp({kRdmaRow, cnp}), "DSCP 48 to priority 6", {.profile = WithCnp()}),
      Fails("map.cnp-dscp", "paused", WithApp({kRdmaRow, AppRow(AppSelector::kDscp, 48, 3)}),
            "DSCP 48 to priority 3, which is paused",
            {.fix = "dcb app replace dev dcb0 dscp-prio 48:6", .profile = WithCnp()}),
      Warns("map.cnp-dscp", "a driver that maps none",
            On("mlx4_en", [&](Netdev& netdev) { netdev.dcb.app = Rows{cnp}; }), "driver mlx4_en maps no DSCP",
            {.profile = WithCnp()}),
      IsUnknown("map.cnp-dscp", "a driver that hides its map", OnQede(Rows{cnp}), "does not show those",
                {.profile = WithCnp()}),
      IsUnknown("map.cnp-dscp", "bnxt without a row", OnBnxt(Rows{}), "does not show those",
                {.profile = WithCnp()}),
      Passes("map.cnp-dscp", "mlx5 with a row of RDMA's only", On("mlx5_core", [](Netdev&) {}),
             "DSCP 48 to priority 6 by the NIC's own map", {.profile = WithCnp()}),
      Warns("map.cnp-dscp", "no row", GoodHost(), "no row for DSCP 48", {.profile = WithCnp()}),
      Passes("map.cnp-dscp", "no row where none is asked for", GoodHost(), "no row for DSCP 48",
             {.profile = no_priority}),
      IsUnknown("map.cnp-dscp", "denied", AppDenied(), "not permitted", {.profile = WithCnp()}),
      DoesNotApply("map.cnp-dscp", "not asked", GoodHost(), "does not ask"),
      Passes("map.pcp", "no row", WithApp({}), "PCP 3 is priority 3", {.profile = PcpProfile()}),
      Passes("map.pcp", "to itself", WithApp({AppRow(AppSelector::kPcp, 3, 3)}), "PCP 3 to priority 3",
             {.profile = PcpProfile()}),
      Fails("map.pcp", "elsewhere", WithApp({AppRow(AppSelector::kPcp, 3, 0)}), "PCP 3 to priority 0",
            {.fix = "dcb app replace dev dcb0 pcp-prio 3:3", .profile = PcpProfile()}),
      IsUnknown("map.pcp", "denied", AppDenied(), "not permitted", {.profile = PcpProfile()}),
      DoesNotApply("map.pcp", "DSCP profile", GoodHost(), "does not ask")};
}

std::vector<CheckCase> AppRowsDcbRows() {
  using Rows = std::vector<AppEntry>;
  const Profile smb = Asking([](Profile& profile) { profile.roles = {Profile::Role::kSmbServer}; });
  const AppEntry tcp = DcbAppRow(AppSelector::kStream, 445, 3);
  const AppEntry direct = DcbAppRow(AppSelector::kAny, 5445, 3);
  const auto rewriting = [](Fact<Rows> rows) { return WithDcb([&rows](Dcb& dcb) { dcb.rewrite = rows; }); };
  return {
      Passes("app.roce-ethertype", "its row", V1(Rows{DcbAppRow(AppSelector::kEthertype, 0x8915, 3)}),
             "0x8915 to priority 3"),
      Fails("app.roce-ethertype", "another priority", V1(Rows{DcbAppRow(AppSelector::kEthertype, 0x8915, 0)}),
            "to priority 0", {.fix = "dcb app replace dev dcb0 ethtype-prio 0x8915:3"}),
      IsUnknown("app.roce-ethertype", "bnxt without", V1(Rows{}), "does not show those of its firmware"),
      IsUnknown("app.roce-ethertype", "qede without", V1(Rows{}, "qede"),
                "does not show those of its firmware"),
      IsUnknown("app.roce-ethertype", "denied", V1(Denied()), "not permitted"),
      DoesNotApply("app.roce-ethertype", "RoCE v2", GoodHost(), "RoCE v2 connections"),
      Passes("app.smb-port", "both", WithApp({tcp, direct}), "both to priority 3", {.profile = smb}),
      Fails("app.smb-port", "one", WithApp({tcp}), "TCP port 5445",
            {.fix = "stream-port-prio 5445:3", .profile = smb}),
      IsUnknown("app.smb-port", "denied", WithDcb([](Dcb& dcb) { dcb.app = Denied(); }), "not permitted",
                {.profile = smb}),
      DoesNotApply("app.smb-port", "mlx5", On("mlx5_core", [](Netdev&) {}), "DSCP only", {.profile = smb}),
      DoesNotApply("app.smb-port", "no role", GoodHost(), "does not ask"),
      Passes("rewr.consistent", "none", GoodHost(), "nothing changes"),
      Passes("rewr.consistent", "the same",
             rewriting(Rows{DcbAppRow(AppSelector::kDscp, 26, 3), DcbAppRow(AppSelector::kPcp, 0, 0)}),
             "nothing changes"),
      Fails("rewr.consistent", "another DSCP", rewriting(Rows{DcbAppRow(AppSelector::kDscp, 0, 3)}),
            "priority 3 leaves with DSCP 0", {.fix = "dcb rewr del dev dcb0 prio-dscp 3:0"}),
      Fails("rewr.consistent", "another PCP", rewriting(Rows{DcbAppRow(AppSelector::kPcp, 5, 3)}),
            "leaves with PCP 5", {.fix = "prio-pcp 3:5"}),
      IsUnknown("rewr.consistent", "denied", rewriting(Denied()), "not permitted")};
}

}  // namespace

std::vector<CheckCase> AppCases() { return Joined({AppRowsAppRows(), AppMarksRows(), AppRowsDcbRows()}); }

}  // namespace rdmaready
