// SPDX-License-Identifier: Apache-2.0
// By which profiles an agent judges which of its ports.
#include "agent/server/service.h"
#include "api/profile/load.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

// By a profile's name, as a caller without this library asks.
grpc::Status RawCheck(ServedAgent& agent, const std::string& profile) {
  v1::CheckRequest request;
  request.set_level(v1::RUNG_HOST);
  request.add_profiles()->set_name(profile);
  grpc::ClientContext context;
  const auto reader = v1::Agent::NewStub(agent.Channel())->Check(&context, request);
  for (v1::CheckEvent event; reader->Read(&event);) continue;
  return reader->Finish();
}

Profile Selecting(const std::string& name, const std::string& netdev) {
  Profile profile = *LoadProfile("virtual-fabric");
  profile.name = name;
  profile.ports = {{.netdev = netdev}};
  return profile;
}

TEST_F(ServiceTest, ABuiltInProfileIsTakenByItsName) {
  ServedAgent agent(BothEnds(), locks_);
  ASSERT_TRUE(RawCheck(agent, "nvidia-lossy").ok());
  EXPECT_EQ(NamesOf(agent.store.runs.front().report.profiles), "nvidia-lossy");
}

TEST_F(ServiceTest, AProfileNameIsNeverAPath) {
  ServedAgent agent(BothEnds(), locks_);
  for (const char* name : {"/etc/passwd", "../x.yaml", "no-such"})
    EXPECT_EQ(RawCheck(agent, name).error_code(), grpc::StatusCode::NOT_FOUND) << name;
}

TEST_F(ServiceTest, ChecksEachPortByItsProfileAndKeepsWhichItWas) {
  ServedAgent agent(BothEnds(), locks_);
  const auto answer =
      agent.Client("a")->Check({.profiles = {Selecting("a", "dcb0"), Selecting("b", "none*")}}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_FALSE(answer->report.ports.empty());
  EXPECT_EQ(answer->report.ports[0], (JudgedPort{"rxe0/1 dcb0", "a"}));
  EXPECT_EQ(NamesOf(answer->report.profiles), "a, b");
  EXPECT_EQ(answer->profiles.size(), 2U);
  EXPECT_EQ(agent.store.runs.front().report.ports, answer->report.ports);
}

TEST_F(ServiceTest, RefusesProfilesThatDoNotDivideTheHost) {
  ServedAgent agent(BothEnds(), locks_);
  const auto client = agent.Client("a");
  const absl::Status both =
      client->Check({.profiles = {Selecting("a", "dcb0"), Selecting("b", "*")}}, {}, {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(both)) << both;
  EXPECT_THAT(std::string(both.message()), HasSubstr("profiles a and b are both for port rxe0/1 dcb0"));
  const absl::Status nameless = client->Check({.ports = {"ens9"}}, {}, {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(nameless)) << nameless;
  EXPECT_THAT(std::string(nameless.message()), HasSubstr("no RDMA port is named ens9; there are rxe0/1 dcb0"));
  EXPECT_TRUE(agent.store.runs.empty());
}

TEST_F(ServiceTest, TestsOnlyThePortsThatAProfileIsFor) {
  ServedAgent agent(BothEnds(), locks_);
  const auto answer =
      agent.Client("a")->Check({.profiles = {Selecting("a", "none*")}, .level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->report.verdict, Readiness::kUndetermined);
  for (const Finding& finding : answer->report.findings) EXPECT_EQ(finding.rung, Rung::kHost) << finding.id;
}

}  // namespace
}  // namespace rdmaready
