// SPDX-License-Identifier: Apache-2.0
#include "agent/link/verbs_resources.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{50};  // at what may interrupt

bool TellsOfConnection(rdma_cm_event_type type) {
  return type == RDMA_CM_EVENT_CONNECT_REQUEST || type == RDMA_CM_EVENT_ESTABLISHED ||
         type == RDMA_CM_EVENT_REJECTED;
}

CmEvent Copy(const rdma_cm_event& from) {
  CmEvent event{.type = from.event, .status = from.status, .id = from.id};
  if (!TellsOfConnection(from.event)) return event;
  const rdma_conn_param& connection = from.param.conn;
  event.responder_resources = connection.responder_resources;
  event.initiator_depth = connection.initiator_depth;
  if (connection.private_data != nullptr) {
    event.private_bytes = std::min<std::size_t>(connection.private_data_len, event.private_data.size());
    std::memcpy(event.private_data.data(), connection.private_data, event.private_bytes);
  }
  return event;
}

}  // namespace

absl::Status MakeNonBlocking(int fd, const std::string& what) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0) return absl::OkStatus();
  return ErrnoFailure(FailureKind::kSetup, errno, "make " + what + " non-blocking");
}

absl::StatusOr<CmEvent> TakeEvent(rdma_event_channel* channel) {
  rdma_cm_event* raw = nullptr;
  if (rdma_get_cm_event(channel, &raw) != 0) {
    if (errno == EAGAIN || errno == EINTR) return absl::NotFoundError("no connection event");
    return ErrnoFailure(FailureKind::kSetup, errno, "get a connection event");
  }
  const CmEvent event = Copy(*raw);
  rdma_ack_cm_event(raw);
  return event;
}

absl::StatusOr<CmEvent> NextEvent(rdma_event_channel* channel, const Patience& patience) {
  while (true) {
    absl::StatusOr<CmEvent> event = TakeEvent(channel);
    if (event.ok() || !absl::IsNotFound(event.status())) return event;
    if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
    const TimePoint now = std::chrono::steady_clock::now();
    if (now >= patience.deadline) return absl::DeadlineExceededError("no connection event in time");
    const auto left = std::chrono::ceil<milliseconds>(patience.deadline - now);
    pollfd waiting{.fd = channel->fd, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(std::min(left, kLook).count())) < 0 && errno != EINTR) {
      return ErrnoFailure(FailureKind::kSetup, errno, "wait for a connection event");
    }
  }
}

}  // namespace rdmaready
