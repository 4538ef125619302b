// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nfs/nfs_probe.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/link/failure.h"
#include "agent/probe/message_link.h"
#include "agent/probe/nfs/nfs_proof.h"
#include "agent/probe/nfs/nfs_wire.h"
#include "agent/probe/proof.h"
#include "agent/probe/rdma_step.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;

constexpr std::string_view kNull = "nfs-null";
constexpr std::string_view kVersions = "nfs-versions";

constexpr std::uint32_t kCredits = 8;  // asked for; as many receives are posted
constexpr int kMostStrangers = 16;     // replies to other calls, before it is no answer any more

std::string ExplainReject(Octets) { return "the NFS server has no resources, or no RDMA reads were offered"; }

class Client {
 public:
  explicit Client(const LinkMaker& make_link)
      : link_(make_link,
              {.receives = kCredits, .receive_bytes = nfs::kOurInlineBytes, .send_bytes = nfs::kInlineBytes}),
        next_id_(static_cast<std::uint32_t>(RandomNumber())) {}

  MessageLink& link() { return link_; }

  absl::StatusOr<nfs::Reply> Null(std::uint32_t version, const Patience& patience) {
    const std::uint32_t id = next_id_++;
    return Call(nfs::EncodeNull(id, kCredits, version), id, fmt::format("NULL of version {}", version),
                patience);
  }

  absl::StatusOr<nfs::Reply> EmptyCompound(std::uint32_t minor, const Patience& patience) {
    const std::uint32_t id = next_id_++;
    return Call(nfs::EncodeEmptyCompound(id, kCredits, minor), id,
                fmt::format("COMPOUND of version 4.{}", minor), patience);
  }

 private:
  absl::StatusOr<nfs::Reply> Call(Octets call, std::uint32_t id, const std::string& what,
                                  const Patience& patience) {
    RR_RETURN_IF_ERROR(link_.Send(call, patience));
    for (int i = 0; i < kMostStrangers; ++i) {
      const absl::StatusOr<Octets> message = link_.Receive(patience);
      if (!message.ok()) return message.status();
      const auto reply = nfs::DecodeReply(*message);
      if (!reply) return MakeFailure(FailureKind::kCorrupt, what + ": the answer is no RPC reply");
      if (reply->id == id) return *reply;
    }
    return MakeFailure(FailureKind::kCorrupt, what + ": only replies to other calls came");
  }

  MessageLink link_;
  std::uint32_t next_id_;
};

Endpoint NfsEndpointOf(const ProbeTarget& target) {
  return {.address = target.address, .port = target.port_number == 0 ? nfs::kPort : target.port_number};
}

void TellConnection(const MessageLink& link, Walk& walk) {
  const auto told = nfs::DecodeConnectAccept(link.private_data());
  const nfs::ConnectAccept accept = told.value_or(nfs::ConnectAccept{});
  walk.Tell("nfs-connect-data", told.has_value());
  walk.Tell("nfs-server-send", std::uint64_t{accept.send_bytes});
  walk.Tell("nfs-server-receive", std::uint64_t{accept.receive_bytes});
  walk.Tell("nfs-remote-invalidation", accept.remote_invalidation);
}

struct Served {
  bool three = false;
  bool four = false;
};

// Both versions are asked for; one of them must be there.
absl::Status AskVersions(Client& client, Served& served, Walk& walk, const Patience& patience) {
  std::string refusals;
  for (const std::uint32_t version : {4u, 3u}) {
    const absl::StatusOr<nfs::Reply> reply = client.Null(version, patience);
    if (!reply.ok()) return reply.status();
    walk.Tell("nfs-credits", std::uint64_t{reply->credits});
    const bool has_it = reply->verdict == nfs::Verdict::kSuccess;
    (version == 4 ? served.four : served.three) = has_it;
    if (has_it) continue;
    walk.Tell(fmt::format("nfs-{}-refused", version), nfs::ReplyText(*reply));
    refusals +=
        fmt::format("{}NULL of version {}: {}", refusals.empty() ? "" : "; ", version, nfs::ReplyText(*reply));
  }
  if (served.three || served.four) return absl::OkStatus();
  return MakeFailure(FailureKind::kRejected, refusals);
}

std::string VersionsText(const Served& served, const std::string& minors) {
  std::string text = served.three ? "3" : "";
  // A server that does not answer for a client without a name still has version 4.
  const std::string four = served.four && minors.empty() ? "4" : minors;
  if (!text.empty() && !four.empty()) text += ' ';
  return text + four;
}

absl::Status AskMinorVersions(Client& client, const Served& served, Walk& walk, const Patience& patience) {
  std::string minors;
  std::string newest = served.four ? "4" : "3";
  for (std::uint32_t minor = 0; served.four && minor <= 2; ++minor) {
    const absl::StatusOr<nfs::Reply> reply = client.EmptyCompound(minor, patience);
    if (!reply.ok()) return reply.status();
    if (reply->verdict != nfs::Verdict::kSuccess) {
      walk.Tell(fmt::format("nfs-4.{}-refused", minor), nfs::ReplyText(*reply));
    } else if (nfs::DecodeCompoundStatus(reply->results).value_or(nfs::kMinorVersionMismatch) !=
               nfs::kMinorVersionMismatch) {
      newest = fmt::format("4.{}", minor);
      minors += (minors.empty() ? "" : " ") + newest;
    }
  }
  walk.Tell("nfs-versions", VersionsText(served, minors));
  walk.Tell("nfs-newest-version", newest);
  return absl::OkStatus();
}

std::optional<std::string> ToldVersion(const Walk& walk, std::string_view name) {
  for (const ProbeValue& value : walk.result().values) {
    if (value.name == name) return value.value;
  }
  return std::nullopt;
}

bool AskServer(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  Client client(tools.make_link);
  const bool connected = ConnectByRdma(
      target, tools, client.link(),
      [&](const Patience& patience) {
        return client.link().Connect(NfsEndpointOf(target), target.local_address, nfs::EncodeConnectPrivate(),
                                     ExplainReject, patience);
      },
      walk);
  if (!connected) return false;
  TellConnection(client.link(), walk);
  Served served;
  return walk.Step(kNull, seconds(8), [&](const Patience& patience) {
    return AskVersions(client, served, walk, patience);
  }) && walk.Step(kVersions, seconds(8), [&](const Patience& patience) {
    return AskMinorVersions(client, served, walk, patience);
  });
}

}  // namespace

std::vector<std::string_view> NfsSteps() { return {kStepRdmaConnect, kNull, kVersions}; }

void ProbeNfs(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  if (target.local_address.empty()) return;
  walk.result().port_number = NfsEndpointOf(target).port;
  if (!AskServer(target, tools, walk) || !target.prove) return;
  const std::optional<std::string> version = ToldVersion(walk, "nfs-newest-version");
  if (version) ProveNfs(target, NfsEndpointOf(target).port, *version, walk);
}

}  // namespace rdmaready
