// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "packaging/rights/write.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

TEST(RightsPage, IsTheOneInTheTree) {
  std::ifstream file(PACKAGING "/RIGHTS.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), RightsPage()) << "build/bin/rdmaready-rights page > packaging/RIGHTS.md";
}

TEST(Rights, AreEachNamedOnceAndSayWhatIsUnknownWithoutThem) {
  std::set<std::string_view> features;
  for (const Right& right : kRights) {
    EXPECT_TRUE(features.insert(right.feature).second) << right.feature;
    EXPECT_NE(right.daemon, Daemon::kUnknown) << right.feature;
    EXPECT_NE(right.daemon, Daemon::kAgent) << right.feature;
    for (const std::string_view text : {right.asked, right.without, right.kernel}) {
      EXPECT_FALSE(text.empty()) << right.feature;
      EXPECT_EQ(text.find_first_of("\t\n|"), std::string_view::npos) << right.feature;
    }
  }
}

TEST(Rights, OfNoProcessAreEverythingThatItsNeighbourHas) {
  EXPECT_EQ(CapabilityNames(CapabilitiesOf(Daemon::kAgent)), "none");
  EXPECT_EQ(CapabilityNames(CapabilitiesOf(Daemon::kReader)), "CAP_NET_ADMIN CAP_SYS_ADMIN");
  EXPECT_EQ(CapabilityNames(CapabilitiesOf(Daemon::kListener)), "CAP_NET_RAW CAP_SYS_NICE");
  EXPECT_EQ(CapabilityNames(CapabilitiesOf(Daemon::kApplier)), "CAP_NET_ADMIN");
  EXPECT_EQ(CapabilityNames(CapabilitiesOf(Daemon::kPauser)), "CAP_NET_RAW");
  EXPECT_EQ(CapabilitiesOf(Daemon::kUnknown), 0U);
}

// Without an applier nobody changes settings, and without a pauser nobody sends pauses: root's own agent has no
// use for a capability that only they need.
TEST(Rights, LeaveApplierAndPauserOutOfAnAgentWithoutHelpers) {
  std::uint64_t others = 0;
  for (const Daemon daemon : {Daemon::kReader, Daemon::kListener, Daemon::kProver}) others |= CapabilitiesOf(daemon);
  EXPECT_EQ(HelpersCapabilities(), others);
}

TEST(Rights, AreWrittenAsSystemdHasThem) {
  EXPECT_EQ(UnitLines(Daemon::kAgent),
            "User=rdmaready\nCapabilityBoundingSet=\nAmbientCapabilities=\nNoNewPrivileges=yes\n");
  EXPECT_THAT(UnitLines(Daemon::kListener),
              HasSubstr("User=root\nCapabilityBoundingSet=CAP_NET_RAW CAP_SYS_NICE\n"));
}

TEST(Rights, AreWrittenAsAppArmorHasThem) {
  EXPECT_EQ(AppArmorLines(Daemon::kAgent), "");
  EXPECT_EQ(AppArmorLines(Daemon::kReader), "  capability net_admin,\n  capability sys_admin,\n");
}

TEST(Rights, AreWrittenAsSetprivHasThem) {
  EXPECT_THAT(SetprivArguments(Daemon::kAgent), HasSubstr("--bounding-set=-all --"));
  EXPECT_THAT(SetprivArguments(Daemon::kReader), HasSubstr("--bounding-set=-all,+net_admin,+sys_admin --"));
  EXPECT_THAT(SetprivArguments(Daemon::kReader), HasSubstr("--no-new-privs"));
}

TEST(Rights, AreALineEachForOtherPrograms) {
  const std::string tsv = RightsTsv();
  EXPECT_EQ(std::ranges::count(tsv, '\n'), static_cast<std::ptrdiff_t>(kRights.size()));
  EXPECT_EQ(std::ranges::count(tsv, '\t'), static_cast<std::ptrdiff_t>(kRights.size() * 5));
  EXPECT_THAT(tsv, HasSubstr("lldp\tlistener\tCAP_NET_RAW\t"));
  EXPECT_THAT(tsv, HasSubstr("rdma-cm-defaults\treader\troot\t"));
}

TEST(Daemons, AreFoundByTheirNames) {
  for (const Daemon daemon : kDaemons) EXPECT_EQ(DaemonNamed(NameOf(daemon)), daemon);
  EXPECT_EQ(DaemonNamed("hub"), Daemon::kUnknown);
}

TEST(CapabilityNames, OfANewerKernelAreNumbers) {
  EXPECT_EQ(CapabilityNames(std::uint64_t{1} << 60U | 1), "CAP_CHOWN 60");
}

}  // namespace
}  // namespace rdmaready
