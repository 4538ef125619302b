// SPDX-License-Identifier: Apache-2.0
// A part of a stress test over TCP, at two agents: its links, and what its result counts for.
#include <filesystem>
#include <thread>

#include "agent/transfer/local_channel.h"
#include "tests/unit/agent/server/service_rig.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// One host's agent that allows stress tests. Its links over RDMA and over TCP are given.
struct StressedAgent {
  StressedAgent(LinkMaker rdma, LinkMaker tcp, const std::string& locks)
      : agent(host, store, std::move(rdma),
              {.lock_directory = locks,
               .stress = {.allowed = true},
               .transfer = kFewBytes,
               .make_tcp_link = std::move(tcp),
               .on_tested = [this](const LiveTest&, bool) { ++told; }}) {}

  FakeHost host = GoodFakeHost();
  RecordingStore store{};
  int told = 0;
  Agent agent;
};

PeerRequest RequestOf(PeerRequest::Role role, const TransferOptions& options) {
  return {.role = role,
          .port = {.device = "rxe0", .number = 1},
          .case_name = "write-8k",
          .peer_name = "other",
          .options = options};
}

constexpr TransferOptions kOverTcp{.stress = true, .over_tcp = true};

TEST_F(ServiceTest, ATestOverTcpUsesLinksOfTcpAndCountsForNothingElse) {
  int rdma_links = 0;
  const LinkMaker rdma = [&](Role role, std::uint32_t) {
    ++rdma_links;
    return std::make_unique<MemoryLink>(between_, role);
  };
  StressedAgent a(rdma, OneEnd(Role::kInitiator), locks_ + "/");
  std::filesystem::create_directories(locks_ + "/b");
  StressedAgent b(rdma, OneEnd(Role::kResponder), locks_ + "/b");
  auto [to_a, to_b] = MakeLocalChannel();
  const auto run = [](StressedAgent& end, PeerRequest::Role role, PeerChannel& channel) {
    const auto ticket = end.agent.AdmitPeer(RequestOf(role, kOverTcp), {.name = "me", .run_id = "run-1"});
    ASSERT_TRUE(ticket.ok()) << ticket.status();
    const auto live = end.agent.RunPeer(*ticket, channel, {});
    ASSERT_TRUE(live.ok()) << live.status();
    EXPECT_EQ(live->result.failure, Failure{}) << live->result.failure.detail;
    EXPECT_EQ(live->result.transport, kTcpTransport);
    EXPECT_FALSE(live->result.connection);
    EXPECT_FALSE(live->past);
  };
  {
    const std::jthread other([&] { run(b, PeerRequest::Role::kResponder, *to_a); });
    run(a, PeerRequest::Role::kInitiator, *to_b);
  }
  EXPECT_EQ(rdma_links, 0);
  EXPECT_EQ(a.told + b.told, 0) << "its rate does not count as one of RDMA";
  ASSERT_THAT(a.store.transfers, SizeIs(1));
  EXPECT_EQ(a.store.transfers.front().result.transport, kTcpTransport);
}

TEST_F(ServiceTest, ATestOverTcpIsBetweenTwoHostsAndAsksForNoConnectionOfRdma) {
  StressedAgent a(OneEnd(Role::kInitiator), OneEnd(Role::kInitiator), locks_);
  const auto refusal = [&](const TransferOptions& options) {
    const absl::Status status =
        a.agent.AdmitPeer(RequestOf(PeerRequest::Role::kInitiator, options), {.name = "me"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  for (const bool stress : {false, true})
    EXPECT_THAT(refusal({.connection = ConnectionKind::kVerbs, .stress = stress, .over_tcp = true}),
                HasSubstr("a connection of RDMA was asked for too"));
  EXPECT_EQ(a.agent.TestLoopback({}, {"write-8k"}, kOverTcp, {.name = "me"}, {}, {}).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rdmaready
