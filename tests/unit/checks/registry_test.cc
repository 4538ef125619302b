// SPDX-License-Identifier: Apache-2.0
// The registry as a whole: what must hold for every check, also for the ones not written yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "checks/catalog.h"
#include "checks/live/transfer.h"
#include "checks/placeholders.h"
#include "checks/probe/probe.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

TEST(Registry, HasUniqueIdsAcrossSettingsAndLiveTests) {
  std::set<std::string> ids;
  for (const Check& check : AllChecks()) EXPECT_TRUE(ids.emplace(check.id).second) << check.id;
  for (const TransferCheck& check : AllTransferChecks()) EXPECT_TRUE(ids.insert(check.id).second) << check.id;
  for (const ProbeCheck& check : AllProbeChecks()) {
    EXPECT_TRUE(ids.emplace(check.id).second) << check.id;
    EXPECT_NE(GroupOf(check.id), "other") << check.id;
  }
}

TEST(Registry, GivesEveryCheckItsTexts) {
  for (const Check& check : AllChecks()) {
    EXPECT_FALSE(check.title.empty()) << check.id;
    EXPECT_FALSE(check.why.empty()) << check.id;
    EXPECT_FALSE(check.fix.empty()) << check.id;
    EXPECT_FALSE(check.title.ends_with('.')) << check.id;
    EXPECT_NE(GroupOf(check.id), "other") << check.id;
  }
  for (const TransferCheck& check : AllTransferChecks()) {
    EXPECT_FALSE(check.title.empty()) << check.id;
    EXPECT_FALSE(check.why.empty()) << check.id;
    EXPECT_FALSE(check.fix.empty()) << check.id;
    EXPECT_NE(GroupOf(check.id), "other") << check.id;
  }
}

TEST(Registry, PutsDependenciesBeforeThoseWhoDependOnThem) {
  std::set<std::string_view> seen;
  for (const Check& check : AllChecks()) {
    for (const std::string_view id : check.depends_on)
      EXPECT_TRUE(seen.contains(id)) << check.id << " on " << id;
    for (const std::string_view id : check.read_with)
      EXPECT_TRUE(seen.contains(id)) << check.id << " with " << id;
    seen.insert(check.id);
  }
}

TEST(Registry, LetsHostAndPortChecksDependOnNoPairCheck) {
  for (const Check& check : AllChecks()) {
    for (const std::string_view id : check.depends_on) {
      EXPECT_NE(ScopeOf(*FindCheck(id)), Scope::kPair) << check.id << " on " << id;
      const bool host_only = ScopeOf(check) != Scope::kHost || ScopeOf(*FindCheck(id)) == Scope::kHost;
      EXPECT_TRUE(host_only) << check.id << " on " << id;
    }
  }
}

TEST(Registry, HasOnlyPlaceholdersThatCanBeFilled) {
  const Facts host = GoodHost();
  for (const Check& check : AllChecks()) {
    const std::string fix =
        FillIn(OneLine(check.fix.remedy()), host, &host.ports->front(), VirtualFabricProfile());
    EXPECT_EQ(fix.find_first_of("{}\n"), std::string::npos) << fix;
    EXPECT_EQ(FillIn(check.why, host, nullptr, Profile{}).find_first_of("{}\n"), std::string::npos);
  }
}

TEST(Registry, FindsByIdAndKnowsNoOther) {
  EXPECT_EQ(FindCheck("pfc.only-one")->id, "pfc.only-one");
  EXPECT_EQ(FindCheck("pfc.only"), nullptr);
  EXPECT_EQ(FindCheck(""), nullptr);
  EXPECT_EQ(FindTransferCheck("peer.write-512k")->case_name, "write-512k");
  EXPECT_EQ(FindTransferCheck("write-512k"), nullptr);
}

TEST(Registry, SortsIdsIntoTheGroupsThatPeopleLookUnder) {
  for (const Check& check : AllChecks()) {
    EXPECT_EQ(GroupOf(check.id), check.group) << check.id;
    EXPECT_EQ(check.group == "pair", ScopeOf(check) == Scope::kPair) << check.id;
    EXPECT_FALSE(IsLive(check.group)) << check.id;
  }
  EXPECT_EQ(GroupOf("loopback.send-1k"), "loopback");
  EXPECT_EQ(GroupOf("peer.send-1k"), "peer");
  EXPECT_EQ(GroupOf("tx.effective-class"), "pair");
  EXPECT_EQ(GroupOf("server.smb3"), "server");
  EXPECT_TRUE(IsLive("loopback") && IsLive("smb-direct") && IsLive("share"));
  EXPECT_FALSE(IsLive("host"));
}

// A newer agent's.
TEST(Registry, PutsIdsThatItDoesNotKnowWithTheOthersOfTheirFamily) {
  EXPECT_EQ(GroupOf("pfc.unheard-of"), "dcb");
  EXPECT_EQ(GroupOf("loopback.unheard-of"), "loopback");
  EXPECT_EQ(GroupOf("peer.unheard-of"), "peer");
  EXPECT_EQ(GroupOf("something"), "other");
  EXPECT_EQ(FamilyOf("vlan.egress-map"), "vlan");
  EXPECT_EQ(FamilyOf("vlan"), "vlan");
}

// One place each, or the line that sums up a group would lose one of them.
TEST(Registry, HasAPlaceForEveryCheckThatTellsOfItsGroup) {
  std::set<std::pair<std::string_view, int>> places;
  for (const Check& check : AllChecks()) {
    if (check.in_summary == 0) continue;
    EXPECT_TRUE(places.emplace(check.group, check.in_summary).second) << check.id;
  }
  EXPECT_FALSE(places.empty());
}

TEST(Registry, HasOneCheckThatSaysWhyTwoHostsHaveNoPath) {
  const auto parts = std::ranges::count(AllChecks(), true, &Check::parts_hosts);
  EXPECT_EQ(parts, 1);
}

TEST(Names, AreTheContractsAndReadBack) {
  EXPECT_EQ(Name(Outcome::kNotApplicable), "not-applicable");
  EXPECT_EQ(Name(Readiness::kNotReady), "not-ready");
  EXPECT_EQ(Name(RungOutcome::kNotRun), "not-run");
  EXPECT_EQ(Name(GidType::kRoceV2), "roce-v2");
  EXPECT_EQ(Name(Profile::Role::kIserInitiator), "iser-initiator");
  EXPECT_EQ(Name(ModuleState::kBuiltIn), "built-in");
  EXPECT_EQ(Name(FailureKind::kPeerGone), "peer-gone");
  for (const Rung rung : kRungs) EXPECT_EQ(RungFromName(Name(rung)), rung);
  for (const Protocol protocol : {Protocol::kSmb, Protocol::kNvme, Protocol::kIser, Protocol::kNfs}) {
    EXPECT_EQ(ProtocolFromName(Name(protocol)), protocol);
  }
  EXPECT_EQ(ProtocolFromName("unknown"), std::nullopt);
  for (const Outcome outcome :
       {Outcome::kUnknown, Outcome::kPass, Outcome::kWarn, Outcome::kFail, Outcome::kNotApplicable}) {
    EXPECT_EQ(OutcomeFromName(Name(outcome)), outcome);
  }
  for (const Readiness readiness : {Readiness::kUndetermined, Readiness::kReady, Readiness::kNotReady}) {
    EXPECT_EQ(ReadinessFromName(Name(readiness)), readiness);
  }
  EXPECT_EQ(RungFromName("top"), std::nullopt);
}

}  // namespace
}  // namespace rdmaready
