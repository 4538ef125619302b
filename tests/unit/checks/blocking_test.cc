// SPDX-License-Identifier: Apache-2.0
// What keeps a host from being ready under which profile, for every check and every built-in profile.
#include "checks/blocking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/profile/load.h"
#include "checks/check.h"
#include "checks/judge.h"
#include "checks/words/names.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

std::set<std::string> BlockingUnder(const Profile& profile) {
  std::set<std::string> ids;
  for (const Check& check : AllChecks()) {
    if (Blocks(check, profile)) ids.emplace(check.id);
  }
  return ids;
}

std::vector<Profile> BuiltIn() {
  std::vector<Profile> profiles;
  for (const std::string& name : BuiltInProfileNames()) profiles.push_back(*LoadProfile(name));
  return profiles;
}

// Every key of a profile, taken away by itself.
std::vector<std::pair<std::string_view, void (*)(Profile&)>> Keys() {
  return {{"transport", [](Profile& p) { p.transport = Profile::Transport::kAny; }},
          {"rdma_priority", [](Profile& p) { p.rdma_priority.reset(); }},
          {"trust", [](Profile& p) { p.trust = Profile::Trust::kAny; }},
          {"dscp", [](Profile& p) { p.dscp.reset(); }},
          {"tos", [](Profile& p) { p.tos.reset(); }},
          {"pfc", [](Profile& p) { p.pfc.reset(); }},
          {"ets", [](Profile& p) { p.ets_rdma_percent.reset(); }},
          {"dcbx", [](Profile& p) { p.dcbx = Profile::Dcbx::kAny; }},
          {"mtu_bytes", [](Profile& p) { p.mtu_bytes.reset(); }},
          {"roce_mtu_bytes", [](Profile& p) { p.roce_mtu_bytes.reset(); }},
          {"min_speed_mbps", [](Profile& p) { p.min_speed_mbps.reset(); }},
          {"min_memlock_bytes", [](Profile& p) { p.min_memlock_bytes.reset(); }}};
}

std::set<std::string> LostWithout(std::string_view key) {
  const Profile whole = VirtualFabricProfile();
  std::set<std::string> lost = BlockingUnder(whole);
  for (const auto& [name, take_away] : Keys()) {
    if (name != key) continue;
    Profile profile = whole;
    take_away(profile);
    for (const std::string& id : BlockingUnder(profile)) lost.erase(id);
  }
  return lost;
}

TEST(Blocking, NeedsAProfileThatAsksForIt) {
  EXPECT_THAT(BlockingUnder(Profile{.name = "asks-nothing"}),
              ElementsAre("drv.core-modules", "drv.health", "drv.userlib", "ib.lid", "ib.sm", "ib.state-init",
                          "inv.netdev-mapping", "inv.rdma-present", "ip.address", "iw.peer-protocol",
                          "link.state", "mtu.pair"));
}

TEST(Blocking, GoesAwayWithTheKeyThatAsksForIt) {
  EXPECT_THAT(LostWithout("mtu_bytes"), ElementsAre("mtu.ethernet", "mtu.max"));
  EXPECT_THAT(LostWithout("roce_mtu_bytes"), ElementsAre("mtu.roce-active"));
  EXPECT_THAT(LostWithout("min_speed_mbps"), ElementsAre("link.speed"));
  EXPECT_THAT(LostWithout("min_memlock_bytes"), ElementsAre("host.memlock"));
  EXPECT_THAT(LostWithout("trust"), ElementsAre("trust.mode"));
  EXPECT_THAT(LostWithout("dcbx"), ElementsAre("dcbx.mode", "dcbx.willing"));
  EXPECT_THAT(LostWithout("transport"),
              ElementsAre("drv.roce-enabled", "gid.default-mode", "gid.v2-present", "inv.transport"));
  EXPECT_THAT(LostWithout("ets"), ElementsAre("ets.capacity", "ets.map", "ets.map-contiguous", "ets.rdma-share",
                                              "ets.sum", "ets.tsa"));
  EXPECT_THAT(
      LostWithout("pfc"),
      ElementsAre("app.roce-udp", "cnt.discards-phy", "cnt.rdma-retrans", "cnt.retry-exceeded", "cnt.sequence",
                  "dcbx.one-agent", "link.crc", "link.fec", "pause.off-with-pfc", "pfc.both-directions",
                  "pfc.capability", "pfc.lossless-priority", "pfc.not-default", "pfc.only-one",
                  "pfc.seen-under-load", "pfc.storm-live", "pfc.switch-agrees", "pfc.wrong-prio"));
}

// Every demand has a key that makes it: a check whose demand no key can take away would block for ever.
TEST(Blocking, OfEveryCheckDependsOnSomeKeyOrOnRdmaItself) {
  std::set<std::string> lost = BlockingUnder(Profile{.name = "asks-nothing"});
  for (const Check& check : AllChecks()) {
    if (check.blocks_for == nullptr) continue;
    EXPECT_NE(check.blocks_for->made_by, nullptr) << check.id;
    EXPECT_FALSE(check.blocks_for->words.empty()) << check.id;
    const bool always = check.blocks_for == &kDemandsRdma;
    EXPECT_EQ(Blocks(check, Profile{.name = "asks-nothing"}), always) << check.id;
  }
}

// Over all cases and all profiles: what fails blocks, and what does not block is at most a warning.
TEST(Blocking, IsWhatTellsAFailureFromAWarning) {
  std::vector<Profile> profiles = BuiltIn();
  profiles.push_back(Profile{.name = "asks-nothing"});
  for (const CheckCase& row : AllCheckCases()) {
    for (const Profile& profile : profiles) {
      for (const Finding& finding : JudgeHost(row.host, profile)) {
        EXPECT_EQ(finding.blocking, Blocks(*FindCheck(finding.id), profile)) << finding.id;
        EXPECT_TRUE(finding.blocking || finding.outcome != Outcome::kFail)
            << finding.id << " fails under " << profile.name << ": " << row.name;
      }
    }
  }
}

// Else a hidden blocking finding could be forgotten behind advice.
TEST(Blocking, FindingsAreHiddenBehindBlockingOnesOnly) {
  for (const CheckCase& row : AllCheckCases()) {
    for (const Profile& profile : BuiltIn()) {
      const std::vector<Finding> findings = JudgeHost(row.host, profile);
      for (const Finding& finding : findings) {
        if (!finding.blocking || finding.hidden_by.empty()) continue;
        EXPECT_TRUE(std::ranges::any_of(findings,
                                        [&](const Finding& other) {
                                          return other.id == finding.hidden_by && other.blocking &&
                                                 (other.outcome == Outcome::kFail ||
                                                  other.outcome == Outcome::kUnknown);
                                        }))
            << finding.id << " behind " << finding.hidden_by << ": " << row.name;
      }
    }
  }
}

// A network that may lose frames makes some of this.
TEST(Blocking, OfLossIsForALosslessProfile) {
  const std::set<std::string_view> kLoss{"cnt.sequence", "cnt.rdma-retrans", "cnt.retry-exceeded"};
  std::set<std::string_view> seen;
  Profile lossy = VirtualFabricProfile();
  lossy.pfc.emplace();
  for (const CheckCase& row : AllCheckCases()) {
    if (!kLoss.contains(row.id) || row.expected != Outcome::kFail) continue;
    seen.insert(row.id);
    const std::string id(row.id);
    EXPECT_EQ(Of(JudgeHost(row.host, VirtualFabricProfile()), id).outcome, Outcome::kFail) << id;
    EXPECT_EQ(Of(JudgeHost(row.host, lossy), id).outcome, Outcome::kWarn) << id;
  }
  EXPECT_EQ(seen, kLoss);
}

TEST(Blocking, TurnsAFailureIntoAWarningWhereNobodyAsked) {
  Facts host = GoodHost();
  host.memlock = Memlock{.limit_bytes = 65536, .pid = 1};
  Profile profile = VirtualFabricProfile();
  EXPECT_EQ(Of(JudgeHost(host, profile), "host.memlock").outcome, Outcome::kFail);
  profile.min_memlock_bytes.reset();
  const Finding finding = Of(JudgeHost(host, profile), "host.memlock");
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_FALSE(finding.blocking);
  EXPECT_FALSE(finding.fix.empty());
}

}  // namespace
}  // namespace rdmaready
