// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

std::vector<CheckCase> ClassificationItselfRows() {
  const AppEntry right{.selector = AppSelector::kDscp, .priority = 3, .protocol = 26};
  const AppEntry wrong{.selector = AppSelector::kDscp, .priority = 0, .protocol = 26};
  const auto trust = [](std::vector<AppSelector> table) {
    return WithDcb([&table](Dcb& dcb) { dcb.app_trust = table; });
  };
  const auto other_driver = WithNetdev([](Netdev& netdev) { netdev.driver = "qede"; });
  return {
      Passes("map.dscp", "good", GoodHost(), "DSCP 26 to priority 3"),
      Fails("map.dscp", "no row", WithApp({}), "no row for DSCP 26",
            {.fix = "dcb app replace dev dcb0 dscp-prio 26:3"}),
      Fails("map.dscp", "other priority", WithApp({wrong}), "DSCP 26 to priority 0"),
      Fails("map.dscp", "two priorities", WithApp({right, wrong}), "to priorities 0 and 3"),
      IsUnknown("map.dscp", "denied", WithDcb([](Dcb& dcb) { dcb.app = Denied(); }), "not permitted"),
      DoesNotApply("map.dscp", "PCP profile", GoodHost(), "classifies by PCP", {.profile = PcpProfile()}),
      Passes("trust.mode", "good", GoodHost(), "dscp, by the DSCP rows"),
      Fails("trust.mode", "PCP profile, DSCP rows", GoodHost(), "dscp",
            {.fix = "dcb app flush dev dcb0 dscp-prio", .profile = PcpProfile()}),
      Passes("trust.mode", "PCP profile, no rows", WithApp({}), "pcp", {.profile = PcpProfile()}),
      Fails("trust.mode", "table without DSCP", trust({AppSelector::kPcp}), "pcp",
            {.fix = "dcb apptrust set dev dcb0"}),
      Fails("trust.mode", "empty table", trust({}), "nothing"),
      Passes("trust.mode", "DSCP first", trust({AppSelector::kDscp, AppSelector::kPcp}), "dscp, then pcp"),
      Passes("trust.mode", "PCP first", trust({AppSelector::kPcp, AppSelector::kDscp}), "pcp, then dscp"),
      IsUnknown("trust.mode", "driver whose rule is not known", other_driver, "driver qede has no APP trust"),
      DoesNotApply("trust.mode", "not asked", GoodHost(), "does not ask",
                   {.profile = Without([](Profile& profile) { profile.trust = Profile::Trust::kAny; })})};
}

// An mlx5 of MLNX_OFED: DSCP 26 has that priority, and no APP row says so.
Facts InSysfs(std::uint8_t priority, AppSelector trust = AppSelector::kDscp) {
  return On("mlx5_core", [=](Netdev& netdev) {
    DscpMap map{};
    map[26] = priority;
    netdev.dcb.app = std::vector<AppEntry>{};
    netdev.dcb.nic_trust = trust;
    netdev.dcb.nic_dscp_map = map;
  });
}

std::vector<CheckCase> ClassificationRowsRows() {
  using Rows = std::vector<AppEntry>;
  const AppEntry another{.selector = AppSelector::kDscp, .priority = 6, .protocol = 48};
  const auto table = [](Fact<std::vector<AppSelector>> order) {
    return WithDcb([&order](Dcb& dcb) { dcb.app_trust = order; });
  };
  return {
      Passes("trust.apptrust-order", "dscp first",
             table(std::vector<AppSelector>{AppSelector::kDscp, AppSelector::kPcp}), "dscp, then pcp"),
      Fails("trust.apptrust-order", "pcp first",
            table(std::vector<AppSelector>{AppSelector::kPcp, AppSelector::kDscp}), "pcp, then dscp",
            {.fix = "dcb apptrust set dev dcb0 order dscp pcp"}),
      IsUnknown("trust.apptrust-order", "denied", table(Denied()), "not permitted"),
      DoesNotApply("trust.apptrust-order", "no table", GoodHost(), "no APP trust table"),
      Passes("trust.mode", "bnxt with a DSCP row", On("bnxt_en", [](Netdev&) {}), "dscp, by the DSCP rows"),
      IsUnknown("trust.mode", "bnxt without", On("bnxt_en", [](Netdev& netdev) { netdev.dcb.app = Rows{}; }),
                "driver bnxt_en does not tell what it trusts without DSCP rows"),
      Passes("trust.mode", "mlx4 by PCP", On("mlx4_en", [](Netdev&) {}), "pcp, as mlx4_en has no map of DSCP",
             {.profile = PcpProfile()}),
      Fails("trust.mode", "ice whose firmware runs DCBX",
            On("ice", [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; }),
            "pcp, as its firmware runs DCBX", {.fix = "dcb dcbx set dev dcb0 host ieee"}),
      Passes("trust.mode", "ice of the host", On("ice", [](Netdev&) {}), "dscp, by the DSCP rows"),
      IsUnknown("trust.mode", "qede by PCP", On("qede", [](Netdev&) {}), "its rule is not known",
                {.profile = PcpProfile()}),
      Fails("map.dscp", "mlx4 with a row", On("mlx4_en", [](Netdev&) {}),
            "driver mlx4_en maps no DSCP; the row is the kernel's only", {.fix = "or use another NIC"}),
      IsUnknown("map.dscp", "qede", On("qede", [](Netdev& netdev) { netdev.dcb.app = Rows{}; }),
                "does not show those of its firmware"),
      IsUnknown("map.dscp", "bnxt without a row",
                On("bnxt_en", [](Netdev& netdev) { netdev.dcb.app = Rows{}; }),
                "does not show those of its firmware"),
      IsUnknown("map.dscp", "driver not known", On("", [](Netdev&) {}), "which driver"),
      Fails("map.dscp", "mlx5 without a row", On("mlx5_core", [](Netdev& netdev) { netdev.dcb.app = Rows{}; }),
            "no row for DSCP 26"),
      IsUnknown("map.dscp", "mlx5, a row of another DSCP",
                On("mlx5_core", [&](Netdev& netdev) { netdev.dcb.app = Rows{another}; }),
                "the NIC's own map decides, which comes up with 3"),
      Fails("map.dscp", "mlx5, a row of another DSCP, and its own map is wrong",
            On("mlx5_core", [&](Netdev& netdev) { netdev.dcb.app = Rows{another}; }),
            "no row for DSCP 40: the NIC's own map decides, which comes up with 5",
            {.profile = Without([](Profile& profile) { profile.dscp = std::uint8_t{40}; })}),
      Passes("map.dscp", "mlx5 with a map in sysfs", InSysfs(3), "DSCP 26 to priority 3"),
      Fails("map.dscp", "mlx5 with another map in sysfs", InSysfs(0), "DSCP 26 to priority 0",
            {.fix = "mlnx_qos -i dcb0 --dscp2prio set,26,3"}),
      IsUnknown("map.dscp", "mlx5, sysfs denied",
                On("mlx5_core", [](Netdev& netdev) { netdev.dcb.nic_dscp_map = Denied(); }), "not permitted"),
      Passes("trust.mode", "mlx5 by sysfs", InSysfs(3), "dscp, by qos/trust"),
      Fails("trust.mode", "mlx5 by sysfs, PCP", InSysfs(3, AppSelector::kPcp), "pcp, by qos/trust",
            {.fix = "mlnx_qos -i dcb0 --trust dscp"}),
      IsUnknown("trust.mode", "mlx5, sysfs denied",
                On("mlx5_core", [](Netdev& netdev) { netdev.dcb.nic_trust = Denied(); }), "not permitted"),
      Passes("trust.mode", "hns3 with a DSCP row", On("hns3", [](Netdev&) {}), "dscp, by the DSCP rows")};
}

}  // namespace

std::vector<CheckCase> ClassificationCases() {
  return Joined({ClassificationItselfRows(), ClassificationRowsRows()});
}

}  // namespace rdmaready
