// SPDX-License-Identifier: Apache-2.0
// NFS proof: an export mounted over RDMA by this host's own client, in a mount namespace that only one thread
// of ours has and that ends with it: nobody else sees the mount, and none stays behind. One file is written and
// read back past the page cache, compared, and removed, with those that proofs which were ended by force left
// there; the client's own counters tell whether it went over RDMA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/probe/prover.h"
#include "api/model/transfer.h"

namespace rdmaready {

// False where it was not mounted. Tells what the mount goes by, and the bytes that the client counted as moved
// by RDMA between the mount and the end of the read; other mounts that share the transport count too, as far as
// they move meanwhile.
bool ProveNfs(const KernelProof& proof, Walk& walk);

// "vers=4.2,proto=rdma,port=20049,addr=...". A server that dies makes operations fail and not wait for ever.
std::string NfsMountOptions(const std::string& address, const std::string& local_address, std::uint16_t port,
                            const std::string& version);

// What one mount's transport counted, from /proc/PID/mountstats (kernels 4.4 to 7.0).
struct NfsTransport {
  std::string protocol{};                             // "rdma", "tcp"
  std::optional<std::uint64_t> rdma_request_bytes{};  // read by the server from this host's memory
  std::optional<std::uint64_t> rdma_reply_bytes{};    // written by it into this host's memory

  bool operator==(const NfsTransport&) const = default;
};
// Of the mount that covers all others at that point, which is listed last. nullopt when no NFS is
// mounted there.
std::optional<NfsTransport> ParseMountStats(std::string_view text, std::string_view mount_point);

// What was counted since `earlier`; a counter that either does not tell is not told.
NfsTransport Since(const NfsTransport& earlier, const NfsTransport& later);

// Whose failure it is that mount(2) fails with that errno: the server's words (kRejected), its silence
// (kUnreachable), this host's (kSetup); any other is kCompletion.
FailureKind KindOfMountFailure(int error_number);

}  // namespace rdmaready
