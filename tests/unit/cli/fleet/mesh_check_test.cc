// SPDX-License-Identifier: Apache-2.0
// A mesh that goes on where an earlier run ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/fleet/hosts_check.h"
#include "cli/fleet/mesh_record.h"
#include "tests/unit/cli/fleet/checked_agent.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

class MeshCheckTest : public HostsCheckTest {
 protected:
  ~MeshCheckTest() override { std::filesystem::remove(path_); }

  CheckSummary Run() {
    const auto record = MeshRecord::Open(path_);
    EXPECT_TRUE(record.ok()) << record.status();
    HostsCheck check(hosts_, {.level = Rung::kPeer, .shape = PairShape::kMesh, .record = record->get()}, {});
    return check.Run();
  }

  const std::string path_ =
      std::filesystem::path(::testing::TempDir()) / ("mesh check " + std::to_string(::getpid()));
};

TEST_F(MeshCheckTest, DoesNotRepeatWhatAnEarlierRunTested) {
  const CheckSummary first = Run();
  EXPECT_EQ(first.report.verdict, Readiness::kReady);
  const int made = b_.peer_tests;
  EXPECT_GT(made, 0);
  const CheckSummary second = Run();
  EXPECT_EQ(b_.peer_tests, made);
  EXPECT_EQ(second.report.verdict, Readiness::kReady);
  const std::vector<Finding> findings = PeerFindings(second);
  ASSERT_EQ(findings.size(), PeerFindings(first).size());
  for (const Finding& finding : findings)
    EXPECT_THAT(finding.observed, HasSubstr("ago (--resume)")) << finding.id;
}

TEST_F(MeshCheckTest, TestsAgainWhereAnAgentWentAway) {
  b_.dies_after = 1;
  EXPECT_NE(Run().report.verdict, Readiness::kReady);
  const auto record = MeshRecord::Open(path_);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(std::filesystem::file_size(path_), std::string(R"({"rdmaready_mesh":1})").size() + 1)
      << "no way is kept";
}

TEST_F(MeshCheckTest, KeepsNothingOfAPortThatWasBusy) {
  a_.busy = true;
  EXPECT_EQ(Run().report.verdict, Readiness::kUndetermined);
  a_.busy = false;
  EXPECT_EQ(Run().report.verdict, Readiness::kReady);
}

}  // namespace
}  // namespace rdmaready
