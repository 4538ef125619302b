// SPDX-License-Identifier: Apache-2.0
#include "checks/host_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/readiness.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// rxe0/1 on dcb0, rxe1/1 on dcb1.
Facts TwoPorts() {
  return WithSecond(GoodHost(), [](Port&) {});
}

Profile Named(const std::string& name, const std::string& netdev) {
  Profile profile = VirtualFabricProfile();
  profile.name = name;
  profile.ports = {{.netdev = netdev}};
  return profile;
}

Readiness VerdictOf(const std::vector<Finding>& findings) {
  return ReadinessOf(MakeLadder(findings, {}, Rung::kHost), Rung::kHost);
}

std::vector<std::string> SubjectsUnder(const std::vector<Finding>& findings, const std::string& profile) {
  std::vector<std::string> subjects;
  for (const Finding& finding : findings) {
    if (finding.scope == Scope::kPort && finding.profile == profile) subjects.push_back(finding.subject);
  }
  return subjects;
}

TEST(HostParts, GiveEachProfileItsPortsAndListTheOthers) {
  const Facts host = TwoPorts();
  const std::vector<Profile> profiles{Named("a", "dcb1"), Named("b", "ens*")};
  const absl::StatusOr<HostParts> parts = HostParts::Divide(host, profiles);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_THAT(parts->ports(), ElementsAre(JudgedPort{"rxe0/1 dcb0", ""}, JudgedPort{"rxe1/1 dcb1", "a"}));
  const HostPart* a = parts->Find("a");
  ASSERT_TRUE(a != nullptr && a->facts->ports && a->in_use && a->judges_ports);
  ASSERT_EQ(a->facts->ports->size(), 1U);
  EXPECT_EQ(a->facts->ports->front().device, "rxe1");
  EXPECT_FALSE(parts->Find("b")->in_use);
  EXPECT_EQ(parts->Find("c"), nullptr);
}

TEST(HostParts, CopyNothingForAProfileOfEveryPort) {
  const Facts host = TwoPorts();
  const Profile all = VirtualFabricProfile();
  EXPECT_EQ(HostParts(host, all).parts().front().facts, &host);
}

TEST(HostParts, RefuseWhatIsAmbiguousOrNamesNothing) {
  const Facts host = TwoPorts();
  const auto refusal = [&host](std::vector<Profile> profiles, std::vector<std::string> only) {
    const absl::Status status = HostParts::Divide(host, profiles, only).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(refusal({Named("a", "dcb1"), Named("b", "*")}, {}),
              HasSubstr("profiles a and b are both for port rxe1/1 dcb1"));
  EXPECT_THAT(refusal({Named("a", "dcb0"), Named("a", "dcb1")}, {}), HasSubstr("profile a is named twice"));
  EXPECT_THAT(refusal({Named("a", "dcb0")}, {"dcb9"}),
              HasSubstr("no RDMA port is named dcb9; there are rxe0/1 dcb0, rxe1/1 dcb1"));
  EXPECT_THAT(refusal({Named("a", "dcb0")}, {"dcb1"}), HasSubstr("port rxe1/1 dcb1: no profile is for it"));
}

TEST(HostParts, JudgeOnlyTheNamedPorts) {
  const Facts host = TwoPorts();
  const std::vector<Profile> profiles{VirtualFabricProfile()};
  const std::vector<std::string> only{"rxe1"};
  const std::vector<Finding> findings = JudgeHost(*HostParts::Divide(host, profiles, only));
  EXPECT_THAT(SubjectsUnder(findings, ""), Each(HasSubstr("rxe1/1")));
}

TEST(JudgeByParts, SaysOfEachPortWhatItsProfileSaysAndOfTheHostOnceWhatAllSay) {
  const Facts host = TwoPorts();
  Profile strict = Named("strict", "dcb1");
  strict.min_memlock_bytes = ~std::uint64_t{0};
  const std::vector<Profile> profiles{Named("plain", "dcb0"), strict};
  const std::vector<Finding> findings = JudgeHost(*HostParts::Divide(host, profiles));
  EXPECT_THAT(SubjectsUnder(findings, "plain"), Each(HasSubstr("rxe0/1")));
  EXPECT_THAT(SubjectsUnder(findings, "strict"), Each(HasSubstr("rxe1/1")));
  EXPECT_TRUE(SubjectsUnder(findings, "").empty());
  std::vector<std::string> memlock;
  for (const Finding& finding : findings) {
    if (finding.id == "host.memlock") memlock.push_back(finding.profile);
  }
  EXPECT_THAT(memlock, ElementsAre("plain", "strict"));
  const std::vector<Finding> alike = JudgeHost(*HostParts::Divide(
      host, std::vector<Profile>{Named("plain", "dcb0"), Named("other", "dcb1")}));
  EXPECT_EQ(std::ranges::count(alike, std::string("host.memlock"), &Finding::id), 1);
}

TEST(JudgeByParts, AnUnselectedPortThatIsBrokenKeepsNobodyFromBeingReady) {
  const Facts host = WithSecond(GoodHost(), [](Port& port) { port.state = PortState::kDown; });
  EXPECT_EQ(VerdictOf(JudgeHost(host, VirtualFabricProfile())), Readiness::kNotReady);
  EXPECT_EQ(VerdictOf(JudgeHost(host, Named("a", "dcb0"))), Readiness::kReady);
}

TEST(JudgeByParts, AHostWithoutASelectedPortIsNeverReady) {
  const Facts host = TwoPorts();
  Profile profile = Named("a", "ens*");
  EXPECT_EQ(VerdictOf(JudgeHost(host, profile)), Readiness::kUndetermined);
  profile.ports_expected = true;
  EXPECT_EQ(VerdictOf(JudgeHost(host, profile)), Readiness::kNotReady);
}

TEST(JudgeByParts, AProfileWithoutPortBlocksOnlyWhereOneIsExpected) {
  const Facts host = TwoPorts();
  std::vector<Profile> profiles{Named("a", "dcb*"), Named("b", "ens*")};
  const auto verdict = [&] { return VerdictOf(JudgeHost(*HostParts::Divide(host, profiles))); };
  EXPECT_EQ(verdict(), Readiness::kReady);
  profiles[1].ports_expected = true;
  EXPECT_EQ(verdict(), Readiness::kNotReady);
}

TEST(JudgeByParts, AskedAboutOnePortTheOthersProfilesMissNothing) {
  const Facts host = TwoPorts();
  std::vector<Profile> profiles{Named("a", "dcb0"), Named("b", "dcb1")};
  profiles[1].ports_expected = true;
  const std::vector<std::string> only{"dcb0"};
  EXPECT_EQ(VerdictOf(JudgeHost(*HostParts::Divide(host, profiles, only))), Readiness::kReady);
}

TEST(JudgeByParts, APortThatMayBeAnothersIsNotKnownEvenWhereNoneIsExpected) {
  const Facts host = WithSecond(GoodHost(), [](Port& port) { port.netdev = Denied(); });
  std::vector<Profile> profiles{Named("a", "dcb0"), Named("b", "ens*")};
  profiles[0].ports = {{.device = "rxe0"}};
  for (const bool expected : {false, true}) {
    profiles[1].ports_expected = expected;
    EXPECT_EQ(VerdictOf(JudgeHost(*HostParts::Divide(host, profiles))), Readiness::kUndetermined);
  }
}

TEST(JudgeByParts, AnUnreadableChoiceIsNeverReady) {
  Facts host = WithSecond(GoodHost(), [](Port& port) { port.netdev = Denied(); });
  EXPECT_EQ(VerdictOf(JudgeHost(host, Named("a", "dcb*"))), Readiness::kUndetermined);
}

TEST(FindingsUnder, AreThoseOfTheProfileAndThoseOfAll) {
  const std::vector<Finding> findings{{.id = "1"}, {.id = "2", .profile = "a"}, {.id = "3", .profile = "b"}};
  const std::vector<Finding> under = FindingsUnder("a", findings);
  ASSERT_EQ(under.size(), 2U);
  EXPECT_EQ(under[0].id + under[1].id, "12");
}

}  // namespace
}  // namespace rdmaready
