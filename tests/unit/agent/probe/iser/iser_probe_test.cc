// SPDX-License-Identifier: Apache-2.0
// The walk towards an iSER target that is another thread.
#include "agent/probe/iser/iser_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent/probe/iser/iser_session.h"
#include "agent/probe/iser/iser_wire.h"
#include "tests/unit/agent/probe/bytes.h"
#include "tests/unit/agent/probe/fake_server.h"

namespace rdmaready {
namespace {

using iser::Keys;
using testing::HasSubstr;

struct Target {
  std::uint16_t login_status = 0;
  std::string method = "None";
  Keys proposals{};  // that it makes itself in the operational stage
  std::string list = "TargetName=iqn.a\n TargetAddress=10.0.0.2:3260,1\n";
  int parts = 1;                      // of the list; below 1: without an end
  bool pings = false;                 // before it answers
  std::vector<std::string> logins{};  // the texts that came
  int pongs = 0;
  bool logged_out = false;
};

ServerMessage AnswerTo(Octets request, std::uint8_t opcode, std::uint8_t flags, Octets data = {}) {
  ServerMessage pdu =
      iser::EncodeText({.task_tag = GetBig<std::uint32_t>(request, 28 + 16)}, iser::kNoTag, data);
  pdu[28] = static_cast<std::byte>(opcode);
  pdu[29] = static_cast<std::byte>(flags);
  return pdu;
}

ServerMessage Login(Target& target, Octets request) {
  target.logins.push_back(GetText(request, 76, request.size() - 76));
  const auto stage = static_cast<std::uint8_t>(GetBig<std::uint8_t>(request, 29) & 0x0f);
  const bool security = stage == 0x01;
  Keys keys;
  bool transit = true;
  if (security) {
    keys.emplace_back("AuthMethod", target.method);
    transit = target.method == "None";
  } else if (!target.proposals.empty()) {
    keys = std::exchange(target.proposals, {});
    transit = false;
  }
  const std::uint8_t flags = static_cast<std::uint8_t>(stage | (transit ? 0x80 : 0));
  ServerMessage answer = AnswerTo(request, 0x23, transit ? flags : flags & 0x0c, iser::EncodeKeys(keys));
  PutBig(answer, 28 + 36,
         target.logins.size() > 1 && target.method != "None" ? std::uint16_t{0x0201} : target.login_status);
  return answer;
}

std::vector<ServerMessage> Serve(Target& target, FakeServer&, Octets request) {
  const auto opcode = static_cast<std::uint8_t>(GetBig<std::uint8_t>(request, 28) & 0x3f);
  if (opcode == 0x03) return {Login(target, request)};
  if (opcode == 0x00) {
    ++target.pongs;
    return {};
  }
  if (opcode == 0x06) {
    target.logged_out = true;
    return {AnswerTo(request, 0x26, 0x80)};
  }
  std::string text = target.list;
  std::ranges::replace(text, '\n', '\0');
  std::erase(text, ' ');
  const bool last = --target.parts == 0;
  ServerMessage answer = AnswerTo(request, 0x24, last ? 0x80 : 0x40, std::as_bytes(std::span(text)));
  PutBig(answer, 28 + 20, last ? iser::kNoTag : std::uint32_t{5});
  std::vector<ServerMessage> answers;
  if (target.pings) {
    ServerMessage ping = AnswerTo(request, 0x20, 0x80);
    PutBig(ping, 28 + 16, iser::kNoTag);
    PutBig(ping, 28 + 20, std::uint32_t{77});
    answers.push_back(ping);
  }
  answers.push_back(answer);
  return answers;
}

FakeServer::Handler Serving(Target& target) {
  return [&target](FakeServer& server, Octets request) { return Serve(target, server, request); };
}

TEST(IserProbe, WalksToTheEndOfDiscoveryAndLogsOut) {
  MemoryFabric fabric;
  Target target{.proposals = {{"MaxConnections", "1"}, {"TargetAlias", "x"}}, .parts = 2, .pings = true};
  {
    FakeServer server(fabric, Hex("c0000000"), Serving(target));
    const ProbeResult result = WalkTo(fabric, Protocol::kIser);
    EXPECT_EQ(Done(result), "rdma-connect iser-discovery-login iser-send-targets iser-discovery-logout");
    EXPECT_EQ(ValueOf(result, "iser-targets"), "2");
    EXPECT_EQ(ValueOf(result, "iser-target-1"), "iqn.a");
    EXPECT_EQ(ValueOf(result, "iser-target-1-at"), "10.0.0.2:3260,1");
    EXPECT_EQ(ValueOf(result, "iser-remote-invalidation"), "no");
  }
  EXPECT_TRUE(target.logged_out);
  EXPECT_EQ(target.pongs, 2);
  ASSERT_EQ(target.logins.size(), 3u);
  EXPECT_EQ(target.logins[2], "MaxConnections=1")
      << "what the target proposes is accepted, what it states is not";
}

TEST(IserProbe, TargetThatDemandsChapIsNamedAndNotLeftWaiting) {
  MemoryFabric fabric;
  Target target{.method = "CHAP"};
  {
    FakeServer server(fabric, {}, Serving(target));
    const ProbeResult result = WalkTo(fabric, Protocol::kIser);
    const ProbeStep& step = StepOf(result, "iser-discovery-login");
    EXPECT_EQ(step.failure.kind, FailureKind::kRejected);
    EXPECT_EQ(step.failure.detail, "login: the target demands authentication by CHAP");
    EXPECT_EQ(ValueOf(result, "iser-discovery-authentication"), "CHAP");
  }
  EXPECT_EQ(target.logins.size(), 2u) << "the second one is what the target can refuse";
}

TEST(IserProbe, RefusedLoginIsNamed) {
  MemoryFabric fabric;
  Target target{.login_status = 0x0202};
  FakeServer server(fabric, {}, Serving(target));
  EXPECT_THAT(StepOf(WalkTo(fabric, Protocol::kIser), "iser-discovery-login").failure.detail,
              HasSubstr("authorization failure: this initiator may not use the target (02/02)"));
}

TEST(IserProbe, ListWithoutAnEndIsReadToABound) {
  MemoryFabric fabric;
  Target target{.list = "TargetName=" + std::string(8000, 'x') + "\n", .parts = 0};
  FakeServer server(fabric, {}, Serving(target));
  EXPECT_THAT(StepOf(WalkTo(fabric, Protocol::kIser), "iser-send-targets").failure.detail,
              HasSubstr("a list without an end"));
}

TEST(IserProbe, GarbageAndSilenceEndTheWalkInTime) {
  for (const bool silent : {false, true}) {
    MemoryFabric fabric;
    FakeServer server(fabric, {}, [=](FakeServer&, Octets) -> std::vector<ServerMessage> {
      if (silent) return {};
      return {ServerMessage(100, std::byte{0xff})};
    });
    const ProbeResult result = WalkTo(fabric, Protocol::kIser, std::chrono::milliseconds(300));
    EXPECT_EQ(StepOf(result, "iser-discovery-login").failure.kind,
              silent ? FailureKind::kStalled : FailureKind::kCorrupt);
  }
}

TEST(IserInitiator, IsTheHostsOwnWhereItHasAName) {
  const std::string path = testing::TempDir() + "initiatorname.iscsi";
  std::ofstream(path) << "# comment\nInitiatorName=iqn.1993-08.org.debian:01:abc \n";
  EXPECT_EQ(iser::ReadInitiator(path).name, "iqn.1993-08.org.debian:01:abc");
  std::ofstream(path) << "InitiatorName=not a name\n";
  EXPECT_EQ(iser::ReadInitiator(path).source, "made for this probe");
  EXPECT_TRUE(iser::IsName(iser::ReadInitiator("/nowhere").name));
}

}  // namespace
}  // namespace rdmaready
