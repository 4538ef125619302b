// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/verdict_sentence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/readiness.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A host of 8 ports under the profile "storage".
Report OfPorts(std::vector<Finding> findings, Rung level = Rung::kHost) {
  Report report{.level = level};
  HostReport host{.host = "a", .findings = std::move(findings), .profiles = {{"storage", "00"}}};
  for (int port = 0; port < 8; ++port)
    host.ports.push_back({"mlx5_" + std::to_string(port) + "/1 eth" + std::to_string(port), "storage"});
  report.hosts.push_back(std::move(host));
  Conclude(report);
  return report;
}

Finding At(Finding finding, const std::string& subject) {
  finding.subject = subject;
  finding.blocking = true;
  return finding;
}

std::string Said(const Report& report) { return VerdictSentence(report.hosts.front(), report); }

TEST(VerdictSentence, CountsThePortsThatAreDown) {
  EXPECT_EQ(Said(OfPorts({At(Fail("link.state", "down", "", "look"), "mlx5_3/1 eth3")})),
            "NOT READY: 1 of 8 RDMA ports is down: mlx5_3/1");
  EXPECT_EQ(Said(OfPorts({At(Fail("link.state", "down", "", "look"), "mlx5_3/1 eth3"),
                          At(Fail("link.state", "down", "", "look"), "mlx5_4/1 eth4")})),
            "NOT READY: 2 of 8 RDMA ports are down: mlx5_[3-4]/1");
}

TEST(VerdictSentence, CountsNoHostAsAPort) {
  const Finding memory = At(Fail("host.memlock", "64 KiB", "64 MiB", "ulimit"), "host");
  EXPECT_EQ(Said(OfPorts({At(Fail("link.state", "down", "", "look"), "mlx5_3/1 eth3"), memory})),
            "NOT READY: 1 of 8 RDMA ports is down: mlx5_3/1 (and 1 more)");
  EXPECT_THAT(Said(OfPorts({memory})), HasSubstr("NOT READY: 64 KiB"));
}

TEST(VerdictSentence, NamesTheProfileThatIsNotMet) {
  EXPECT_EQ(Said(OfPorts({At(Fail("pfc.lossless-priority", "off", "on", "dcb"), "mlx5_0/1 eth0")})),
            "NOT READY: 1 of 8 RDMA ports does not meet storage: mlx5_0/1: off (pfc.lossless-priority)");
}

TEST(VerdictSentence, SaysOfSeveralPortsOnlyWhatIsTrueOfAll) {
  const Finding one = At(Fail("mtu.ethernet", "MTU 1500", "9000", "ip"), "mlx5_0/1 eth0");
  const Finding same = At(Fail("mtu.ethernet", "MTU 1500", "9000", "ip"), "mlx5_1/1 eth1");
  const Finding other = At(Fail("mtu.ethernet", "MTU 4200", "9000", "ip"), "mlx5_1/1 eth1");
  EXPECT_THAT(Said(OfPorts({one, same})), HasSubstr(": mlx5_[0-1]/1: MTU 1500 (mtu.ethernet)"));
  EXPECT_THAT(Said(OfPorts({one, other})), HasSubstr(": mlx5_[0-1]/1: mtu.ethernet"));
}

TEST(VerdictSentence, CallsUnknownNeitherFineNorWrong) {
  Finding unknown = At(Fail("ets.rdma-share", "denied", "50 %", "look"), "mlx5_0/1 eth0");
  unknown.outcome = Outcome::kUnknown;
  const std::string said = Said(OfPorts({unknown}));
  EXPECT_THAT(said, HasSubstr("UNDETERMINED: "));
  EXPECT_THAT(said, HasSubstr("1 answer is unknown: ets.rdma-share"));
}

TEST(VerdictSentence, CountsWaivedFindingsOfAHostThatIsReady) {
  const Finding good = At(Pass("pfc.lossless-priority", "on"), "mlx5_0/1 eth0");
  EXPECT_EQ(Said(OfPorts({good})), "READY: the settings of 8 RDMA ports meet storage; no traffic was sent");
  Finding waived = At(Fail("link.state", "down", "", "look"), "mlx5_3/1 eth3");
  waived.waived = Waived{.reason = "spare", .who = "Ann", .until = "2030-01-01"};
  EXPECT_EQ(Said(OfPorts({good, waived})),
            "READY: the settings of 8 RDMA ports meet storage, but for 1 finding waived; no traffic was sent");
}

TEST(VerdictSentence, SaysWhyAHostGaveNoReport) {
  Report report = OfPorts({});
  report.hosts.front().error = "Connection refused";
  Conclude(report);
  EXPECT_THAT(Said(report), HasSubstr("UNDETERMINED: the host did not answer: Connection refused"));
  EXPECT_THAT(Said(report), Not(HasSubstr("READY:")));
}

}  // namespace
}  // namespace rdmaready
