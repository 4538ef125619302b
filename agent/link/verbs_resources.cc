// SPDX-License-Identifier: Apache-2.0
#include "agent/link/verbs_resources.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{50};  // at what may interrupt

// What the connection asks for on the way to `state`.
int Move(ibv_qp* queue_pair, const CmId& id, ibv_qp_state state, const ReadDepths* depths) {
  ibv_qp_attr attributes{};
  int mask = 0;
  if (const int error = id.QueuePairAttributes(state, attributes, mask); error != 0) return error;
  if (depths != nullptr) {
    attributes.max_dest_rd_atomic = depths->responder_resources;
    attributes.max_rd_atomic = depths->initiator_depth;
  }
  return ibv_modify_qp(queue_pair, &attributes, mask);
}

}  // namespace

absl::Status MakeNonBlocking(int fd, const std::string& what) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0) return absl::OkStatus();
  return ErrnoFailure(FailureKind::kSetup, errno, "make " + what + " non-blocking");
}

absl::StatusOr<CmEvent> NextEvent(const CmChannel& channel, const Patience& patience) {
  while (true) {
    absl::StatusOr<CmEvent> event = channel.Take();
    if (event.ok() || !absl::IsNotFound(event.status())) return event;
    if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
    const TimePoint now = std::chrono::steady_clock::now();
    if (now >= patience.deadline) return absl::DeadlineExceededError("no connection event in time");
    const auto left = std::chrono::ceil<milliseconds>(patience.deadline - now);
    pollfd waiting{.fd = channel.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(std::min(left, kLook).count())) < 0 && errno != EINTR) {
      return ErrnoFailure(FailureKind::kSetup, errno, "wait for a connection event");
    }
  }
}

int Initialize(ibv_qp* queue_pair, const CmId& id) { return Move(queue_pair, id, IBV_QPS_INIT, nullptr); }

// From the start once more: of a request, the port and the key are known for sure only now.
int MakeReady(ibv_qp* queue_pair, const CmId& id, const ReadDepths* depths) {
  for (const ibv_qp_state state : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS}) {
    if (const int error = Move(queue_pair, id, state, depths); error != 0) return error;
  }
  return 0;
}

int InitializePlain(ibv_qp* queue_pair, std::uint8_t port_number) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = port_number;
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  return ibv_modify_qp(queue_pair, &attributes,
                       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int MakeReadyPlain(ibv_qp* queue_pair, const PlainPath& path, const QueuePairEnd& peer,
                   const ibv_gid& peer_gid) {
  constexpr std::uint8_t kHopLimit = 64;
  constexpr std::uint8_t kReceiverNotReadyTimer = 12;  // 0.64 ms
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = static_cast<ibv_mtu>(std::bit_width(path.path_mtu_bytes) - 8);
  attributes.dest_qp_num = peer.number;
  attributes.rq_psn = peer.psn;
  attributes.max_dest_rd_atomic = path.depths.responder_resources;
  attributes.min_rnr_timer = kReceiverNotReadyTimer;
  attributes.ah_attr.is_global = 1;
  attributes.ah_attr.port_num = path.port_number;
  attributes.ah_attr.grh = {.dgid = peer_gid,
                            .flow_label = 0,
                            .sgid_index = path.gid_index,
                            .hop_limit = kHopLimit,
                            .traffic_class = path.traffic_class};
  const int error = ibv_modify_qp(queue_pair, &attributes,
                                  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (error != 0) return error;
  attributes = {};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.timeout = path.ack_timeout;
  attributes.retry_cnt = path.retries;
  attributes.rnr_retry = path.receiver_not_ready_retries;
  attributes.sq_psn = path.own_psn;
  attributes.max_rd_atomic = path.depths.initiator_depth;
  return ibv_modify_qp(queue_pair, &attributes,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                           IBV_QP_MAX_QP_RD_ATOMIC);
}

// On iWARP the stream has to be drained, and the connection manager ends it.
int Stop(ibv_qp* queue_pair) {
  ibv_qp_attr attributes{};
  const bool iwarp = queue_pair->context->device->transport_type == IBV_TRANSPORT_IWARP;
  attributes.qp_state = iwarp ? IBV_QPS_SQD : IBV_QPS_ERR;
  return ibv_modify_qp(queue_pair, &attributes, IBV_QP_STATE);
}

}  // namespace rdmaready
