// SPDX-License-Identifier: Apache-2.0
#include "agent/link/verbs_resources.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
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

// On iWARP the stream has to be drained, and the connection manager ends it.
int Stop(ibv_qp* queue_pair) {
  ibv_qp_attr attributes{};
  const bool iwarp = queue_pair->context->device->transport_type == IBV_TRANSPORT_IWARP;
  attributes.qp_state = iwarp ? IBV_QPS_SQD : IBV_QPS_ERR;
  return ibv_modify_qp(queue_pair, &attributes, IBV_QP_STATE);
}

}  // namespace rdmaready
