// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/introduction.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "agent/link/failure.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kMost24Bits = 0xffffff;
constexpr std::uint32_t kFirstOfUsers = 2;
constexpr std::uint32_t kMostReads = 255;
constexpr std::array kPathMtus{256U, 512U, 1024U, 2048U, 4096U};

absl::Status Impossible(const std::string& what) {
  return MakeFailure(FailureKind::kSetup, "the other end's queue pair cannot be: " + what);
}

// The initiator's end, once it has come and may be connected with.
absl::StatusOr<QueuePairEnd> AwaitJoin(Session& session) {
  RR_ASSIGN_OR_RETURN(const PeerMessage join, session.Expect(PeerMessageKind::kJoin, session.deadline()));
  const QueuePairEnd& end = join.endpoint.queue_pair;
  RR_RETURN_IF_ERROR(CheckQueuePair(end));
  const auto& may_connect = session.options().may_connect;
  if (may_connect) RR_RETURN_IF_ERROR(may_connect(AddressOfGid(end.gid)));
  return end;
}

absl::Status Join(Session& session, const QueuePairEnd& own) {
  RR_RETURN_IF_ERROR(session.Tell({.kind = PeerMessageKind::kJoin, .endpoint = {.queue_pair = own}}));
  const TimePoint until =
      std::min(std::chrono::steady_clock::now() + session.options().connect_limit, session.deadline());
  // The responder may be ready before this end sees that its first message was sent.
  return session.Expect(PeerMessageKind::kJoined, until, PeerMessageKind::kReady).status();
}

}  // namespace

std::string AddressOfGid(const std::string& gid) {
  in6_addr address{};
  if (::inet_pton(AF_INET6, gid.c_str(), &address) != 1) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool mapped = IN6_IS_ADDR_V4MAPPED(&address);
  const void* const from = mapped ? static_cast<const void*>(address.s6_addr + 12) : &address;
  return ::inet_ntop(mapped ? AF_INET : AF_INET6, from, text.data(), text.size()) == nullptr ? "" : text.data();
}

absl::Status CheckQueuePair(const QueuePairEnd& end) {
  if (end.number < kFirstOfUsers || end.number > kMost24Bits)
    return Impossible(fmt::format("number {}", end.number));
  if (end.psn > kMost24Bits) return Impossible(fmt::format("packet sequence number {}", end.psn));
  if (std::ranges::find(kPathMtus, end.path_mtu_bytes) == kPathMtus.end())
    return Impossible(fmt::format("path MTU {}", end.path_mtu_bytes));
  if (end.reads < 1 || end.reads > kMostReads) return Impossible(fmt::format("{} RDMA reads", end.reads));
  if (AddressOfGid(end.gid).empty()) return Impossible("GID '" + SafeLine(end.gid, INET6_ADDRSTRLEN) + "'");
  return absl::OkStatus();
}

void AddConnection(Session& session, LinkSettings& settings) {
  settings.connection = session.options().connection;
  if (settings.connection != ConnectionKind::kVerbs) return;
  settings.introduction = {.await = [&session] { return AwaitJoin(session); },
                           .ready = [&session] { return session.Tell({.kind = PeerMessageKind::kJoined}); },
                           .join = [&session](const QueuePairEnd& own) { return Join(session, own); }};
}

absl::Status CheckEndpoint(const Endpoint& endpoint, const RunOptions& options) {
  const bool plain = endpoint.queue_pair != QueuePairEnd{};
  const bool wanted = options.connection == ConnectionKind::kVerbs;
  if (plain && !wanted) {
    return MakeFailure(FailureKind::kPeerGone,
                       "the ends do not agree on the test: the responder offers a plain verbs connection");
  }
  if (wanted && !plain) {
    return MakeFailure(FailureKind::kCancelled,
                       "the responder's agent has no plain verbs connection: it is older");
  }
  if (!plain) return absl::OkStatus();
  RR_RETURN_IF_ERROR(CheckQueuePair(endpoint.queue_pair));
  const bool v4 = endpoint.address.find(':') == std::string::npos;
  const std::string address = AddressOfGid(v4 ? "::ffff:" + endpoint.address : endpoint.address);
  const bool same = !address.empty() && address == AddressOfGid(endpoint.queue_pair.gid);
  return same
             ? absl::OkStatus()
             : MakeFailure(FailureKind::kSetup, "the GID that the responder offers is not that of its address");
}

}  // namespace rdmaready
