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

// For the kernel: a little less than our own patience, so that its words for what happened come in time.
int ResolveTimeoutMs(TimePoint deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() * 3 / 4, 1, 60'000));
}

std::uint8_t AtMost(std::uint8_t asked, int device) {
  return static_cast<std::uint8_t>(std::clamp<int>(device, 0, asked));
}

// Who answers may name less than was asked for; all that the device can would be more than the peer has.
constexpr std::uint8_t kAll = 255;

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
void SetAckTimeout(CmId& id, const LinkSettings& settings) {
  static_cast<void>(id.SetAckTimeout(settings.ack_timeout));
}

}  // namespace

absl::Status VerbsLink::OpenChannel(CmId& id) {
  if (channel_) return MakeFailure(FailureKind::kSetup, "open a connection: this link was used already");
  if (const int error = channel_.Open(); error != 0) {
    return ErrnoFailure(FailureKind::kSetup, error, "open the RDMA connection manager");
  }
  if (const int error = channel_.CreateId(id); error != 0) {
    return ErrnoFailure(FailureKind::kSetup, error, "create a connection id");
  }
  return absl::OkStatus();
}

// The device that the id is bound to by now.
absl::Status VerbsLink::OpenContext(const CmId& id) {
  if (const int error = id.Query(route_); error != 0) {
    return ErrnoFailure(FailureKind::kSetup, error, "ask for the RDMA device of a connection");
  }
  if (!context_) context_ = OpenDevice(route_);
  return context_ ? absl::OkStatus() : ErrnoFailure(FailureKind::kSetup, errno, "open the RDMA device");
}

absl::Status VerbsLink::CreateQueues() {
  RR_RETURN_IF_ERROR(CreateQueuePair());
  if (const int error = Initialize(queue_pair_.get(), id_); error != 0) {
    return ErrnoFailure(FailureKind::kSetup, error,
                        std::string("initialize a queue pair on ") + ibv_get_device_name(context_->device));
  }
  return settings_.before_connected ? settings_.before_connected() : absl::OkStatus();
}

absl::Status VerbsLink::CreateQueuePair() {
  const std::string device = ibv_get_device_name(context_->device);
  domain_.reset(ibv_alloc_pd(context_.get()));
  if (!domain_) return ErrnoFailure(FailureKind::kSetup, errno, "allocate a protection domain on " + device);
  completion_channel_.reset(ibv_create_comp_channel(context_.get()));
  if (!completion_channel_)
    return ErrnoFailure(FailureKind::kSetup, errno, "create a completion channel on " + device);
  RR_RETURN_IF_ERROR(MakeNonBlocking(completion_channel_->fd, "the completion channel"));
  can_invalidate_ = CanInvalidate(context_.get());
  const int entries = static_cast<int>(settings_.sends + settings_.windows + settings_.receives);
  queue_.reset(ibv_create_cq(context_.get(), entries, nullptr, completion_channel_.get(), 0));
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
  queue_pair_.reset(ibv_create_qp(domain_.get(), &attributes));
  return queue_pair_ ? absl::OkStatus()
                     : ErrnoFailure(FailureKind::kSetup, errno, "create a queue pair on " + device);
}

CmParameters VerbsLink::Parameters(PrivateData private_data, const CmEvent* request) const {
  ibv_device_attr device{};
  if (ibv_query_device(context_.get(), &device) != 0) device.max_qp_rd_atom = device.max_qp_init_rd_atom = 1;
  std::uint8_t resources = settings_.responder_resources;
  std::uint8_t depth = settings_.initiator_depth;
  if (request != nullptr && resources == kAll) resources = request->responder_resources;
  if (request != nullptr && depth == kAll) depth = request->initiator_depth;
  return {.queue_pair = queue_pair_->qp_num,
          .responder_resources = AtMost(resources, device.max_qp_rd_atom),
          .initiator_depth = AtMost(depth, device.max_qp_init_rd_atom),
          .retries = settings_.retries,
          .receiver_not_ready_retries = settings_.receiver_not_ready_retries,  // 7 would be for ever
          .private_data = private_data};
}

// RoCE takes the mark when the route is resolved, and its responder answers with the mark of the request; what
// other transports do with it is theirs.
absl::Status VerbsLink::Mark(CmId& id) const {
  if (!settings_.tos) return absl::OkStatus();
  const int error = id.SetTos(*settings_.tos);
  return error == 0 ? absl::OkStatus()
                    : ErrnoFailure(FailureKind::kSetup, error, fmt::format("set ToS {}", *settings_.tos));
}

absl::StatusOr<Endpoint> VerbsLink::Listen(const std::string& local_address, const LinkSettings& settings) {
  if (settings.connection == ConnectionKind::kVerbs) return ListenPlain(local_address, settings);
  RR_ASSIGN_OR_RETURN(sockaddr_storage address, ParseAddress(local_address, settings.listen_port));
  RR_RETURN_IF_ERROR(OpenChannel(listener_));
  settings_ = settings;
  const std::string bind = "bind an RDMA device by the address " + local_address;
  int error = listener_.Bind(address);
  if (error == 0) error = listener_.Query(route_);
  if (error != 0) return ErrnoFailure(FailureKind::kSetup, error, bind);
  if (route_.node_guid == 0) return MakeFailure(FailureKind::kSetup, bind + ": not one device's");
  error = listener_.Listen(kBacklog);
  if (error != 0) return ErrnoFailure(FailureKind::kSetup, error, "listen on " + local_address);
  RR_RETURN_IF_ERROR(OpenContext(listener_));  // and the port, which may have been chosen just now
  const Endpoint endpoint{.address = local_address, .port = ntohs(route_.local.sin6_port)};
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
  CmRoute from;
  if (request.Query(from) == 0) last_rejected_ = AddressText(reinterpret_cast<const sockaddr*>(&from.remote));
  static_cast<void>(request.Reject());
}

absl::Status VerbsLink::AcceptRequest(const CmEvent& request, CmId id, PrivateData answer) {
  id_ = std::move(id);
  SetAckTimeout(id_, settings_);
  RR_RETURN_IF_ERROR(Mark(id_));
  RR_RETURN_IF_ERROR(OpenContext(id_));
  RR_RETURN_IF_ERROR(CreateQueues());
  const CmParameters parameters = Parameters(answer, &request);
  const ReadDepths depths{.responder_resources = parameters.responder_resources,
                          .initiator_depth = parameters.initiator_depth};
  int error = MakeReady(queue_pair_.get(), id_, &depths);
  if (error == 0) error = id_.Accept(parameters);
  return error == 0 ? absl::OkStatus() : ErrnoFailure(FailureKind::kSetup, error, "accept on " + place_);
}

absl::Status VerbsLink::Accept(const Nonce& nonce, const Patience& patience) {
  if (is_plain()) return AcceptPlain(nonce, patience);
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
  if (!listener_ || is_plain()) return MakeFailure(FailureKind::kSetup, "accept: not listening");
  while (true) {
    const absl::StatusOr<CmEvent> event = NextEvent(channel_, patience);
    if (!event.ok()) {
      // An interruption by the caller has its own words, unless impostors explain why the right peer did not
      // get in.
      return absl::IsDeadlineExceeded(event.status()) || rejected_ > 0 ? NobodyCame() : event.status();
    }
    if (event->type == CmEventType::kConnectRequest) {
      CmId request = channel_.Own(*event);
      const absl::StatusOr<std::vector<std::uint8_t>> answer =
          id_ ? absl::ResourceExhaustedError("another came before") : admit(*event);
      if (!answer.ok()) {
        Reject(std::move(request));
        // A flood of requests must not outlast the deadline or the caller.
        if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
        if (std::chrono::steady_clock::now() >= patience.deadline) return NobodyCame();
      } else {
        RR_RETURN_IF_ERROR(AcceptRequest(*event, std::move(request), *answer));
      }
    } else if (event->type == CmEventType::kEstablished) {
      listener_.reset();  // nobody else may come
      connected_ = true;
      return absl::OkStatus();
    } else if (event->type == CmEventType::kDeviceRemoval) {
      return MakeFailure(FailureKind::kDisconnected,
                         fmt::format("accept on {}: the RDMA device was removed", place_));
    } else if (id_ && event->id == id_.handle()) {
      return MakeFailure(FailureKind::kDisconnected,
                         fmt::format("accept on {}: {}: {}", place_, CmEventText(event->type),
                                     EventStatusText(event->status)));
    }
  }
}

void VerbsLink::Remember(const CmEvent& event) {
  handshake_.private_data.assign(event.private_data.begin(), event.private_data.begin() + event.private_bytes);
  handshake_.responder_resources = event.responder_resources;
  handshake_.initiator_depth = event.initiator_depth;
  // The managers of iWARP tell the answer as the peer sees it.
  if (event.type == CmEventType::kEstablished && is_iwarp()) {
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

// The peer accepted: this end makes its queue pair ready and says so.
absl::Status VerbsLink::Establish(const CmEvent& answer, const std::string& action) {
  Remember(answer);
  int error = MakeReady(queue_pair_.get(), id_, nullptr);
  if (error == 0) error = id_.Accept();
  return error == 0 ? absl::OkStatus() : ErrnoFailure(FailureKind::kSetup, error, action);
}

absl::Status VerbsLink::AwaitPathEvent(CmEventType wanted, const std::string& action,
                                       const Patience& patience) {
  const Refusal otherwise = wanted == CmEventType::kEstablished ? Refusal::kNoAnswer : Refusal::kUnresolved;
  const absl::StatusOr<CmEvent> event = NextEvent(channel_, patience);
  if (!event.ok()) {
    if (!absl::IsDeadlineExceeded(event.status())) return event.status();
    handshake_.refusal = otherwise;
    return MakeFailure(FailureKind::kUnreachable, action + ": no answer in time");
  }
  if (event->type == wanted) {
    if (wanted == CmEventType::kEstablished) Remember(*event);
    return absl::OkStatus();
  }
  if (event->type == CmEventType::kConnectResponse && wanted == CmEventType::kEstablished) {
    return Establish(*event, action);
  }
  if (event->type == CmEventType::kRejected) {
    Remember(*event);
    handshake_.refusal = RefusalOf(event->status, event->private_bytes);
    handshake_.reject_reason = std::max(event->status, 0);
    return MakeFailure(FailureKind::kRejected,
                       fmt::format("{}: rejected by the peer ({})", action, RejectText(event->status)));
  }
  const bool removed = event->type == CmEventType::kDeviceRemoval;
  handshake_.refusal = removed || event->status == -ENODEV ? Refusal::kNoDevice : otherwise;
  return MakeFailure(
      removed ? FailureKind::kSetup : FailureKind::kUnreachable,
      fmt::format("{}: {}", action, removed ? "the RDMA device was removed" : EventStatusText(event->status)));
}

absl::Status VerbsLink::ResolvePath(const Endpoint& endpoint, const std::string& local_address,
                                    const Patience& patience) {
  RR_ASSIGN_OR_RETURN(sockaddr_storage to, ParseAddress(endpoint.address, endpoint.port));
  sockaddr_storage from{};
  if (!local_address.empty()) {
    RR_ASSIGN_OR_RETURN(from, ParseAddress(local_address, 0));
  }
  const std::string resolve = "resolve the address " + endpoint.address;
  const int unresolved =
      id_.ResolveAddress(local_address.empty() ? nullptr : &from, to, ResolveTimeoutMs(patience.deadline));
  if (unresolved != 0) {
    return CmFailed(unresolved, local_address.empty() ? resolve : resolve + " from " + local_address,
                    Refusal::kUnresolved);
  }
  RR_RETURN_IF_ERROR(AwaitPathEvent(CmEventType::kAddressResolved, resolve, patience));
  SetAckTimeout(id_, settings_);
  const std::string route = "resolve the route to " + endpoint.address;
  if (const int error = id_.ResolveRoute(ResolveTimeoutMs(patience.deadline)); error != 0) {
    return CmFailed(error, route, Refusal::kUnresolved);
  }
  return AwaitPathEvent(CmEventType::kRouteResolved, route, patience);
}

absl::Status VerbsLink::Connect(const Endpoint& endpoint, PrivateData private_data,
                                const std::string& local_address, const LinkSettings& settings,
                                const Patience& patience) {
  if (settings.connection == ConnectionKind::kVerbs) {
    return ConnectPlain(endpoint, private_data, local_address, settings, patience);
  }
  RR_RETURN_IF_ERROR(OpenChannel(id_));
  settings_ = settings;
  RR_RETURN_IF_ERROR(Mark(id_));
  place_ = fmt::format("{} port {}", endpoint.address, endpoint.port);
  RR_RETURN_IF_ERROR(ResolvePath(endpoint, local_address, patience));
  RR_RETURN_IF_ERROR(OpenContext(id_));
  const TimePoint began = std::chrono::steady_clock::now();
  RR_RETURN_IF_ERROR(CreateQueues());
  // The limit is about the network. Both ends prepare first: this one now, the peer before it answers.
  Patience longer = patience;
  longer.deadline += 2 * (std::chrono::steady_clock::now() - began);
  const std::string action = "connect to " + place_;
  if (const int error = id_.Connect(Parameters(private_data, nullptr)); error != 0) {
    return CmFailed(error, action, Refusal::kOther);
  }
  RR_RETURN_IF_ERROR(AwaitPathEvent(CmEventType::kEstablished, action, longer));
  connected_ = true;
  return absl::OkStatus();
}

}  // namespace rdmaready
