// SPDX-License-Identifier: Apache-2.0
// TcpLink: work requests, completions and what ends them.
#include "agent/tcp/tcp_link.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/status.h"
#include "api/model/transfer.h"

namespace rdmaready {
namespace {

constexpr std::size_t kPartsAtOnce = 64;  // handed to the kernel in one call
constexpr int kReadsAtOnce = 16;          // before the deadline is looked at again
constexpr int kLittleUnsent = 64 << 10;   // may leave the host after the end

timespec TimeUntil(TimePoint deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::max(deadline - std::chrono::steady_clock::now(), TimePoint::duration::zero()));
  return {.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
}

std::optional<std::uint32_t> SegmentBytesOf(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  return info.tcpi_snd_mss;
}

std::optional<std::uint8_t> TrafficClassOf(int socket, int family) {
  int tos = 0;
  socklen_t size = sizeof tos;
  const bool v6 = family == AF_INET6;
  if (::getsockopt(socket, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_TCLASS : IP_TOS, &tos, &size) != 0)
    return std::nullopt;
  return static_cast<std::uint8_t>(tos);
}

}  // namespace

absl::StatusOr<MemoryId> TcpLink::Register(std::span<std::byte> memory, Access access) {
  return exchange_.Register(memory, access);
}

absl::StatusOr<WindowId> TcpLink::MakeWindow(MemoryId) {
  return MakeFailure(FailureKind::kSetup, "make a memory window: not over TCP");
}

absl::StatusOr<RemoteMemory> TcpLink::Bind(WindowId, std::uint64_t, std::uint32_t) {
  return MakeFailure(FailureKind::kSetup, "bind a memory window: not over TCP");
}

absl::Status TcpLink::PostReceive(std::uint64_t id, const Slice& to) { return exchange_.PostReceive(id, to); }

absl::Status TcpLink::Post(std::span<const WorkRequest> requests) {
  RR_RETURN_IF_ERROR(exchange_.Post(requests));
  if (!full_) Flush();
  return absl::OkStatus();
}

// A failed write is remembered: why the peer hung up may still be to be read.
void TcpLink::Flush() {
  while (socket_ && send_error_ == 0 && exchange_.has_output()) {
    std::array<Octets, kPartsAtOnce> parts;
    std::array<iovec, kPartsAtOnce> vectors;
    const std::size_t count = exchange_.Gather(parts);
    for (std::size_t i = 0; i < count; ++i)
      vectors[i] = {const_cast<std::byte*>(parts[i].data()), parts[i].size()};
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      exchange_.Sent(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      full_ = true;
      return;
    } else if (errno != EINTR) {
      send_error_ = errno;
    }
  }
}

void TcpLink::Hung(int error, const char* action) {
  hung_up_ = error == 0 ? MakeFailure(FailureKind::kDisconnected, "the peer closed the connection")
                        : ErrnoFailure(FailureKind::kDisconnected, error, action);
}

// The payload goes where it belongs at once; what follows is staged, so that small frames cost one call.
bool TcpLink::Read() {
  const std::span<std::byte> wanted = exchange_.Wanted();
  std::array<iovec, 2> vectors{{{wanted.data(), wanted.size()}, {staged_.data(), staged_.size()}}};
  msghdr message{};
  message.msg_iov = wanted.empty() ? &vectors[1] : &vectors[0];
  message.msg_iovlen = wanted.empty() ? 1 : 2;
  const ssize_t came = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT);
  if (came < 0) {
    if (errno != EAGAIN && errno != EINTR) Hung(errno, "receive");
    return false;
  }
  if (came == 0) {
    Hung(0, "");
    return false;
  }
  const std::size_t placed = std::min(static_cast<std::size_t>(came), wanted.size());
  if (placed > 0) exchange_.Placed(placed);
  staged_begin_ = 0;
  staged_end_ = static_cast<std::size_t>(came) - placed;
  return true;
}

bool TcpLink::Pump() {
  full_ = false;
  Flush();
  bool moved = false;
  for (int i = 0; i < kReadsAtOnce && hung_up_.ok(); ++i) {
    staged_begin_ += exchange_.Take(Octets(staged_).subspan(staged_begin_, staged_end_ - staged_begin_));
    if (staged_begin_ < staged_end_ || exchange_.stalled() || !exchange_.broken().ok()) break;
    if (!Read()) break;
    moved = true;
  }
  if (hung_up_.ok() && !moved && send_error_ != 0) Hung(send_error_, "send");
  if (exchange_.urgent() && !full_) Flush();
  return moved;
}

// Completions first: the call that finds no more of them returns what ended the connection.
absl::StatusOr<std::size_t> TcpLink::Wait(std::span<Completion> completions, TimePoint deadline) {
  if (!connected_ && hung_up_.ok())
    return MakeFailure(FailureKind::kSetup, "wait for completions: not connected");
  while (true) {
    if (const std::size_t count = exchange_.Completed(completions); count > 0) return count;
    const bool moved = connected_ && Pump();
    if (const std::size_t count = exchange_.Completed(completions); count > 0) return count;
    if (!exchange_.broken().ok()) return exchange_.broken();
    if (!hung_up_.ok()) return hung_up_;
    if (std::chrono::steady_clock::now() >= deadline) return 0;
    if (!moved && !settings_.busy_poll) RR_RETURN_IF_ERROR(Sleep(deadline));
  }
}

// Without a receive for what the peer sent, nothing is read; then only the end of the connection wakes it up.
absl::Status TcpLink::Sleep(TimePoint deadline) {
  pollfd waiting{.fd = socket_.get(), .events = 0, .revents = 0};
  if (!exchange_.stalled()) waiting.events |= POLLIN;
  if (exchange_.has_output() && send_error_ == 0) waiting.events |= POLLOUT;
  const timespec left = TimeUntil(deadline);
  if (::ppoll(&waiting, 1, &left, nullptr) < 0)
    return errno == EINTR ? absl::OkStatus()
                          : ErrnoFailure(FailureKind::kCompletion, errno, "wait for completions");
  if (exchange_.stalled() && (waiting.revents & (POLLERR | POLLHUP)) != 0) Hung(0, "");
  return absl::OkStatus();
}

void TcpLink::Disconnect() {
  if (!connected_) return;
  described_ = Describe();
  connected_ = false;
  if (hung_up_.ok()) hung_up_ = MakeFailure(FailureKind::kDisconnected, "this end closed the connection");
  Flush();
  int unsent = 0;
  const bool orderly =
      !exchange_.has_output() && ::ioctl(socket_.get(), SIOCOUTQ, &unsent) == 0 && unsent <= kLittleUnsent;
  const linger none{.l_onoff = 0, .l_linger = 0};
  if (orderly) static_cast<void>(::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none));
  socket_ = UniqueFd();
}

LinkFacts TcpLink::Describe() const {
  if (!connected_) return described_;
  return {.transport = std::string(kTcpTransport),
          .marking = {.traffic_class = TrafficClassOf(socket_.get(), family_)},
          .path_mtu_bytes = SegmentBytesOf(socket_.get())};
}

}  // namespace rdmaready
