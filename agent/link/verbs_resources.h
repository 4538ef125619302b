// SPDX-License-Identifier: Apache-2.0
// Owners of the objects of verbs, the one way in which connection events are waited for, and the states of a
// queue pair.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/cm_channel.h"
#include "agent/link/link.h"
#include "api/base/handle.h"

namespace rdmaready {

using QueuePair = Handle<ibv_qp, ibv_destroy_qp>;  // goes before the id that connects it
using ProtectionDomain = Handle<ibv_pd, ibv_dealloc_pd>;
using CompletionChannel = Handle<ibv_comp_channel, ibv_destroy_comp_channel>;
using CompletionQueue = Handle<ibv_cq, ibv_destroy_cq>;
using MemoryRegion = Handle<ibv_mr, ibv_dereg_mr>;

inline int FreeWindow(ibv_mw* window) { return ibv_dealloc_mw(window); }  // that is static in its header
using MemoryWindow = Handle<ibv_mw, FreeWindow>;

// The operation of a failed completion is undefined in verbs, so it travels in the id.
inline constexpr unsigned kIdBits = 56;
inline std::uint64_t Tagged(Work work, std::uint64_t id) {
  return (std::uint64_t{static_cast<std::uint8_t>(work)} << kIdBits) |
         (id & ((std::uint64_t{1} << kIdBits) - 1));
}

// kSetup with errno's words when the file descriptor cannot be made non-blocking.
absl::Status MakeNonBlocking(int fd, const std::string& what);

// Waits for the next event; DeadlineExceeded after the deadline, or what `interrupted` said.
absl::StatusOr<CmEvent> NextEvent(const CmChannel& channel, const Patience& patience);

// RDMA reads at a time: the peer's here, and this end's there.
struct ReadDepths {
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
};

// These move a queue pair as the connection of `id` asks. 0 or an errno.
// To where receives may be posted.
int Initialize(ibv_qp* queue_pair, const CmId& id);
// From there to where it sends; null: with the depths that the connection manager agreed on.
int MakeReady(ibv_qp* queue_pair, const CmId& id, const ReadDepths* depths);
// The same of a plain verbs connection, which no connection manager knows. The GID of `peer` is valid.
struct PlainPath {
  std::uint8_t port_number = 0;
  std::uint8_t gid_index = 0;
  std::uint8_t traffic_class = 0;
  std::uint8_t receiver_not_ready_retries = 0;
  std::uint8_t ack_timeout = kAckTimeout;
  std::uint8_t retries = kRetries;
  std::uint32_t path_mtu_bytes = 0;  // 256 to 4096
  std::uint32_t own_psn = 0;
  ReadDepths depths{};
};
int InitializePlain(ibv_qp* queue_pair, std::uint8_t port_number);
int MakeReadyPlain(ibv_qp* queue_pair, const PlainPath& path, const QueuePairEnd& peer,
                   const ibv_gid& peer_gid);

// To where nothing more is sent and what is posted comes back.
int Stop(ibv_qp* queue_pair);

}  // namespace rdmaready
