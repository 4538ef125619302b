// SPDX-License-Identifier: Apache-2.0
// What keeps a host from being ready under which profile, for every check and every built-in profile.
#include "checks/blocking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "api/profile/load.h"
#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/words/names.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

std::vector<Profile> BuiltIn() {
  std::vector<Profile> profiles;
  for (const std::string& name : BuiltInProfileNames()) profiles.push_back(*LoadProfile(name));
  return profiles;
}

// Profiles that ask for what no built-in one does.
std::vector<Profile> Others() {
  using Role = Profile::Role;
  Profile tagged = VirtualFabricProfile();
  tagged.trust = Profile::Trust::kPcp;
  tagged.vlan = Profile::Vlan::kTagged;
  tagged.pfc.emplace();
  Profile cluster = VirtualFabricProfile();
  cluster.heartbeat = Profile::Heartbeat{.priority = 7, .percent = std::uint8_t{2}};
  cluster.cnp = Profile::Cnp{};
  cluster.min_ports = 2;
  Profile roles = VirtualFabricProfile();
  roles.roles = {Role::kSmbServer,     Role::kSmbClient,  Role::kNvmeTarget, Role::kNvmeHost,
                 Role::kIserInitiator, Role::kIserTarget, Role::kNfsServer,  Role::kNfsClient};
  Profile some = VirtualFabricProfile();
  some.ports = {{.netdev = "dcb*"}};
  return {tagged, cluster, roles, some, VirtualFabricProfile(), Profile{.name = "asks-nothing"}};
}

// A demand that no profile makes would never block, and one that every profile makes always.
TEST(Blocking, OfEveryCheckIsAskedForByOneProfileAndNotByAnother) {
  std::vector<Profile> profiles = BuiltIn();
  std::ranges::move(Others(), std::back_inserter(profiles));
  for (const Check& check : AllChecks()) {
    if (check.blocks_for == nullptr) continue;
    EXPECT_FALSE(check.blocks_for->words.empty()) << check.id;
    const auto blocks = [&check](const Profile& profile) { return Blocks(check, profile); };
    EXPECT_TRUE(std::ranges::any_of(profiles, blocks)) << check.id;
    const bool always = check.blocks_for == &kDemandsRdma;
    EXPECT_EQ(std::ranges::all_of(profiles, blocks), always) << check.id;
    EXPECT_EQ(Blocks(check, Profile{.name = "asks-nothing"}), always) << check.id;
  }
}

TEST(Blocking, IsNotMadeByAdvice) {
  const Check& tsa = *FindCheck("ets.tsa");
  Profile profile = VirtualFabricProfile();
  EXPECT_TRUE(Blocks(tsa, profile));
  profile.advice = std::vector<Profile::Key>{Profile::Key::kDcbx, Profile::Key::kEts};
  EXPECT_FALSE(Blocks(tsa, profile));
  EXPECT_FALSE(Blocks(*FindCheck("dcbx.mode"), profile));
  EXPECT_TRUE(Blocks(*FindCheck("pfc.lossless-priority"), profile));
}

// What fails blocks, and what does not block is at most a warning.
void ExpectOnlyBlockingFailures(const std::vector<Finding>& findings, const Profile& profile, std::string_view row) {
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.blocking, Blocks(*FindCheck(finding.id), profile)) << finding.id;
    EXPECT_TRUE(finding.blocking || finding.outcome != Outcome::kFail)
        << finding.id << " fails under " << profile.name << ": " << row;
  }
}

// Else a hidden blocking finding could be forgotten behind advice.
void ExpectHiddenBehindBlockingOnes(const std::vector<Finding>& findings, std::string_view row) {
  for (const Finding& finding : findings) {
    if (!finding.blocking || finding.hidden_by.empty()) continue;
    EXPECT_TRUE(std::ranges::any_of(findings,
                                    [&](const Finding& other) {
                                      return other.id == finding.hidden_by && other.blocking &&
                                             (other.outcome == Outcome::kFail || other.outcome == Outcome::kUnknown);
                                    }))
        << finding.id << " behind " << finding.hidden_by << ": " << row;
  }
}

// Over all cases and all profiles, each judged once: that takes seconds.
TEST(Blocking, TellsAFailureFromAWarningAndNoFindingIsHiddenBehindAdvice) {
  std::vector<Profile> profiles = BuiltIn();
  profiles.push_back(Profile{.name = "asks-nothing"});
  for (const CheckCase& row : AllCheckCases()) {
    for (const Profile& profile : profiles) {
      const std::vector<Finding> findings = JudgeHost(row.host, profile);
      ExpectOnlyBlockingFailures(findings, profile, row.name);
      ExpectHiddenBehindBlockingOnes(findings, row.name);
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
