// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/kernel_door.h"

#include <linux/netlink.h>
#include <net/if.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstddef>
#include <random>

#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr timeval kRestWithin{5, 0};  // the answer is there when sending ends; this only bounds what goes wrong
constexpr std::size_t kMostDatagramBytes = 64 * 1024;

struct OpenDoor {
  UniqueFd socket{};
  std::uint32_t port_id = 0;
};

absl::StatusOr<OpenDoor> OpenOne(int protocol, std::string_view what) {
  OpenDoor open{.socket = UniqueFd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol))};
  if (!open.socket) return ErrnoStatus(errno, what);
  const int on = 1;
  // What the kernel has to say of an error, and not the request once more. Kernels before 4.12 have neither.
  static_cast<void>(::setsockopt(open.socket.get(), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on));
  static_cast<void>(::setsockopt(open.socket.get(), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  socklen_t bytes = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::setsockopt(open.socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kRestWithin, sizeof kRestWithin) != 0 ||
      ::bind(open.socket.get(), generic, sizeof address) != 0 ||
      ::getsockname(open.socket.get(), generic, &bytes) != 0) {
    return ErrnoStatus(errno, what);
  }
  open.port_id = address.nl_pid;
  return open;
}

absl::Status SendAll(int socket, const std::vector<std::byte>& datagram, std::string_view what) {
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  while (::sendto(socket, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&kernel),
                  sizeof kernel) < 0) {
    if (errno != EINTR) return ErrnoStatus(errno, what);
  }
  return absl::OkStatus();
}

absl::Status ReceiveAll(int socket, std::uint32_t sequence, NetlinkAnswer& answer, std::string_view what) {
  std::vector<std::byte> buffer(kMostDatagramBytes);
  while (!answer.done) {
    sockaddr_nl from{};
    iovec place{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    const ssize_t bytes = ::recvmsg(socket, &message, 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return ErrnoStatus(errno == EAGAIN ? ETIMEDOUT : errno, what);
    if (from.nl_pid != 0) continue;  // not from the kernel
    if ((message.msg_flags & MSG_TRUNC) != 0) answer.broken = true;
    AddDatagram({buffer.data(), static_cast<std::size_t>(bytes)}, sequence, answer);
  }
  return absl::OkStatus();
}

}  // namespace

std::uint32_t FirstSequence() {
  std::uint32_t drawn = 0;
  if (::getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) drawn = std::random_device()();
  return drawn;
}

absl::StatusOr<NetlinkAnswer> RealKernelDoor::Send(const NetlinkRequest& request, std::string_view what) {
  RR_ASSIGN_OR_RETURN(const OpenDoor open, OpenOne(request.protocol, what));
  if (next_sequence_ == 0) next_sequence_ = 1;  // 0 is the kernel's own
  const std::uint32_t sequence = next_sequence_++;
  RR_RETURN_IF_ERROR(will_write_({open.port_id, sequence}));
  RR_RETURN_IF_ERROR(SendAll(open.socket.get(), DatagramOf(request, sequence), what));
  NetlinkAnswer answer;
  RR_RETURN_IF_ERROR(ReceiveAll(open.socket.get(), sequence, answer, what));
  if (answer.broken) return absl::DataLossError(std::string(what) + ": an answer that makes no sense");
  return answer;
}

absl::StatusOr<std::uint32_t> RealKernelDoor::IndexOf(const std::string& netdev) {
  const std::uint32_t index = ::if_nametoindex(netdev.c_str());
  if (index == 0) return ErrnoStatus(errno, "look for " + netdev);
  return index;
}

absl::Status StatusOf(const NetlinkAnswer& answer, std::string_view what) {
  if (answer.error_number == 0) return absl::OkStatus();
  const absl::Status refused = ErrnoStatus(answer.error_number, what);
  if (answer.words.empty()) return refused;
  return {refused.code(), Message(refused) + " (" + answer.words + ")"};
}

absl::Status Order(KernelDoor& door, const NetlinkRequest& request, std::string_view what) {
  RR_ASSIGN_OR_RETURN(const NetlinkAnswer answer, door.Send(request, what));
  return StatusOf(answer, what);
}

absl::Status WithNetdev(KernelDoor& door, const std::string& netdev,
                        const std::function<absl::Status(std::uint32_t ifindex)>& write) {
  RR_ASSIGN_OR_RETURN(const std::uint32_t before, door.IndexOf(netdev));
  RR_RETURN_IF_ERROR(write(before));
  const absl::StatusOr<std::uint32_t> after = door.IndexOf(netdev);
  if (after.ok() && *after == before) return absl::OkStatus();
  return absl::AbortedError("write to " + netdev + ": it was renamed or removed meanwhile");
}

}  // namespace rdmaready
