// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/boot_owner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

const std::string kScript = "/etc/rc.local";

std::string FileOf(const Facts& host, const SettingObject& object, std::string_view value) {
  return FileThatSets(host, PlaceOf(host, object), value);
}

Facts WithWrite(const std::string& setting, const std::string& object, const std::string& value) {
  Facts host = GoodHost();
  host.boot_writes = std::vector<BootWrite>{
      {.file = kScript, .started = kScript, .setting = setting, .object = object, .value = value}};
  return host;
}

TEST(FileThatSets, IsTheOneWithThisValue) {
  const SettingObject pfc = OfDcb0(SettingKind::kPfc);
  EXPECT_EQ(FileOf(WithWrite("pfc", "dcb0", "3"), pfc, "on 3 delay 0"), kScript);
  EXPECT_EQ(FileOf(WithWrite("pfc", "dcb0", "3"), pfc, "on 3,5 delay 0"), "");
  EXPECT_EQ(FileOf(WithWrite("pfc", "dcb0", "none"), pfc, "off delay 0"), kScript);
  EXPECT_EQ(FileOf(WithWrite("pfc", "dcb1", "3"), pfc, "on 3 delay 0"), "") << "of another interface";
  EXPECT_EQ(FileOf(WithWrite("trust", "dcb0", "dscp"), pfc, "on 3 delay 0"), "");
  EXPECT_EQ(FileOf(GoodHost(), pfc, "on 3 delay 0"), "");
}

TEST(FileThatSets, MayBeOneWhoseValueIsNotKnown) {
  EXPECT_EQ(FileOf(WithWrite("pfc", "", "*"), OfDcb0(SettingKind::kPfc), "on 3 delay 0"), kScript);
  EXPECT_EQ(FileOf(WithWrite("dcb", "dcb0", "ets"), OfDcb0(SettingKind::kEts), "x"), kScript);
  EXPECT_EQ(FileOf(WithWrite("dcb", "dcb0", "app"), OfDcb0(SettingKind::kEts), "x"), "");
}

TEST(FileThatSets, HoldsAnMtuOrAVariableOfTheKernel) {
  Facts host = GoodHost();
  host.boot_settings = BootSettings{
      .writes = {{.file = "/etc/netplan/a.yaml", .setting = "mtu", .object = "dcb0", .value = "9000"},
                 {.file = "/etc/sysctl.d/a.conf",
                  .setting = "sysctl",
                  .object = "net.ipv4.conf.dcb0.rp_filter",
                  .value = "2"}}};
  EXPECT_EQ(FileOf(host, OfDcb0(SettingKind::kMtu), "9000"), "/etc/netplan/a.yaml");
  EXPECT_EQ(FileOf(host, OfDcb0(SettingKind::kMtu), "1500"), "");
  const SettingObject filter{.kind = SettingKind::kSysctl, .name = "net.ipv4.conf.dcb0.rp_filter"};
  EXPECT_EQ(FileOf(host, filter, "2"), "/etc/sysctl.d/a.conf");
  EXPECT_EQ(FileOf(host, filter, "0"), "");
}

}  // namespace
}  // namespace rdmaready
