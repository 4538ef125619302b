// SPDX-License-Identifier: Apache-2.0
// Owners of rdma-core's C objects, and the one way in which connection events are waited for.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "api/base/handle.h"

namespace rdmaready {

using CmChannel = Handle<rdma_event_channel, rdma_destroy_event_channel>;
using CmId = Handle<rdma_cm_id, rdma_destroy_id>;
using CmQueuePair = Handle<rdma_cm_id, rdma_destroy_qp>;  // the queue pair of an id; goes before the id
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

// A connection event, copied and acknowledged.
struct CmEvent {
  rdma_cm_event_type type = RDMA_CM_EVENT_ADDR_RESOLVED;
  int status = 0;                 // negative errno, or a reject reason
  rdma_cm_id* id = nullptr;       // of a connect request: new, to be owned by who takes the event
  std::size_t private_bytes = 0;  // of a request, an answer or a refusal; never more than the array
  std::array<std::uint8_t, 256> private_data{};
  // Of a request or an answer, from whoever's point of view the device's manager tells them.
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
};

// kSetup with errno's words when the file descriptor cannot be made non-blocking.
absl::Status MakeNonBlocking(int fd, const std::string& what);

// The next event of a non-blocking channel if there is one already; NotFound when there is none.
absl::StatusOr<CmEvent> TakeEvent(rdma_event_channel* channel);

// Waits for it; DeadlineExceeded after the deadline, or what `interrupted` said.
absl::StatusOr<CmEvent> NextEvent(rdma_event_channel* channel, const Patience& patience);

}  // namespace rdmaready
