// SPDX-License-Identifier: Apache-2.0
// Share proof: files of a share, moved by this host's own kernel client, and which way they went.
//
// A walk's last steps (agent/probe/walk.h). A mount of our own (cifs_mount.h), six shapes of I/O on one file
// (file_shapes.h), and what the client's state, the RDMA port's counters and the TCP connections say of them
// (evidence.h). What it means is a check (checks/share.h). Nothing stays mounted, and no file stays behind.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/probe/walk.h"
#include "agent/share/cifs_mount.h"
#include "agent/share/evidence.h"
#include "api/model/peer_message.h"

namespace rdmaready {

inline constexpr std::string_view kStepShareMount = "share-mount";  // over RDMA, by the kernel's client
inline constexpr std::string_view kStepShareFiles = "share-files";  // the shapes of I/O
inline constexpr std::string_view kStepShareInquire =
    "share-inquire";  // over TCP, when RDMA failed: what is offered

std::vector<std::string_view> ShareSteps();

// ReadEvidence for the server and port of the proof.
using EvidenceReader = std::function<ShareEvidence()>;

struct ShareProof {
  std::string server_address{};  // numeric
  std::string share{};
  Credentials credentials{};
  Nonce nonce{};
  std::chrono::milliseconds duration{500};  // of each shape
};

// `over_rdma`: the probe got as far as SMB2 over RDMA. Otherwise nothing is moved: the server is asked over TCP
// what it announces, so that the reason can be told. Tells "share-..." values. Blocks, see CifsMount::Make.
void ProveShare(const ShareProof& proof, bool over_rdma, const EvidenceReader& read, Walk& walk);

}  // namespace rdmaready
