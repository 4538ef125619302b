// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/pair_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr ConnectionKind kCm = ConnectionKind::kRdmaCm;
constexpr ConnectionKind kVerbs = ConnectionKind::kVerbs;

const TransferPlace& Place() {
  static const TransferPlace place{.rung = Rung::kPeer, .subject = "rxe0/1 -> rxe0/1", .software = true};
  return place;
}

// A transfer of which all packets were counted in `priority`, by `counted` at both ends.
CaseOutcome Moved(ConnectionKind connection, std::size_t priority, std::uint64_t counted = 1024,
                  std::uint64_t messages = 128) {
  CaseOutcome outcome;
  outcome.result = {.case_name = "write-32k",
                    .operation = Operation::kWrite,
                    .message_bytes = 32 << 10,
                    .local_gid = "::ffff:10.0.0.1",
                    .remote_gid = "::ffff:10.0.0.2",
                    .transport = "roce-v2",
                    .connection = connection};
  outcome.result.depth = 16;
  outcome.result.messages = messages;
  outcome.result.bytes = messages * outcome.result.message_bytes;
  PriorityPackets packets;
  packets.sent.at(priority) = packets.received.at(priority) = counted;
  for (const char* host : {"a", "b"}) {
    outcome.counters.push_back({.host = host,
                                .packets = packets,
                                .counted_ns = 1'000,
                                .idle_packets = PriorityPackets{},
                                .idle_ns = 1'000,
                                .path_mtu_bytes = 4096});
  }
  return outcome;
}

class PairClassTest : public testing::Test {
 protected:
  void Add(const CaseOutcome& outcome) {
    of_class_.Add(*FindCase("write-512k"), *outcome.result.connection, outcome);
  }
  Finding Finish() const { return of_class_.Finish(std::nullopt); }

  const std::vector<ConnectionKind> kinds_{kCm, kVerbs};
  const Profile profile_ = VirtualFabricProfile();
  PairClass of_class_{Place(), profile_, kinds_};
};

TEST_F(PairClassTest, PassesWhereEachKindOfConnectionDoes) {
  Add(Moved(kCm, 3));
  EXPECT_EQ(Finish().outcome, Outcome::kUnknown) << "no plain verbs connection showed it";
  Add(Moved(kVerbs, 3));
  const Finding finding = Finish();
  EXPECT_EQ(finding.outcome, Outcome::kPass);
  EXPECT_THAT(finding.observed, StartsWith("RDMA-CM: a sent 1024 of 1024"));
  EXPECT_THAT(finding.observed,
              HasSubstr("; plain verbs connection of GID ::ffff:10.0.0.1 with ::ffff:10.0.0.2: "
                        "a sent 1024 of 1024"));
  ASSERT_EQ(finding.class_proof->shares.size(), 8U);
  EXPECT_EQ(finding.class_proof->shares.front().connection, kCm);
  EXPECT_EQ(finding.class_proof->shares.back().connection, kVerbs);
}

TEST_F(PairClassTest, FailsWhereOneKindOfConnectionDoes) {
  Add(Moved(kCm, 3));
  Add(Moved(kVerbs, 0));
  const Finding finding = Finish();
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_TRUE(finding.remedy);
  EXPECT_THAT(finding.observed, HasSubstr("::ffff:10.0.0.2: a sent 0 of 1024 packets on priority 3"));
}

TEST_F(PairClassTest, KeepsTheTransferThatShowsMost) {
  Add(Moved(kVerbs, 3));
  Add(Moved(kCm, 3, 10));
  EXPECT_EQ(Finish().outcome, Outcome::kUnknown) << "less was counted than moved";
  Add(Moved(kCm, 3));
  EXPECT_EQ(Finish().outcome, Outcome::kPass) << "one whole proof is enough";
  Add(Moved(kCm, 3, 10, 256));
  EXPECT_EQ(Finish().outcome, Outcome::kPass) << "more bytes that prove nothing";
  Add(Moved(kCm, 0, 512, 64));
  EXPECT_EQ(Finish().outcome, Outcome::kFail) << "wrong is wrong, however small";
  Add(Moved(kCm, 3, 4096, 512));
  EXPECT_EQ(Finish().outcome, Outcome::kFail);
}

TEST_F(PairClassTest, ShowsTheProofWithTheMostPacketsInEachCounter) {
  Add(Moved(kVerbs, 3));
  Add(Moved(kCm, 3, 4096, 512));
  Add(Moved(kCm, 3, 1024));
  EXPECT_THAT(Finish().observed, StartsWith("RDMA-CM: a sent 4096 of 4096"));
  Add(Moved(kCm, 3, 8192, 512));
  EXPECT_THAT(Finish().observed, StartsWith("RDMA-CM: a sent 8192 of 8192"));
}

TEST_F(PairClassTest, IsHiddenByAnObstacleWhereNothingShowedTheClass) {
  const Finding cause{.id = "peer.send-1k", .outcome = Outcome::kFail, .observed = "not reachable"};
  const Finding finding = of_class_.Finish(cause);
  EXPECT_EQ(finding.hidden_by, "peer.send-1k");
  EXPECT_FALSE(finding.class_proof);
}

TEST(OfAllKinds, IsTheWorstAndSaysAll) {
  const Finding pass{.id = "peer.write-8k", .outcome = Outcome::kPass, .observed = "fast"};
  const Finding fail{.id = "peer.write-8k", .outcome = Outcome::kFail, .blocking = true, .observed = "lost"};
  const Finding none{.id = "peer.write-8k", .outcome = Outcome::kNotApplicable, .observed = "iWARP"};
  const KindFinding alone[] = {{kCm, pass}};
  EXPECT_EQ(OfAllKinds(alone), pass);
  const KindFinding plain[] = {{kVerbs, pass, "fd00::1 with fd00::2"}};
  EXPECT_EQ(OfAllKinds(plain).observed, "plain verbs connection of GID fd00::1 with fd00::2: fast");
  const KindFinding both[] = {{kCm, pass}, {kVerbs, fail}};
  EXPECT_EQ(OfAllKinds(both).outcome, Outcome::kFail);
  EXPECT_TRUE(OfAllKinds(both).blocking);
  EXPECT_EQ(OfAllKinds(both).observed, "RDMA-CM: fast; plain verbs connection: lost");
  const KindFinding iwarp[] = {{kCm, pass}, {kVerbs, none}};
  EXPECT_EQ(OfAllKinds(iwarp).outcome, Outcome::kPass);
}

}  // namespace
}  // namespace rdmaready
