// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/outlier_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checks/live/transfer.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// All pairs of so many hosts with one port each, both ways; `outcome` of the one test from one to another.
struct TestedMesh {
  Report report{};
  std::vector<TestedWay> ways{};

  TestedMesh(std::size_t hosts, const std::function<Outcome(std::size_t from, std::size_t to)>& outcome) {
    for (std::size_t i = 0; i < hosts; ++i) report.hosts.push_back({.host = "host" + std::to_string(i)});
    for (std::size_t from = 0; from < hosts; ++from) {
      for (std::size_t to = 0; to < hosts; ++to) {
        if (from == to) continue;
        report.pairs.push_back({.from = report.hosts[from].host,
                                .to = report.hosts[to].host,
                                .findings = {{.id = "peer.send-1k",
                                              .scope = Scope::kPair,
                                              .rung = Rung::kPeer,
                                              .subject = "rxe0/1 -> rxe0/1",
                                              .outcome = outcome(from, to),
                                              .blocking = true}}});
        ways.push_back({.pair = report.pairs.size() - 1,
                        .failures = {{}},
                        .from = from,
                        .to = to,
                        .subject = "rxe0/1 -> rxe0/1",
                        .back = "rxe0/1 -> rxe0/1"});
      }
    }
  }

  // The hosts that have a finding after it.
  std::vector<std::string> Named() {
    NameOutliers(ways, report);
    std::vector<std::string> named;
    for (const HostReport& host : report.hosts)
      for (const Finding& finding : host.findings)
        if (finding.id == kOutlierId) named.push_back(host.host);
    return named;
  }
};

Outcome FailsAt(std::size_t bad, std::size_t from, std::size_t to) {
  return from == bad || to == bad ? Outcome::kFail : Outcome::kPass;
}

TEST(OutlierPorts, NameAPortThatFailsWithEveryPartner) {
  TestedMesh mesh(4, [](std::size_t from, std::size_t to) { return FailsAt(2, from, to); });
  EXPECT_THAT(mesh.Named(), ElementsAre("host2"));
  const Finding& finding = mesh.report.hosts[2].findings.front();
  EXPECT_EQ(finding.observed, "its tests fail with each of 3 partners, of which 3 pass with other ports");
  EXPECT_EQ(finding.subject, "rxe0/1");
  EXPECT_TRUE(finding.blocking);
  for (const PairReport& pair : mesh.report.pairs) {
    const bool of_it = pair.from == "host2" || pair.to == "host2";
    EXPECT_EQ(pair.findings.front().hidden_by, of_it ? kOutlierId : "") << pair.from << " " << pair.to;
  }
}

TEST(OutlierPorts, NameAPortThatFailsInOneDirection) {
  TestedMesh mesh(4, [](std::size_t from, std::size_t) { return from == 1 ? Outcome::kFail : Outcome::kPass; });
  EXPECT_THAT(mesh.Named(), ElementsAre("host1"));
}

TEST(OutlierPorts, NameTwoPorts) {
  TestedMesh mesh(5, [](std::size_t from, std::size_t to) {
    return FailsAt(0, from, to) == Outcome::kFail ? Outcome::kFail : FailsAt(4, from, to);
  });
  EXPECT_THAT(mesh.Named(), ElementsAre("host0", "host4"));
}

TEST(OutlierPorts, NeedThreePartners) {
  TestedMesh mesh(3, [](std::size_t from, std::size_t to) { return FailsAt(0, from, to); });
  EXPECT_THAT(mesh.Named(), IsEmpty());
}

TEST(OutlierPorts, NeedTwoPartnersThatPassWithOthers) {
  TestedMesh all(4, [](std::size_t, std::size_t) { return Outcome::kFail; });
  EXPECT_THAT(all.Named(), IsEmpty()) << "a switch, or the profile";
  TestedMesh one_pair(4, [](std::size_t from, std::size_t to) {
    return (from == 2 && to == 3) || (from == 3 && to == 2) ? Outcome::kPass : Outcome::kFail;
  });
  EXPECT_THAT(one_pair.Named(), ElementsAre("host0", "host1")) << "2 and 3 pass with each other";
}

TEST(OutlierPorts, LeaveOutAPortThatPassesWithOnePartner) {
  TestedMesh mesh(4, [](std::size_t from, std::size_t to) {
    return (from == 0 && to == 1) || (from == 1 && to == 0) ? Outcome::kPass : FailsAt(0, from, to);
  });
  EXPECT_THAT(mesh.Named(), IsEmpty());
}

TEST(OutlierPorts, NameAPortAlsoWhereOnePartnerHasNoResult) {
  TestedMesh mesh(5, [](std::size_t from, std::size_t to) { return FailsAt(0, from, to); });
  for (PairReport& pair : mesh.report.pairs)
    if ((pair.from == "host0" && pair.to == "host4") || (pair.from == "host4" && pair.to == "host0"))
      pair.findings.front().hidden_by = "ip.firewall";
  EXPECT_THAT(mesh.Named(), ElementsAre("host0"));
  EXPECT_EQ(mesh.report.hosts[0].findings.front().observed,
            "its tests fail with each of 3 partners, of which 3 pass with other ports; with 1 more there is no "
            "result");
}

TEST(OutlierPorts, DoNotCountWhatIsExplainedOrNotKnown) {
  TestedMesh explained(4, [](std::size_t from, std::size_t to) { return FailsAt(0, from, to); });
  for (PairReport& pair : explained.report.pairs)
    if (pair.findings.front().outcome == Outcome::kFail) pair.findings.front().hidden_by = "ip.firewall";
  EXPECT_THAT(explained.Named(), IsEmpty());
  TestedMesh open(4, [](std::size_t from, std::size_t to) {
    return FailsAt(0, from, to) == Outcome::kFail ? Outcome::kUnknown : Outcome::kPass;
  });
  EXPECT_THAT(open.Named(), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
