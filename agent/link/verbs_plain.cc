// SPDX-License-Identifier: Apache-2.0
// VerbsLink: a plain verbs connection of RoCE v2. Resolving the peer's link address, which the kernel does
// within a move of the queue pair, takes up to a second (drivers/infiniband/core/addr.c,
// rdma_addr_find_l2_eth_by_grh).
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "agent/link/arena.h"
#include "agent/link/failure.h"
#include "agent/link/verbs_link.h"
#include "agent/link/verbs_text.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPlainLook{50};  // at what may interrupt
constexpr std::uint32_t kMost24Bits = 0xffffff;

// The place of a GID of RoCE v2 in the table of a port.
absl::StatusOr<std::uint8_t> IndexOf(const ibv_gid& gid, ibv_context* context, std::uint8_t port, int entries) {
  for (int i = 0; i < std::min(entries, 256); ++i) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(context, port, static_cast<std::uint32_t>(i), &entry, 0) != 0) continue;
    if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) continue;
    if (std::memcmp(entry.gid.raw, gid.raw, sizeof gid.raw) == 0) return static_cast<std::uint8_t>(i);
  }
  return MakeFailure(FailureKind::kSetup,
                     fmt::format("plain verbs connection: {} port {} has no GID {} of RoCE v2",
                                 ibv_get_device_name(context->device), port, GidText(gid)));
}

absl::StatusOr<std::uint32_t> RandomPsn() {
  std::uint32_t psn = 0;
  if (::getrandom(&psn, sizeof psn, 0) != sizeof psn)
    return ErrnoFailure(FailureKind::kSetup, errno, "draw a packet sequence number");
  return psn & kMost24Bits;
}

// Takes the same time wherever the first difference is.
bool Same(std::span<const std::byte> message, const Nonce& nonce) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < nonce.size(); ++i) difference |= std::to_integer<unsigned>(message[i]) ^ nonce[i];
  return difference == 0;
}

}  // namespace

// The connection manager only says which device has the address. Its id stays: it reports the device's removal.
absl::Status VerbsLink::OpenPlain(const std::string& local_address, const LinkSettings& settings) {
  RR_ASSIGN_OR_RETURN(const sockaddr_storage address, ParseAddress(local_address, 0));
  RR_RETURN_IF_ERROR(OpenChannel(listener_));
  settings_ = settings;
  const std::string bind = "find the RDMA device of the address " + local_address;
  int error = listener_.Bind(address);
  if (error == 0) error = listener_.Query(route_);
  if (error != 0) return ErrnoFailure(FailureKind::kSetup, error, bind);
  if (route_.node_guid == 0) return MakeFailure(FailureKind::kSetup, bind + ": not one device's");
  RR_RETURN_IF_ERROR(OpenContext(listener_));
  if (is_iwarp()) {
    return MakeFailure(FailureKind::kSetup,
                       "plain verbs connection: iWARP connects by its connection manager alone");
  }
  ibv_port_attr port{};
  if (ibv_query_port(context_.get(), route_.port_number, &port) != 0)
    return ErrnoFailure(FailureKind::kSetup, errno, "query the RDMA port of " + local_address);
  if (port.link_layer != IBV_LINK_LAYER_ETHERNET) {
    return MakeFailure(FailureKind::kSetup,
                       "plain verbs connection: InfiniBand's paths are its subnet manager's");
  }
  route_.local_gid = GidOf(address);
  RR_ASSIGN_OR_RETURN(gid_index_,
                      IndexOf(route_.local_gid, context_.get(), route_.port_number, port.gid_tbl_len));
  own_end_.path_mtu_bytes = 128U << static_cast<unsigned>(port.active_mtu);
  return CreatePlainQueuePair();
}

absl::Status VerbsLink::CreatePlainQueuePair() {
  RR_RETURN_IF_ERROR(CreateQueuePair());
  if (const int error = InitializePlain(queue_pair_.get(), route_.port_number); error != 0)
    return ErrnoFailure(FailureKind::kSetup, error, "initialize a queue pair");
  ibv_device_attr device{};
  if (ibv_query_device(context_.get(), &device) != 0) device.max_qp_rd_atom = 1;
  RR_ASSIGN_OR_RETURN(own_end_.psn, RandomPsn());
  own_end_.gid = GidText(route_.local_gid);
  own_end_.number = queue_pair_->qp_num;
  own_end_.reads = static_cast<std::uint32_t>(std::clamp(device.max_qp_rd_atom, 1, 255));
  return settings_.before_connected ? settings_.before_connected() : absl::OkStatus();
}

absl::Status VerbsLink::ConnectTo(const QueuePairEnd& peer) {
  RR_ASSIGN_OR_RETURN(route_.remote_gid, ParseGid(peer.gid));
  ibv_device_attr device{};
  if (ibv_query_device(context_.get(), &device) != 0) device.max_qp_init_rd_atom = 1;
  const auto at_most = [](std::uint32_t asked, int most) {
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(most, 1, std::min(asked, 255U)));
  };
  const PlainPath path{.port_number = route_.port_number,
                       .gid_index = gid_index_,
                       .traffic_class = settings_.tos.value_or(0),
                       .receiver_not_ready_retries = settings_.receiver_not_ready_retries,
                       .ack_timeout = settings_.ack_timeout,
                       .retries = settings_.retries,
                       .path_mtu_bytes = std::min(own_end_.path_mtu_bytes, peer.path_mtu_bytes),
                       .own_psn = own_end_.psn,
                       .depths = {.responder_resources = static_cast<std::uint8_t>(own_end_.reads),
                                  .initiator_depth = at_most(peer.reads, device.max_qp_init_rd_atom)}};
  const int error = MakeReadyPlain(queue_pair_.get(), path, peer, route_.remote_gid);
  if (error == 0) return absl::OkStatus();
  // The kernel found no way to the peer's link address.
  const bool unreachable =
      error == ETIMEDOUT || error == ENETUNREACH || error == EHOSTUNREACH || error == ENODATA;
  return ErrnoFailure(unreachable ? FailureKind::kUnreachable : FailureKind::kSetup, error,
                      fmt::format("connect a queue pair with {} of {}", peer.number, peer.gid));
}

absl::StatusOr<Endpoint> VerbsLink::ListenPlain(const std::string& local_address,
                                                const LinkSettings& settings) {
  RR_RETURN_IF_ERROR(OpenPlain(local_address, settings));
  place_ = local_address;
  return Endpoint{.address = local_address, .queue_pair = own_end_};
}

absl::Status VerbsLink::AcceptPlain(const Nonce& nonce, const Patience& patience) {
  if (!queue_pair_ || !settings_.introduction.await || !settings_.introduction.ready)
    return MakeFailure(FailureKind::kSetup, "accept: not listening");
  RR_ASSIGN_OR_RETURN(const QueuePairEnd peer, settings_.introduction.await());
  RR_RETURN_IF_ERROR(ConnectTo(peer));
  RR_RETURN_IF_ERROR(ReceiveNonce(nonce, patience));
  connected_ = true;
  return absl::OkStatus();
}

absl::Status VerbsLink::ConnectPlain(const Endpoint& endpoint, PrivateData nonce,
                                     const std::string& local_address, const LinkSettings& settings,
                                     const Patience& patience) {
  if (!settings.introduction.join || endpoint.queue_pair.number == 0)
    return MakeFailure(FailureKind::kSetup, "connect: the responder has no queue pair to connect with");
  RR_RETURN_IF_ERROR(OpenPlain(local_address, settings));
  place_ = endpoint.address;
  RR_RETURN_IF_ERROR(ConnectTo(endpoint.queue_pair));
  RR_RETURN_IF_ERROR(settings_.introduction.join(own_end_));
  RR_RETURN_IF_ERROR(SendNonce(nonce, patience));
  connected_ = true;
  return absl::OkStatus();
}

absl::StatusOr<Completion> VerbsLink::AwaitOne(const Patience& patience) {
  while (true) {
    if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
    const TimePoint now = std::chrono::steady_clock::now();
    if (now >= patience.deadline) {
      return MakeFailure(
          FailureKind::kUnreachable,
          fmt::format("plain verbs connection with {}: the first message did not come in time", place_));
    }
    std::array<Completion, 1> one;
    RR_ASSIGN_OR_RETURN(const std::size_t count, Wait(one, std::min(patience.deadline, now + kPlainLook)));
    if (count == 1) return one[0];
  }
}

absl::Status VerbsLink::ReceiveNonce(const Nonce& nonce, const Patience& patience) {
  RR_ASSIGN_OR_RETURN(const Arena arena, Arena::Make(nonce.size()));
  RR_ASSIGN_OR_RETURN(const MemoryId memory, Register(arena.bytes(), Access::kReceiveTarget));
  absl::Status status = PostReceive(0, {.memory = memory, .length = static_cast<std::uint32_t>(nonce.size())});
  if (status.ok()) status = settings_.introduction.ready();
  absl::StatusOr<Completion> came = status.ok() ? AwaitOne(patience) : status;
  // A message that comes later finds no memory, and ends the connection.
  const bool right = came.ok() && came->bytes == nonce.size() && Same(arena.bytes(), nonce);
  if (!right) static_cast<void>(Stop(queue_pair_.get()));
  Unregister(memory);
  RR_RETURN_IF_ERROR(came.status());
  if (right) return absl::OkStatus();
  return MakeFailure(FailureKind::kRejected,
                     fmt::format("accept on {}: the first message has not the nonce", place_));
}

absl::Status VerbsLink::SendNonce(PrivateData nonce, const Patience& patience) {
  RR_ASSIGN_OR_RETURN(const Arena arena, Arena::Make(std::max<std::size_t>(nonce.size(), 1)));
  std::memcpy(arena.bytes().data(), nonce.data(), nonce.size());
  RR_ASSIGN_OR_RETURN(const MemoryId memory, Register(arena.bytes(), Access::kSendSource));
  absl::Status status = PostSend(0, {.memory = memory, .length = static_cast<std::uint32_t>(nonce.size())});
  if (status.ok()) status = AwaitOne(patience).status();
  if (!status.ok()) static_cast<void>(Stop(queue_pair_.get()));
  Unregister(memory);
  return status;
}

}  // namespace rdmaready
