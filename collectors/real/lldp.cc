// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/lldp.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <span>
#include <utility>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/real/wait.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostFrameBytes = 9216;
constexpr int kMostFramesAtOnce = 64;  // frames read of one netdev before the others have their turn

// Nearest bridge, nearest non-TPMR bridge, nearest customer bridge: 802.1AB table 7-1.
constexpr std::array<std::array<unsigned char, ETH_ALEN>, 3> kGroups{{
    {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e},
    {0x01, 0x80, 0xc2, 0x00, 0x00, 0x03},
    {0x01, 0x80, 0xc2, 0x00, 0x00, 0x00},
}};

absl::Status AttachFilter(int socket) {
  // The EtherType behind the two addresses; accept the whole frame or nothing.
  std::array<sock_filter, 4> code{{
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_LLDP, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, std::numeric_limits<std::uint32_t>::max()),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0)
    return absl::OkStatus();
  return ErrnoStatus(errno, "filter for LLDP");
}

absl::Status Bind(int socket, int ifindex, const std::string& netdev) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = ifindex;
  // A socket bound to LLDP's own EtherType is not shown what this host sends (dev_queue_xmit_nit in
  // net/core/dev.c asks ptype_all only), nor what a bridge or an Open vSwitch on the netdev takes first.
  address.sll_protocol = htons(ETH_P_ALL);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return ErrnoStatus(errno, "listen for LLDP on " + netdev);
  for (const auto& group : kGroups) {
    packet_mreq membership{};
    membership.mr_ifindex = ifindex;
    membership.mr_type = PACKET_MR_MULTICAST;
    membership.mr_alen = ETH_ALEN;
    std::ranges::copy(group, membership.mr_address);
    if (::setsockopt(socket, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof membership) != 0)
      return ErrnoStatus(errno, "join the LLDP groups on " + netdev);
  }
  return absl::OkStatus();
}

// As if_nametoindex(3), whose header cannot be used beside the kernel's own.
absl::StatusOr<int> IfindexOf(const std::string& netdev) {
  ifreq request{};
  if (netdev.size() >= sizeof request.ifr_name) return ErrnoStatus(ENODEV, "listen for LLDP on " + netdev);
  std::ranges::copy(netdev, request.ifr_name);
  const UniqueFd any(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!any || ::ioctl(any.get(), SIOCGIFINDEX, &request) != 0)
    return ErrnoStatus(errno, "listen for LLDP on " + netdev);
  return request.ifr_ifindex;
}

absl::StatusOr<UniqueFd> OpenOn(const std::string& netdev) {
  RR_ASSIGN_OR_RETURN(const int ifindex, IfindexOf(netdev));
  // Of protocol 0 it gets nothing until filter and netdev are set.
  UniqueFd socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return ErrnoStatus(errno, "listen for LLDP on " + netdev);
  RR_RETURN_IF_ERROR(AttachFilter(socket.get()));
  RR_RETURN_IF_ERROR(Bind(socket.get(), ifindex, netdev));
  return socket;
}

// One netdev: its socket, and what was heard so far.
class Ear {
 public:
  explicit Ear(const std::string& netdev) : netdev_(netdev), socket_(OpenOn(netdev)) {}

  bool listening() const { return socket_.ok(); }
  int fd() const { return socket_.ok() ? socket_->get() : -1; }

  // Takes what is waiting.
  void Drain(std::uint32_t now_ms) {
    for (int i = 0; i < kMostFramesAtOnce && listening(); ++i) {
      sockaddr_ll from{};
      socklen_t from_bytes = sizeof from;
      const ssize_t bytes =
          ::recvfrom(fd(), buffer_.data(), buffer_.size(), 0, reinterpret_cast<sockaddr*>(&from), &from_bytes);
      if (bytes >= 0) {
        Keep({buffer_.data(), static_cast<std::size_t>(bytes)}, from.sll_pkttype == PACKET_OUTGOING, now_ms);
      } else if (errno == EAGAIN || errno == EINTR) {
        return;
      } else if (errno != ENETDOWN) {  // that is told once, and frames come again when the link does
        socket_ = ErrnoStatus(errno, "listen for LLDP on " + netdev_);
      }
    }
  }

  absl::StatusOr<LldpFrames> Take(std::uint32_t listened_ms) {
    if (!socket_.ok()) return socket_.status();
    frames_.listened_ms = listened_ms;
    return std::move(frames_);
  }

 private:
  void Keep(std::span<const std::byte> bytes, bool sent_here, std::uint32_t now_ms) {
    for (LldpFrame& known : frames_.frames) {
      if (known.sent_here != sent_here || !std::ranges::equal(known.bytes, bytes)) continue;
      ++known.times;
      known.last_ms = now_ms;
      return;
    }
    if (frames_.frames.size() >= kMostLldpFrames) {
      ++frames_.left_out;
      return;
    }
    frames_.frames.push_back(
        {.sent_here = sent_here, .first_ms = now_ms, .last_ms = now_ms, .bytes = {bytes.begin(), bytes.end()}});
  }

  std::string netdev_;
  absl::StatusOr<UniqueFd> socket_;
  LldpFrames frames_{};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kMostFrameBytes);
};

}  // namespace

std::vector<absl::StatusOr<LldpFrames>> ListenOnNetdevs(const std::vector<std::string>& netdevs,
                                                        const LldpWait& wait) {
  std::vector<Ear> ears;
  ears.reserve(netdevs.size());
  for (const std::string& netdev : netdevs) ears.emplace_back(netdev);

  const TimedWait waiting(wait);
  std::vector<pollfd> polled(ears.size() + 1);
  polled.back() = {.fd = waiting.wake_fd(), .events = POLLIN, .revents = 0};
  while (std::ranges::any_of(ears, &Ear::listening)) {
    const int left_ms = waiting.left_ms();
    if (left_ms == 0) break;
    for (std::size_t i = 0; i < ears.size(); ++i)
      polled[i] = {.fd = ears[i].fd(), .events = POLLIN, .revents = 0};
    if (::poll(polled.data(), polled.size(), left_ms) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < ears.size(); ++i) {
      if (polled[i].revents != 0) ears[i].Drain(waiting.elapsed_ms());
    }
  }
  std::vector<absl::StatusOr<LldpFrames>> answers;
  answers.reserve(ears.size());
  for (Ear& ear : ears) answers.push_back(ear.Take(waiting.elapsed_ms()));
  return answers;
}

absl::StatusOr<LldpFrames> LldpQuestion::AskThisHost() const {
  return std::move(ListenOnNetdevs({netdev}, wait).front());
}

}  // namespace rdmaready
