// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/dcb_keepers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "api/base/status.h"
#include "collectors/system/started_units.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr const char* kUnits = "/etc/systemd/system";
constexpr const char* kUnit = "/etc/systemd/system/roce-qos.service";
constexpr const char* kCall = "ExecStart=/usr/bin/mlnx_qos -i eth2 --trust dscp --pfc 0,0,0,1,0,0,0,0\n";

// A unit that sets DCB, and the link that starts it.
FakeHost WithUnit(const char* link) {
  FakeHost host;
  host.directories[kUnits] = Names{"multi-user.target.wants", "roce-qos.service"};
  host.directories["/etc/systemd/system/multi-user.target.wants"] = Names{link};
  host.files[kUnit] = std::string("[Service]\n") + kCall;
  return host;
}

Names Kept(FakeHost host) {
  const Fact<Names> keepers = ReadDcbKeepers(host);
  if (!keepers) ADD_FAILURE() << keepers.missing().detail;
  return keepers ? *keepers : Names{};
}

TEST(DcbKeepers, AreUnitsThatSomethingStarts) {
  EXPECT_THAT(Kept(WithUnit("roce-qos.service")), ElementsAre(kUnit));
  EXPECT_THAT(Kept(WithUnit("roce-qos.timer")), ElementsAre(kUnit));
  EXPECT_THAT(Kept(WithUnit("ssh.service")), IsEmpty());
}

TEST(DcbKeepers, AreRulesScriptsAndHooks) {
  FakeHost host;
  host.directories["/etc/infiniband"] = Names{"openib.conf", "post-start-hook.sh"};
  host.files["/etc/infiniband/openib.conf"] = std::string("RUN_SYSCTL=no\n");
  host.files["/etc/infiniband/post-start-hook.sh"] = std::string("/usr/bin/doRoCE.sh --yes >/dev/null\n");
  host.files["/etc/rc.local"] = std::string("# dcb pfc set dev eth2 prio-pfc 3:on\n");
  EXPECT_THAT(Kept(host), ElementsAre("/etc/infiniband/post-start-hook.sh"));
}

// A file that was not looked at may set what a plan would write.
TEST(DcbKeepers, FailsWithMoreFilesThanAreRead) {
  FakeHost host;
  Names scripts;
  for (int i = 0; i < 600; ++i) scripts.push_back("50-script-" + std::to_string(i));
  host.directories["/etc/networkd-dispatcher/routable.d"] = scripts;
  for (const std::string& name : scripts)
    host.files["/etc/networkd-dispatcher/routable.d/" + name] = std::string("#!/bin/sh\ntrue\n");
  const std::string last = "/etc/networkd-dispatcher/routable.d/50-script-599";
  host.files[last] = std::string("dcb pfc set dev eth2 prio-pfc 3:on\n");
  EXPECT_THAT(Kept(host), ElementsAre(last)) << "all of them are read";
  for (int i = 600; i < 1100; ++i) scripts.push_back("50-script-" + std::to_string(i));
  host.directories["/etc/networkd-dispatcher/routable.d"] = scripts;
  const Fact<Names> keepers = ReadDcbKeepers(host);
  ASSERT_FALSE(keepers);
  EXPECT_NE(keepers.missing().detail.find("more than the 1024"), std::string::npos) << keepers.missing().detail;
}

TEST(DcbKeepers, AreWhatLldpadWasTold) {
  FakeHost host = WithUnit("lldpad.service");
  EXPECT_THAT(Kept(host), IsEmpty());
  host.files["/var/lib/lldpad/lldpad.conf"] = std::string("eth2 :\n{\n  tlvid0080c20b : { };\n};\n");
  EXPECT_THAT(Kept(host), ElementsAre("/var/lib/lldpad/lldpad.conf"));
}

TEST(DcbKeepers, AreNotKnownWhereOneMayBeHidden) {
  FakeHost host;
  host.directories[kUnits] = ErrnoStatus(EACCES, "list");
  EXPECT_EQ(ReadDcbKeepers(host).missing().kind, Missing::Kind::kDenied);
  host = WithUnit("ssh.service");
  host.directories["/etc/systemd/system/multi-user.target.wants"] = ErrnoStatus(EACCES, "list");
  EXPECT_EQ(ReadDcbKeepers(host).missing().kind, Missing::Kind::kDenied);
  host.directories[kUnits] = Names{"multi-user.target.wants"};
  EXPECT_THAT(Kept(host), IsEmpty());
  host.files["/var/lib/lldpad/lldpad.conf"] = std::string("eth2 :\n{\n  tlvid0080c20b : { };\n};\n");
  EXPECT_EQ(ReadDcbKeepers(host).missing().kind, Missing::Kind::kDenied);
}

TEST(DcbKeepers, UnitsAreStartedByLinksOfTheirName) {
  EXPECT_TRUE(StartsUnit("roce@eth2.service", "roce@.service"));
  EXPECT_TRUE(StartsUnit("roce.timer", "roce.service"));
  EXPECT_FALSE(StartsUnit("roce-qos.service", "roce.service"));
}

}  // namespace
}  // namespace rdmaready
