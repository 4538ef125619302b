// SPDX-License-Identifier: Apache-2.0
// VerbsLink: work requests, completions and what ends them.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>

#include "agent/link/failure.h"
#include "agent/link/verbs_link.h"
#include "agent/link/verbs_text.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kIdMask = (std::uint64_t{1} << kIdBits) - 1;

constexpr int kTaken = 32;                            // completions at a time
constexpr std::size_t kPosted = 32;                   // requests in one call of the device
constexpr unsigned kLooksPerClock = 64;               // at the completion queue, when busy polling
constexpr std::chrono::milliseconds kEventLook{5};    // at the connection's events, when busy polling
constexpr unsigned kAcknowledgeAfter = 128;           // completion events; acknowledging takes a lock
constexpr std::chrono::milliseconds kCauseWait{200};  // for the event behind flushed work requests

Work WorkOf(const ibv_wc& completion) { return static_cast<Work>(completion.wr_id >> kIdBits); }

ibv_wr_opcode OpcodeOf(Work work) {
  switch (work) {
    case Work::kSend:
      return IBV_WR_SEND;
    case Work::kReceive:
    case Work::kBind:
      break;  // not a send-side request
    case Work::kWrite:
      return IBV_WR_RDMA_WRITE;
    case Work::kRead:
      return IBV_WR_RDMA_READ;
  }
  return IBV_WR_SEND;
}

timespec Until(TimePoint deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::max(deadline - std::chrono::steady_clock::now(), TimePoint::duration::zero()));
  return {.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
}

}  // namespace

absl::StatusOr<ibv_sge> VerbsLink::Element(const Slice& slice) const {
  const ibv_mr* region = slice.memory.index < memory_.size() ? memory_[slice.memory.index].get() : nullptr;
  if (region == nullptr || slice.offset > region->length || slice.length > region->length - slice.offset) {
    return MakeFailure(FailureKind::kSetup, "post a work request: outside of registered memory");
  }
  return ibv_sge{.addr = reinterpret_cast<std::uintptr_t>(region->addr) + slice.offset,
                 .length = slice.length,
                 .lkey = region->lkey};
}

absl::Status VerbsLink::Post(std::span<const WorkRequest> requests) {
  for (; requests.size() > kPosted; requests = requests.subspan(kPosted)) {
    RR_RETURN_IF_ERROR(PostSome(requests.first(kPosted)));
  }
  return PostSome(requests);
}

// One call of the device for all: on a device behind a system call, that is what a request costs.
absl::Status VerbsLink::PostSome(std::span<const WorkRequest> requests) {
  std::array<ibv_send_wr, kPosted> chain;
  std::array<std::array<ibv_sge, 2>, kPosted> elements;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const WorkRequest& request = requests[i];
    const absl::StatusOr<ibv_sge> element = Element(request.local);
    if (!element.ok()) return element.status();
    elements[i][0] = *element;
    if (request.behind.length > 0) {
      const absl::StatusOr<ibv_sge> behind = Element(request.behind);
      if (!behind.ok()) return behind.status();
      elements[i][1] = *behind;
    }
    chain[i] = {};
    chain[i].wr_id = Tagged(request.work, request.id);
    chain[i].next = i + 1 < requests.size() ? &chain[i + 1] : nullptr;
    chain[i].sg_list = elements[i].data();
    chain[i].num_sge = request.behind.length > 0 ? 2 : 1;
    chain[i].opcode = OpcodeOf(request.work);
    chain[i].send_flags = request.signaled ? IBV_SEND_SIGNALED : 0;
    chain[i].wr.rdma.remote_addr = request.remote.address;
    chain[i].wr.rdma.rkey = request.remote.rkey;
    if (request.invalidate) {
      chain[i].opcode = IBV_WR_SEND_WITH_INV;
      chain[i].invalidate_rkey = *request.invalidate;
      chain[i].wr.rdma.rkey = *request.invalidate;  // where siw looks for it
    }
  }
  if (requests.empty()) return absl::OkStatus();
  ibv_send_wr* rejected = nullptr;
  const int error = ibv_post_send(queue_pair_.get(), chain.data(), &rejected);
  if (error == 0) return absl::OkStatus();
  const std::uint64_t id = rejected == nullptr ? chain[0].wr_id : rejected->wr_id;
  return ErrnoFailure(
      FailureKind::kCompletion, error,
      fmt::format("post {} (message {})", WorkName(static_cast<Work>(id >> kIdBits)), id & kIdMask));
}

absl::Status VerbsLink::PostReceive(std::uint64_t id, const Slice& to) {
  absl::StatusOr<ibv_sge> element = Element(to);
  if (!element.ok()) return element.status();
  ibv_recv_wr request{};
  request.wr_id = Tagged(Work::kReceive, id);
  request.sg_list = &*element;
  request.num_sge = 1;
  ibv_recv_wr* rejected = nullptr;
  const int error = ibv_post_recv(queue_pair_.get(), &request, &rejected);
  if (error == 0) return absl::OkStatus();
  return ErrnoFailure(FailureKind::kCompletion, error, fmt::format("post receive {}", id));
}

absl::StatusOr<std::size_t> VerbsLink::Wait(std::span<Completion> completions, TimePoint deadline) {
  if (!queue_pair_) return MakeFailure(FailureKind::kSetup, "wait for completions: not connected");
  return settings_.busy_poll ? WaitAwake(completions, deadline) : WaitAsleep(completions, deadline);
}

// Look, arm, look again, sleep: a completion between the first look and the arming raises no event.
absl::StatusOr<std::size_t> VerbsLink::WaitAsleep(std::span<Completion> completions, TimePoint deadline) {
  while (true) {
    absl::StatusOr<std::size_t> count = Take(completions);
    if (!count.ok() || *count > 0) return count;
    if (const int error = ibv_req_notify_cq(queue_.get(), 0); error != 0) {
      return ErrnoFailure(FailureKind::kCompletion, error, "arm the completion queue");
    }
    count = Take(completions);
    if (!count.ok() || *count > 0) return count;
    if (std::chrono::steady_clock::now() >= deadline) return 0;
    RR_RETURN_IF_ERROR(Sleep(deadline));
  }
}

// The clock and the connection's events cost more than a look at the queue, so they come less often.
absl::StatusOr<std::size_t> VerbsLink::WaitAwake(std::span<Completion> completions, TimePoint deadline) {
  while (true) {
    for (unsigned look = 0; look < kLooksPerClock; ++look) {
      const absl::StatusOr<std::size_t> count = Take(completions);
      if (!count.ok() || *count > 0) return count;
    }
    const TimePoint now = std::chrono::steady_clock::now();
    if (now >= next_event_look_) {
      next_event_look_ = now + kEventLook;
      RR_RETURN_IF_ERROR(LookAtEvents());
    }
    if (now >= deadline) return 0;
  }
}

// What came before a failure is handed out first; the failure is told by the next call.
absl::StatusOr<std::size_t> VerbsLink::Take(std::span<Completion> completions) {
  std::array<ibv_wc, kTaken> taken;
  std::size_t count = 0;
  while (count < completions.size()) {
    const int room = static_cast<int>(std::min<std::size_t>(taken.size(), completions.size() - count));
    if (!windows_.empty()) taken.fill({});  // devices leave alone what a completion does not have
    const int found = ibv_poll_cq(queue_.get(), room, taken.data());
    if (found < 0) return ErrnoFailure(FailureKind::kCompletion, -found, "poll the completion queue");
    for (const ibv_wc& completion : std::span(taken).first(static_cast<std::size_t>(found))) {
      if (completion.status != IBV_WC_SUCCESS) {
        if (broken_.ok()) broken_ = Broken(completion);
        continue;
      }
      const Work work = WorkOf(completion);
      completions[count++] = {.work = work,
                              .id = completion.wr_id & kIdMask,
                              .bytes = completion.byte_len,
                              .invalidated = work == Work::kReceive ? TakenAway(completion) : std::nullopt};
    }
    if (found < room) break;
  }
  if (count == 0 && !broken_.ok()) return broken_;
  return count;
}

// The first failed completion names the cause, unless it was only flushed: then the connection's events do.
absl::Status VerbsLink::Broken(const ibv_wc& completion) {
  if (completion.status == IBV_WC_WR_FLUSH_ERR) {
    const TimePoint until = std::chrono::steady_clock::now() + kCauseWait;
    while (broken_.ok() && std::chrono::steady_clock::now() < until) {
      pollfd events{.fd = channel_.fd(), .events = POLLIN, .revents = 0};
      const timespec left = Until(until);
      if (::ppoll(&events, 1, &left, nullptr) > 0) RR_RETURN_IF_ERROR(LookAtEvents());
    }
    if (!broken_.ok()) return broken_;
    return MakeFailure(FailureKind::kDisconnected,
                       fmt::format("{}: the connection was torn down (message {})",
                                   WorkName(WorkOf(completion)), completion.wr_id & kIdMask));
  }
  return MakeFailure(FailureKind::kCompletion,
                     fmt::format("{}: {} (message {})", WorkName(WorkOf(completion)),
                                 ibv_wc_status_str(completion.status), completion.wr_id & kIdMask));
}

absl::Status VerbsLink::Sleep(TimePoint deadline) {
  std::array<pollfd, 2> events{{{.fd = completion_channel_->fd, .events = POLLIN, .revents = 0},
                                {.fd = channel_.fd(), .events = POLLIN, .revents = 0}}};
  const timespec left = Until(deadline);
  if (::ppoll(events.data(), events.size(), &left, nullptr) < 0) {
    return errno == EINTR ? absl::OkStatus()
                          : ErrnoFailure(FailureKind::kCompletion, errno, "wait for completions");
  }
  if (events[0].revents != 0) {
    ibv_cq* queue = nullptr;
    void* context = nullptr;
    if (ibv_get_cq_event(completion_channel_.get(), &queue, &context) == 0 &&
        ++unacknowledged_ >= kAcknowledgeAfter) {
      ibv_ack_cq_events(queue_.get(), unacknowledged_);
      unacknowledged_ = 0;
    }
  }
  return events[1].revents != 0 ? LookAtEvents() : absl::OkStatus();
}

// Sets broken_ when the connection is over; what already completed is still handed out.
absl::Status VerbsLink::LookAtEvents() {
  while (true) {
    const absl::StatusOr<CmEvent> event = channel_.Take();
    if (absl::IsNotFound(event.status())) return absl::OkStatus();
    if (!event.ok()) return event.status();
    if (event->type == CmEventType::kConnectRequest) Reject(channel_.Own(*event));
    if (!broken_.ok()) continue;
    if (event->type == CmEventType::kDisconnected) {
      broken_ = MakeFailure(FailureKind::kDisconnected, "the peer closed the connection");
    } else if (event->type == CmEventType::kDeviceRemoval) {
      broken_ = MakeFailure(FailureKind::kDisconnected, "the RDMA device was removed");
    } else if (event->type == CmEventType::kAddressChange) {
      broken_ = MakeFailure(FailureKind::kDisconnected, "the local address moved to another device");
    }
  }
}

}  // namespace rdmaready
