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

// Those of api/model/probe_walk.h, in order.
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

// Where the probe got as far as SMB2 over RDMA: mounts, and moves files. False when it does not mount. Both
// tell ShareAnswers, and block: see CifsMount::Make.
bool ProveShare(const ShareProof& proof, const EvidenceReader& read, Walk& walk);

// Where RDMA failed: the server is asked over TCP what it announces, so that the reason can be told. Nothing is
// moved, and RDMA is not used. False where it does not mount.
bool InquireShare(const ShareProof& proof, const EvidenceReader& read, Walk& walk);

}  // namespace rdmaready
