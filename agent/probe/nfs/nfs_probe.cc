// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nfs/nfs_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/link/failure.h"
#include "agent/probe/message_link.h"
#include "agent/probe/nfs/nfs_wire.h"
#include "agent/probe/proof.h"
#include "agent/probe/rdma_step.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kCredits = 8;  // asked for; as many receives are posted
constexpr int kMostForeignReplies = 16;  // replies to other calls, before it is no answer any more

std::string ExplainNfsReject(Octets) {
  return "the NFS server has no resources, or no RDMA reads were offered";
}

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
    for (int i = 0; i < kMostForeignReplies; ++i) {
      RR_ASSIGN_OR_RETURN(const Octets message, link_.Receive(patience));
      const auto reply = nfs::DecodeReply(message);
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

void TellConnection(const MessageLink& link, NfsAnswers& answers) {
  const auto data = nfs::DecodeConnectAccept(link.private_data());
  const nfs::ConnectAccept accept = data.value_or(nfs::ConnectAccept{});
  answers.connect_data = data.has_value();
  answers.server_send = accept.send_bytes;
  answers.server_receive = accept.receive_bytes;
  answers.remote_invalidation = accept.remote_invalidation;
}

struct Served {
  bool three = false;
  bool four = false;
};

// Both versions are asked for; one of them must be there.
absl::Status AskVersions(Client& client, Served& served, NfsAnswers& answers, const Patience& patience) {
  std::vector<std::string> refusals;
  for (const std::uint32_t version : {4u, 3u}) {
    RR_ASSIGN_OR_RETURN(const nfs::Reply reply, client.Null(version, patience));
    answers.credits = reply.credits;
    const bool has_it = reply.verdict == nfs::Verdict::kSuccess;
    (version == 4 ? served.four : served.three) = has_it;
    if (has_it) continue;
    answers.refused.push_back({.version = fmt::format("{}", version), .reason = nfs::ReplyText(reply)});
    refusals.push_back(fmt::format("NULL of version {}: {}", version, nfs::ReplyText(reply)));
  }
  if (served.three || served.four) return absl::OkStatus();
  return MakeFailure(FailureKind::kRejected, fmt::format("{}", fmt::join(refusals, "; ")));
}

absl::Status AskMinorVersions(Client& client, const Served& served, NfsAnswers& answers,
                              const Patience& patience) {
  std::vector<std::string> versions;
  if (served.three) versions.push_back("3");
  std::vector<std::string> minors;
  for (std::uint32_t minor = 0; served.four && minor <= 2; ++minor) {
    const std::string version = fmt::format("4.{}", minor);
    RR_ASSIGN_OR_RETURN(const nfs::Reply reply, client.EmptyCompound(minor, patience));
    if (reply.verdict != nfs::Verdict::kSuccess) {
      answers.refused.push_back({.version = version, .reason = nfs::ReplyText(reply)});
    } else if (nfs::DecodeCompoundStatus(reply.results).value_or(nfs::kMinorVersionMismatch) !=
               nfs::kMinorVersionMismatch) {
      minors.push_back(version);
    }
  }
  // A server that does not answer for a client without a name still has version 4.
  if (served.four && minors.empty()) minors.push_back("4");
  versions.insert(versions.end(), minors.begin(), minors.end());
  answers.versions = fmt::format("{}", fmt::join(versions, " "));
  answers.newest_version = versions.back();
  return absl::OkStatus();
}

bool AskServer(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  Client client(tools.make_link);
  const bool connected = ConnectByRdma(
      target, tools, client.link(),
      [&](const Patience& patience) {
        return client.link().Connect(NfsEndpointOf(target), target.local_address, nfs::EncodeConnectPrivate(),
                                     ExplainNfsReject, patience);
      },
      walk);
  if (!connected) return false;
  NfsAnswers& answers = walk.answers().nfs;
  TellConnection(client.link(), answers);
  Served served;
  return walk.Step(kStepNfsNull, seconds(8), [&](const Patience& patience) {
    return AskVersions(client, served, answers, patience);
  }) && walk.Step(kStepNfsVersions, seconds(8), [&](const Patience& patience) {
    return AskMinorVersions(client, served, answers, patience);
  });
}

}  // namespace

std::vector<std::string_view> NfsSteps() { return {kStepRdmaConnect, kStepNfsNull, kStepNfsVersions}; }

void ProbeNfs(const ProbeTarget& target, const ProbeTools& tools, Walk& walk) {
  if (target.local_address.empty()) return;
  walk.result().port_number = NfsEndpointOf(target).port;
  if (!AskServer(target, tools, walk) || !target.prove) return;
  const std::optional<std::string>& version = walk.answers().nfs.newest_version;
  if (!version) return;
  tools.prove({.protocol = Protocol::kNfs,
               .address = target.address,
               .port_number = NfsEndpointOf(target).port,
               .local_address = target.local_address,
               .volume = target.volume,
               .version = *version},
              walk);
}

}  // namespace rdmaready
