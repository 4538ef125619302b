// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/host_notices.h"

#include <linux/ethtool_netlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "api/base/status.h"
#include "collectors/net/generic_families.h"
#include "collectors/real/dcb_suspects.h"
#include "collectors/real/files.h"
#include "collectors/real/host.h"

namespace rdmaready {
namespace {

constexpr const char* kHear = "hear the kernel's notices";
constexpr int kNoticeBufferBytes = 1 << 20;          // asked for; the kernel gives what it allows
constexpr std::size_t kMostNoticeBytes = 64 * 1024;  // a link with its virtual functions is the longest
constexpr int kMostReadAtOnce = 256;                 // of one kind, before the others have their turn
constexpr std::uint32_t kRdmaNotifyGroup = 4;        // RDMA_NL_GROUP_NOTIFY, which older headers have not got

absl::StatusOr<UniqueFd> JoinGroups(int protocol, std::initializer_list<std::uint32_t> groups) {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (!socket) return ErrnoStatus(errno, kHear);
  // What does not fit is told as lost.
  static_cast<void>(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kNoticeBufferBytes, sizeof(int)));
  // For a port id: without one the groups' messages, which leave out the sender's id 0, leave us out.
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return ErrnoStatus(errno, kHear);
  for (const std::uint32_t group : groups) {
    if (::setsockopt(socket.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) != 0)
      return ErrnoStatus(errno, kHear);
  }
  return socket;
}

absl::Status Watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? absl::OkStatus() : ErrnoStatus(errno, kHear);
}

// Rounded up, so that nobody turns around in the last millisecond.
int LeftMs(Clock::TimePoint until, Clock& clock) {
  constexpr std::int64_t kLongestMs = 3'600'000;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock.Now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongestMs));
}

// The first version of struct sched_attr of linux/sched/types.h, which defines struct sched_param a second time
// beside glibc's <sched.h>.
struct SliceRequest {
  std::uint32_t size = sizeof(SliceRequest);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};
static_assert(sizeof(SliceRequest) == 48);  // SCHED_ATTR_SIZE_VER0

// Who wrote DCB is gone within a millisecond. From Linux 6.12 on any thread may ask for a short slice, and then
// goes before others when it is woken; where that is refused, the writer's name is not known more often.
void GoEarly() {
  const SliceRequest wanted{.nice = ::getpriority(PRIO_PROCESS, 0), .runtime_ns = 100'000};  // the shortest
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &wanted, 0));
}

// What a kernel may lack without anything being wrong.
bool MayLack(NoticeKind kind) { return kind == NoticeKind::kRdma || kind == NoticeKind::kEthtool; }

}  // namespace

absl::StatusOr<std::unique_ptr<HostNotices>> HostNotices::Open(std::vector<NoticeKind> kinds, Clock& clock) {
  std::unique_ptr<HostNotices> notices(new HostNotices(clock));
  notices->kinds_ = std::move(kinds);
  notices->buffer_.resize(kMostNoticeBytes);
  notices->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  notices->wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!notices->epoll_ || !notices->wake_) return ErrnoStatus(errno, kHear);
  RR_RETURN_IF_ERROR(Watch(notices->epoll_.get(), notices->wake_.get()));
  for (const NoticeKind kind : notices->kinds_) {
    const absl::Status listening = notices->Listen(kind);
    if (!listening.ok() && !MayLack(kind)) return listening;
  }
  return notices;
}

HostNotices::~HostNotices() = default;

absl::Status HostNotices::Listen(NoticeKind kind) {
  Ear ear{.kind = kind};
  absl::StatusOr<UniqueFd> socket = UniqueFd();
  switch (kind) {
    case NoticeKind::kDcb:
      socket = JoinGroups(NETLINK_ROUTE, {RTNLGRP_DCB});
      break;
    case NoticeKind::kLink:
      socket = JoinGroups(NETLINK_ROUTE, {RTNLGRP_LINK});
      break;
    case NoticeKind::kAddress:
      socket = JoinGroups(NETLINK_ROUTE, {RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR});
      break;
    case NoticeKind::kNetconf:
      socket = JoinGroups(NETLINK_ROUTE, {RTNLGRP_IPV4_NETCONF});
      break;
    case NoticeKind::kEthtool: {
      RealHost host;
      RR_ASSIGN_OR_RETURN(const GenericGroup monitor,
                          FindGenericGroup(host, ETHTOOL_GENL_NAME, ETHTOOL_MCGRP_MONITOR_NAME));
      ear.family = monitor.family;
      socket = JoinGroups(NETLINK_GENERIC, {monitor.group});
      break;
    }
    case NoticeKind::kRdma:
      RR_RETURN_IF_ERROR(RequireClass("/sys/class/infiniband", "ib_core"));
      socket = JoinGroups(NETLINK_RDMA, {kRdmaNotifyGroup});
      break;
  }
  RR_RETURN_IF_ERROR(socket.status());
  RR_RETURN_IF_ERROR(Watch(epoll_.get(), socket->get()));
  ear.socket = *std::move(socket);
  ears_.push_back(std::move(ear));
  return absl::OkStatus();
}

std::vector<NoticeKind> HostNotices::deaf() const {
  std::vector<NoticeKind> deaf;
  for (const NoticeKind kind : kinds_) {
    if (std::ranges::find(ears_, kind, &Ear::kind) == ears_.end()) deaf.push_back(kind);
  }
  return deaf;
}

void HostNotices::Retry() {
  for (const NoticeKind kind : deaf()) static_cast<void>(Listen(kind));
}

void HostNotices::Wake() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

HeardNotices HostNotices::Wait(std::optional<Clock::TimePoint> until) {
  if (!std::exchange(early_, true)) GoEarly();
  epoll_event event{};
  while (::epoll_wait(epoll_.get(), &event, 1, until ? LeftMs(*until, clock_) : -1) < 0 && errno == EINTR) {
  }
  return Take();
}

HeardNotices HostNotices::Take() {
  std::uint64_t woken = 0;
  static_cast<void>(!::read(wake_.get(), &woken, sizeof woken));
  NoticeTable table;
  for (Ear& ear : ears_) Drain(ear, table);
  if (!table.empty()) Retry();
  return table.Take();
}

void HostNotices::Drain(Ear& ear, NoticeTable& table) {
  std::optional<std::vector<ProcessName>> suspects;
  for (int i = 0; i < kMostReadAtOnce; ++i) {
    sockaddr_nl from{};
    iovec place{buffer_.data(), buffer_.size()};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    const ssize_t bytes = ::recvmsg(ear.socket.get(), &message, 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) return;
    // ENOBUFS, or what kept the kernel from writing the message (rtnl_set_sk_err): told once, then it goes on.
    if (bytes < 0 || (message.msg_flags & MSG_TRUNC) != 0) {
      table.Lose(ear.kind);
      continue;
    }
    if (from.nl_pid != 0) continue;  // not by the kernel
    if (ear.kind == NoticeKind::kDcb && !suspects) suspects = DcbSuspectsNow();
    const std::span<const std::byte> datagram(buffer_.data(), static_cast<std::size_t>(bytes));
    const DecodedNotices decoded = ear.kind == NoticeKind::kEthtool ? DecodeEthtoolNotices(datagram, ear.family)
                                   : ear.kind == NoticeKind::kRdma  ? DecodeRdmaNotices(datagram)
                                                                    : DecodeRouteNotices(datagram);
    if (decoded.broken) table.Lose(ear.kind);
    for (const HostNotice& notice : decoded.notices)
      table.Add(notice, suspects ? std::span<const ProcessName>(*suspects) : std::span<const ProcessName>());
  }
}

}  // namespace rdmaready
