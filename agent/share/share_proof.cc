// SPDX-License-Identifier: Apache-2.0
#include "agent/share/share_proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "agent/link/failure.h"
#include "agent/share/file_shapes.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using namespace std::chrono_literals;

constexpr auto kMountLimit = 130s;  // the client's own limit for the negotiation is 120 s, and it blocks
constexpr auto kFilesLimit = 120s;

std::string OffersText(const CifsConnection& connection) {
  std::vector<std::string> offers;
  for (const CifsInterface& offer : connection.interfaces)
    offers.push_back(fmt::format("{} {}{}", offer.address, offer.speed,
                                 offer.rdma  ? " rdma"
                                 : offer.rss ? " rss"
                                             : ""));
  return fmt::format("{}", fmt::join(offers, ", "));
}

// "yes", "no", or nothing when the server announced no interface of that address.
std::optional<bool> AnnouncedAsRdma(const CifsConnection& connection, const std::string& address) {
  for (const CifsInterface& offer : connection.interfaces) {
    if (offer.address == address) return offer.rdma;
  }
  return std::nullopt;
}

// What is absent now may have been there before.
template <class T>
void Update(std::optional<T>& answers, const std::optional<T>& now) {
  if (now) answers = now;
}

void TellConnection(const CifsConnection& connection, const std::string& address, ShareAnswers& answers) {
  answers.connection = connection.rdma ? ShareAnswers::Connection::kRdma : ShareAnswers::Connection::kTcp;
  answers.is_signed = connection.is_signed;
  answers.encrypted = connection.encrypted;
  Update(answers.max_read_write, connection.max_read_write_bytes);
  Update(answers.rdma_threshold, connection.rdma_threshold_bytes);
  if (!connection.interfaces.empty()) answers.server_interfaces = OffersText(connection);
  Update(answers.address_announced_rdma, AnnouncedAsRdma(connection, address));
}

absl::StatusOr<CifsMount> Mount(const ShareProof& proof, bool rdma, const Patience& patience) {
  if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
  absl::StatusOr<CifsMount> mount = CifsMount::Make({.server_address = proof.server_address,
                                                     .share = proof.share,
                                                     .rdma = rdma,
                                                     .credentials = proof.credentials});
  if (mount.ok()) return mount;
  // Trouble of this host says nothing of the server.
  const bool own = absl::IsFailedPrecondition(mount.status());
  return MakeFailure(own ? FailureKind::kSetup : FailureKind::kRejected, Message(mount.status()));
}

// What the client's state says of our connection; false when that cannot be read.
bool TellOurs(const ShareProof& proof, const ShareEvidence& before, const ShareEvidence& now,
              ShareAnswers& answers) {
  Update(answers.client_smb_direct, now.cifs.smb_direct);
  const CifsConnection* ours = NewConnection(before.cifs, now.cifs, proof.server_address);
  if (ours == nullptr) return false;
  TellConnection(*ours, proof.server_address, answers);
  return true;
}

void TellTraffic(const ShareEvidence& before, const ShareEvidence& after, Walk& walk) {
  ShareAnswers& answers = walk.answers().share;
  std::uint64_t moved = 0;
  for (const TransferResult& transfer : walk.result().transfers) moved += transfer.bytes;
  answers.moved_bytes = moved;
  answers.port_bytes = MovedAtMostBytes(before.port, after.port);
  if (!before.tcp_connections || !after.tcp_connections) return;
  std::size_t fresh = 0;
  for (const std::string& connection : *after.tcp_connections)
    fresh += !before.tcp_connections->contains(connection);
  answers.new_tcp_connections = fresh;
}

absl::Status MoveFiles(const ShareProof& proof, int directory, const Patience& patience, Walk& walk) {
  const auto interrupted = [&patience]() -> absl::Status {
    if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
    if (patience.clock->Now() < patience.deadline) return absl::OkStatus();
    return MakeFailure(FailureKind::kStalled, "the time for the files was up");
  };
  absl::StatusOr<ShapeRun> run = RunFileShapes(
      directory,
      {.nonce = proof.nonce, .duration = proof.duration, .interrupted = interrupted, .pace = patience.pace});
  if (!run.ok()) return MakeFailure(FailureKind::kRejected, Message(run.status()));
  walk.result().transfers = std::move(run->results);
  if (!run->left_behind.empty()) walk.answers().share.file_left = run->left_behind;
  for (const TransferResult& result : walk.result().transfers) {
    if (result.failure.kind != FailureKind::kNone)
      return MakeFailure(result.failure.kind, result.failure.detail);
    if (result.bytes_wrong > 0)
      return MakeFailure(FailureKind::kCorrupt, "other bytes came back than were written");
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string_view> ShareSteps() { return {kStepShareMount, kStepShareFiles, kStepShareInquire}; }

// The mount goes when this returns.
bool ProveShare(const ShareProof& proof, const EvidenceReader& read, Walk& walk) {
  const ShareEvidence before = read();
  std::optional<CifsMount> mount;
  const bool mounted = walk.Step(kStepShareMount, kMountLimit, [&](const Patience& patience) -> absl::Status {
    RR_ASSIGN_OR_RETURN(CifsMount made, Mount(proof, true, patience));
    mount.emplace(std::move(made));
    return absl::OkStatus();
  });
  if (!mounted) return false;
  const ShareEvidence ready = read();
  TellOurs(proof, before, ready, walk.answers().share);
  walk.Step(kStepShareFiles, kFilesLimit,
            [&](const Patience& patience) { return MoveFiles(proof, mount->directory(), patience, walk); });
  const ShareEvidence after = read();
  TellOurs(proof, before, after,
           walk.answers().share);  // the last word: it may have changed while the files moved
  TellTraffic({.cifs = {}, .port = ready.port, .tcp_connections = before.tcp_connections}, after, walk);
  return true;
}

bool InquireShare(const ShareProof& proof, const EvidenceReader& read, Walk& walk) {
  const ShareEvidence before = read();
  return walk.Step(kStepShareInquire, kMountLimit, [&](const Patience& patience) -> absl::Status {
    RR_ASSIGN_OR_RETURN(const CifsMount mount, Mount(proof, false, patience));
    const ShareEvidence now = read();
    if (!TellOurs(proof, before, now, walk.answers().share)) {
      return MakeFailure(FailureKind::kSetup,
                         "the client's state (/proc/fs/cifs/DebugData) does not show the mount");
    }
    return absl::OkStatus();
  });
}

}  // namespace rdmaready
