// SPDX-License-Identifier: Apache-2.0
// VerbsLink: listening, accepting, connecting, by RDMA-CM. Nothing here blocks beyond its deadline.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include "agent/link/failure.h"
#include "agent/link/verbs_link.h"
#include "agent/link/verbs_text.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr int kBacklog = 8;
// 4.096 us * 2^17 = 0.54 s, six retries: a dead path is a completion error after some 4 s, before the stall
// limit and the deadline of every case. The connection manager's own default is beyond them on most devices,
// and the soft device takes seven retries for "for ever".
constexpr std::uint8_t kAckTimeout = 17;
constexpr std::uint8_t kRetries = 6;

bool IsUnreachable(int error_number) {
  return error_number == ENETUNREACH || error_number == EHOSTUNREACH || error_number == ETIMEDOUT ||
         error_number == ENETDOWN || error_number == EHOSTDOWN;
}

FailureKind KindOf(int error_number) {
  if (error_number == ECONNREFUSED || error_number == ECONNRESET) return FailureKind::kRejected;
  return IsUnreachable(error_number) ? FailureKind::kUnreachable : FailureKind::kSetup;
}

// On iWARP the host's TCP refuses where nobody listens; who listens refuses with MPA, which may carry data.
Refusal RefusalOf(int reject_status, std::size_t private_bytes) {
  constexpr int kInvalidServiceId = 8;
  constexpr int kConsumerDefined = 28;
  if (reject_status == -ECONNREFUSED && private_bytes == 0) return Refusal::kNoListener;
  if (reject_status == -ECONNREFUSED || reject_status == -ECONNRESET) return Refusal::kConsumer;
  if (reject_status == kInvalidServiceId) return Refusal::kNoListener;
  return reject_status == kConsumerDefined ? Refusal::kConsumer : Refusal::kOther;
}

sockaddr* Generic(sockaddr_storage& storage) { return reinterpret_cast<sockaddr*>(&storage); }

// For the kernel: a little less than our own patience, so that its words for what happened come in time.
int ResolveTimeoutMs(TimePoint deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() * 3 / 4, 1, 60'000));
}

// RDMA-CM takes all that the device can for the greatest value, and refuses any other that the device cannot.
std::uint8_t AtMost(std::uint8_t asked, int device) {
  static_assert(RDMA_MAX_RESP_RES == 255 && RDMA_MAX_INIT_DEPTH == 255);
  return asked == 255 ? asked : static_cast<std::uint8_t>(std::clamp<int>(device, 0, asked));
}

// Takes the same time wherever the first difference is.
bool SameNonce(const CmEvent& event, const Nonce& nonce) {
  unsigned difference = event.private_bytes < nonce.size() ? 1u : 0u;
  for (std::size_t i = 0; i < nonce.size(); ++i)
    difference |= static_cast<unsigned>(event.private_data[i] ^ nonce[i]);
  return difference == 0;
}

// Windows of type 2, and sends that take them away.
bool CanInvalidate(ibv_context* context) {
  ibv_device_attr device{};
  if (ibv_query_device(context, &device) != 0 || device.max_mw == 0) return false;
  const unsigned flags = device.device_cap_flags;
  return (flags & IBV_DEVICE_MEM_MGT_EXTENSIONS) != 0 &&
         (flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)) != 0;
}

// An older kernel does not know the option; then its default holds.
void SetAckTimeout(rdma_cm_id* id) {
  std::uint8_t timeout = kAckTimeout;
  static_cast<void>(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof timeout));
}

}  // namespace

absl::Status VerbsLink::OpenChannel(CmId& id) {
  if (channel_) return MakeFailure(FailureKind::kSetup, "open a connection: this link was used already");
  channel_.reset(rdma_create_event_channel());
  if (!channel_) return ErrnoFailure(FailureKind::kSetup, errno, "open the RDMA connection manager");
  RR_RETURN_IF_ERROR(MakeNonBlocking(channel_->fd, "the connection events"));
  rdma_cm_id* raw = nullptr;
  if (rdma_create_id(channel_.get(), &raw, nullptr, RDMA_PS_TCP) != 0) {
    return ErrnoFailure(FailureKind::kSetup, errno, "create a connection id");
  }
  id.reset(raw);
  return absl::OkStatus();
}

absl::Status VerbsLink::CreateQueues(rdma_cm_id* id) {
  const std::string device = ibv_get_device_name(id->verbs->device);
  domain_.reset(ibv_alloc_pd(id->verbs));
  if (!domain_) return ErrnoFailure(FailureKind::kSetup, errno, "allocate a protection domain on " + device);
  completion_channel_.reset(ibv_create_comp_channel(id->verbs));
  if (!completion_channel_)
    return ErrnoFailure(FailureKind::kSetup, errno, "create a completion channel on " + device);
  RR_RETURN_IF_ERROR(MakeNonBlocking(completion_channel_->fd, "the completion channel"));
  can_invalidate_ = CanInvalidate(id->verbs);
  const int entries = static_cast<int>(settings_.sends + settings_.windows + settings_.receives);
  queue_.reset(ibv_create_cq(id->verbs, entries, nullptr, completion_channel_.get(), 0));
  if (!queue_) return ErrnoFailure(FailureKind::kSetup, errno, "create a completion queue on " + device);
  ibv_qp_init_attr attributes{};
  attributes.send_cq = queue_.get();
  attributes.recv_cq = queue_.get();
  attributes.cap.max_send_wr = settings_.sends + settings_.windows;
  attributes.cap.max_recv_wr = settings_.receives;
  attributes.cap.max_send_sge = settings_.gather;
  attributes.cap.max_recv_sge = 1;
  attributes.qp_type = IBV_QPT_RC;
  attributes.sq_sig_all = 0;
  if (rdma_create_qp(id, domain_.get(), &attributes) != 0) {
    return ErrnoFailure(FailureKind::kSetup, errno, "create a queue pair on " + device);
  }
  queue_pair_.reset(id);
  return settings_.before_connected ? settings_.before_connected() : absl::OkStatus();
}

rdma_conn_param VerbsLink::Parameters(const rdma_cm_id& id, PrivateData private_data) const {
  ibv_device_attr device{};
  if (ibv_query_device(id.verbs, &device) != 0) device.max_qp_rd_atom = device.max_qp_init_rd_atom = 1;
  rdma_conn_param parameters{};
  parameters.responder_resources = AtMost(settings_.responder_resources, device.max_qp_rd_atom);
  parameters.initiator_depth = AtMost(settings_.initiator_depth, device.max_qp_init_rd_atom);
  parameters.retry_count = kRetries;
  parameters.rnr_retry_count = settings_.receiver_not_ready_retries;  // 7 would be for ever
  parameters.private_data = private_data.empty() ? nullptr : private_data.data();
  parameters.private_data_len = static_cast<std::uint8_t>(private_data.size());
  return parameters;
}

// RoCE takes the mark when the route is resolved, and its responder answers with the mark of the request; what
// other transports do with it is theirs.
absl::Status VerbsLink::Mark(rdma_cm_id* id) const {
  if (!settings_.tos) return absl::OkStatus();
  std::uint8_t tos = *settings_.tos;
  if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof tos) == 0) return absl::OkStatus();
  return ErrnoFailure(FailureKind::kSetup, errno, fmt::format("set ToS {}", tos));
}

absl::StatusOr<Endpoint> VerbsLink::Listen(const std::string& local_address, const LinkSettings& settings) {
  absl::StatusOr<sockaddr_storage> address = ParseAddress(local_address, settings.listen_port);
  if (!address.ok()) return address.status();
  RR_RETURN_IF_ERROR(OpenChannel(listener_));
  settings_ = settings;
  if (rdma_bind_addr(listener_.get(), Generic(*address)) != 0) {
    return ErrnoFailure(FailureKind::kSetup, errno, "bind an RDMA device by the address " + local_address);
  }
  if (listener_->verbs == nullptr) {
    return MakeFailure(FailureKind::kSetup,
                       "bind an RDMA device by the address " + local_address + ": not one device's");
  }
  if (rdma_listen(listener_.get(), kBacklog) != 0) {
    return ErrnoFailure(FailureKind::kSetup, errno, "listen on " + local_address);
  }
  const Endpoint endpoint{.address = local_address, .port = ntohs(rdma_get_src_port(listener_.get()))};
  place_ = fmt::format("{} port {}", endpoint.address, endpoint.port);
  return endpoint;
}

absl::Status VerbsLink::NobodyCame() const {
  if (rejected_ == 0) {
    return MakeFailure(FailureKind::kUnreachable,
                       fmt::format("accept on {}: nobody connected in time", place_));
  }
  return MakeFailure(
      FailureKind::kRejected,
      fmt::format("accept on {}: {} connection {} without the right nonce rejected, the last from {}; "
                  "nobody else came",
                  place_, rejected_, rejected_ == 1 ? "request" : "requests", last_rejected_));
}

void VerbsLink::Reject(CmId request) {
  ++rejected_;
  last_rejected_ = AddressText(rdma_get_peer_addr(request.get()));
  static_cast<void>(rdma_reject(request.get(), nullptr, 0));
}

absl::Status VerbsLink::AcceptRequest(CmId request, PrivateData answer) {
  id_ = std::move(request);
  SetAckTimeout(id_.get());
  RR_RETURN_IF_ERROR(Mark(id_.get()));
  RR_RETURN_IF_ERROR(CreateQueues(id_.get()));
  rdma_conn_param parameters = Parameters(*id_, answer);
  if (rdma_accept(id_.get(), &parameters) == 0) return absl::OkStatus();
  return ErrnoFailure(FailureKind::kSetup, errno, "accept on " + place_);
}

absl::Status VerbsLink::Accept(const Nonce& nonce, const Patience& patience) {
  return AcceptIf(
      [&nonce](const CmEvent& event) -> absl::StatusOr<std::vector<std::uint8_t>> {
        if (!SameNonce(event, nonce)) return absl::PermissionDeniedError("not the nonce");
        return std::vector<std::uint8_t>();
      },
      patience);
}

absl::Status VerbsLink::AcceptAnyone(const Greeter& greet, const Patience& patience) {
  return AcceptIf(
      [this, &greet](const CmEvent& event) {
        Remember(event);
        return greet(handshake_);
      },
      patience);
}

absl::Status VerbsLink::AcceptIf(const Admission& admit, const Patience& patience) {
  if (!listener_) return MakeFailure(FailureKind::kSetup, "accept: not listening");
  while (true) {
    const absl::StatusOr<CmEvent> event = NextEvent(channel_.get(), patience);
    if (!event.ok()) {
      // An interruption by the caller has its own words, unless impostors explain why the right peer did not
      // get in.
      return absl::IsDeadlineExceeded(event.status()) || rejected_ > 0 ? NobodyCame() : event.status();
    }
    if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST) {
      CmId request(event->id);
      const absl::StatusOr<std::vector<std::uint8_t>> answer =
          id_ ? absl::ResourceExhaustedError("another came before") : admit(*event);
      if (!answer.ok()) {
        Reject(std::move(request));
        // A flood of requests must not outlast the deadline or the caller.
        if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
        if (std::chrono::steady_clock::now() >= patience.deadline) return NobodyCame();
      } else {
        RR_RETURN_IF_ERROR(AcceptRequest(std::move(request), *answer));
      }
    } else if (event->type == RDMA_CM_EVENT_ESTABLISHED) {
      listener_.reset();  // nobody else may come
      connected_ = true;
      return absl::OkStatus();
    } else if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
      return MakeFailure(FailureKind::kDisconnected,
                         fmt::format("accept on {}: the RDMA device was removed", place_));
    } else if (id_ && event->id == id_.get()) {
      return MakeFailure(FailureKind::kDisconnected,
                         fmt::format("accept on {}: {}: {}", place_, rdma_event_str(event->type),
                                     EventStatusText(event->status)));
    }
  }
}

void VerbsLink::Remember(const CmEvent& event) {
  handshake_.private_data.assign(event.private_data.begin(), event.private_data.begin() + event.private_bytes);
  handshake_.responder_resources = event.responder_resources;
  handshake_.initiator_depth = event.initiator_depth;
  // The managers of iWARP tell the answer as the peer sees it.
  if (event.type == RDMA_CM_EVENT_ESTABLISHED && is_iwarp()) {
    std::swap(handshake_.responder_resources, handshake_.initiator_depth);
  }
}

absl::Status VerbsLink::CmFailed(int error_number, const std::string& action, Refusal otherwise) {
  handshake_.refusal = otherwise;
  if (error_number == ENODEV) handshake_.refusal = Refusal::kNoDevice;
  if (error_number == ECONNREFUSED) handshake_.refusal = Refusal::kNoListener;
  if (error_number == ETIMEDOUT && otherwise != Refusal::kUnresolved) handshake_.refusal = Refusal::kNoAnswer;
  return ErrnoFailure(KindOf(error_number), error_number, action);
}

absl::Status VerbsLink::AwaitPathEvent(rdma_cm_event_type wanted, const std::string& action,
                                       const Patience& patience) {
  const Refusal otherwise = wanted == RDMA_CM_EVENT_ESTABLISHED ? Refusal::kNoAnswer : Refusal::kUnresolved;
  const absl::StatusOr<CmEvent> event = NextEvent(channel_.get(), patience);
  if (!event.ok()) {
    if (!absl::IsDeadlineExceeded(event.status())) return event.status();
    handshake_.refusal = otherwise;
    return MakeFailure(FailureKind::kUnreachable, action + ": no answer in time");
  }
  if (event->type == wanted) {
    if (wanted == RDMA_CM_EVENT_ESTABLISHED) Remember(*event);
    return absl::OkStatus();
  }
  if (event->type == RDMA_CM_EVENT_REJECTED) {
    Remember(*event);
    handshake_.refusal = RefusalOf(event->status, event->private_bytes);
    handshake_.reject_reason = std::max(event->status, 0);
    return MakeFailure(FailureKind::kRejected,
                       fmt::format("{}: rejected by the peer ({})", action, RejectText(event->status)));
  }
  const bool removed = event->type == RDMA_CM_EVENT_DEVICE_REMOVAL;
  handshake_.refusal = removed || event->status == -ENODEV ? Refusal::kNoDevice : otherwise;
  return MakeFailure(
      removed ? FailureKind::kSetup : FailureKind::kUnreachable,
      fmt::format("{}: {}", action, removed ? "the RDMA device was removed" : EventStatusText(event->status)));
}

absl::Status VerbsLink::ResolvePath(const Endpoint& endpoint, const std::string& local_address,
                                    const Patience& patience) {
  absl::StatusOr<sockaddr_storage> to = ParseAddress(endpoint.address, endpoint.port);
  if (!to.ok()) return to.status();
  sockaddr_storage from{};
  if (!local_address.empty()) {
    const absl::StatusOr<sockaddr_storage> parsed = ParseAddress(local_address, 0);
    if (!parsed.ok()) return parsed.status();
    from = *parsed;
  }
  const std::string resolve = "resolve the address " + endpoint.address;
  if (rdma_resolve_addr(id_.get(), local_address.empty() ? nullptr : Generic(from), Generic(*to),
                        ResolveTimeoutMs(patience.deadline)) != 0) {
    return CmFailed(errno, local_address.empty() ? resolve : resolve + " from " + local_address,
                    Refusal::kUnresolved);
  }
  RR_RETURN_IF_ERROR(AwaitPathEvent(RDMA_CM_EVENT_ADDR_RESOLVED, resolve, patience));
  SetAckTimeout(id_.get());
  const std::string route = "resolve the route to " + endpoint.address;
  if (rdma_resolve_route(id_.get(), ResolveTimeoutMs(patience.deadline)) != 0) {
    return CmFailed(errno, route, Refusal::kUnresolved);
  }
  return AwaitPathEvent(RDMA_CM_EVENT_ROUTE_RESOLVED, route, patience);
}

absl::Status VerbsLink::Connect(const Endpoint& endpoint, PrivateData private_data,
                                const std::string& local_address, const LinkSettings& settings,
                                const Patience& patience) {
  RR_RETURN_IF_ERROR(OpenChannel(id_));
  settings_ = settings;
  RR_RETURN_IF_ERROR(Mark(id_.get()));
  place_ = fmt::format("{} port {}", endpoint.address, endpoint.port);
  RR_RETURN_IF_ERROR(ResolvePath(endpoint, local_address, patience));
  RR_RETURN_IF_ERROR(CreateQueues(id_.get()));
  rdma_conn_param parameters = Parameters(*id_, private_data);
  const std::string action = "connect to " + place_;
  if (rdma_connect(id_.get(), &parameters) != 0) return CmFailed(errno, action, Refusal::kOther);
  RR_RETURN_IF_ERROR(AwaitPathEvent(RDMA_CM_EVENT_ESTABLISHED, action, patience));
  connected_ = true;
  return absl::OkStatus();
}

}  // namespace rdmaready
