// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/dcb.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "api/base/handle.h"
#include "api/base/number.h"
#include "api/base/status.h"
#include "collectors/lines.h"
#include "collectors/questions/listening.h"
#include "collectors/real/files.h"
#include "collectors/real/wait.h"

namespace rdmaready {
namespace {

constexpr const char* kListen = "listen for DCB";
constexpr int kReceiveBufferBytes = 1 << 20;          // asked for; the kernel gives what it allows
constexpr std::size_t kMostMessageBytes = 64 * 1024;  // dcbnl's fit one page
constexpr int kMostAtOnce = 64;                       // read before time and caller are looked at again
constexpr std::uint32_t kPidMask = (1U << 22U) - 1;   // PID_MAX_LIMIT; libnl counts its sockets above it
constexpr std::uint32_t kFirstByLot = 1U << 31U;      // netlink_autobind: negative where the pid is taken

// Our thread goes before others while it lives, where we may: on one CPU a program that writes would else be
// gone before we look for it. It mostly sleeps.
class Urgent {
 public:
  Urgent() {
    const sched_param first{.sched_priority = 1};
    raised_ = ::pthread_getschedparam(::pthread_self(), &policy_, &parameters_) == 0 &&
              ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &first) == 0;
  }
  Urgent(const Urgent&) = delete;
  Urgent& operator=(const Urgent&) = delete;
  ~Urgent() { Calm(); }

  void Calm() {
    if (raised_) static_cast<void>(::pthread_setschedparam(::pthread_self(), policy_, &parameters_));
    raised_ = false;
  }

 private:
  bool raised_ = false;
  int policy_ = SCHED_OTHER;
  sched_param parameters_{};
};

absl::StatusOr<UniqueFd> Join() {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
  if (!socket) return ErrnoStatus(errno, kListen);
  // What does not fit is told as lost.
  static_cast<void>(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBufferBytes, sizeof(int)));
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  // By bind, for a port id: without one the group's messages, which leave out the sender's id 0, leave us out.
  address.nl_groups = 1U << (RTNLGRP_DCB - 1);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return ErrnoStatus(errno, kListen);
  return socket;
}

// Empty: there is no such process any more.
std::string NameOf(std::uint32_t pid) {
  absl::StatusOr<std::string> name = ReadWholeFile(fmt::format("/proc/{}/comm", pid));
  if (!name.ok()) return {};
  while (!name->empty() && name->back() == '\n') name->pop_back();
  return *std::move(name);
}

// Those with a routing socket now, without ourselves and without `known`.
std::vector<ProcessName> OthersThan(const std::vector<ProcessName>& known) {
  const absl::StatusOr<std::string> sockets = ReadWholeFile("/proc/net/netlink");
  if (!sockets.ok()) return {};
  std::vector<ProcessName> others;
  for (const std::uint32_t pid : RoutingSocketOwners(*sockets)) {
    const bool was_there = std::ranges::find(known, pid, &ProcessName::pid) != known.end();
    if (!was_there && pid != static_cast<std::uint32_t>(::getpid())) others.push_back({pid, NameOf(pid)});
  }
  return others;
}

class Notices {
 public:
  explicit Notices(int socket) : socket_(socket) { heard_.residents = OthersThan({}); }

  // Takes what is waiting.
  void Drain(std::uint32_t now_ms) {
    // First of all: a program that wrote is gone within a millisecond.
    const std::vector<ProcessName> newcomers =
        full() ? std::vector<ProcessName>() : OthersThan(heard_.residents);
    for (int i = 0; i < kMostAtOnce; ++i) {
      sockaddr_nl from{};
      iovec place{buffer_.data(), buffer_.size()};
      msghdr message{};
      message.msg_name = &from;
      message.msg_namelen = sizeof from;
      message.msg_iov = &place;
      message.msg_iovlen = 1;
      const ssize_t bytes = ::recvmsg(socket_, &message, 0);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0 && errno == EAGAIN) return;
      // ENOBUFS, or what kept the kernel from writing the message (rtnl_set_sk_err): told once, then it
      // goes on.
      const bool whole = bytes >= 0 && (message.msg_flags & MSG_TRUNC) == 0;
      if (!whole) {
        heard_.lost = true;
      } else if (from.nl_pid == 0) {  // by the kernel
        Add({buffer_.data(), static_cast<std::size_t>(bytes)}, newcomers, now_ms);
      }
    }
  }

  bool full() const { return heard_.notices.size() >= kMostDcbNotices; }

  DcbNotices Take(std::uint32_t listened_ms) {
    heard_.listened_ms = listened_ms;
    return std::move(heard_);
  }

 private:
  void Add(std::span<const std::byte> bytes, const std::vector<ProcessName>& newcomers, std::uint32_t now_ms) {
    nlmsghdr header{};
    if (bytes.size() < sizeof header) return;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.nlmsg_type != RTM_SETDCB && header.nlmsg_type != RTM_GETDCB) return;
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > bytes.size() || full()) {
      heard_.lost = true;
      return;
    }
    const std::span<const std::byte> payload = bytes.first(header.nlmsg_len).subspan(sizeof header);
    heard_.notices.push_back({.type = header.nlmsg_type,
                              .sequence = header.nlmsg_seq,
                              .at_ms = now_ms,
                              .payload = {payload.begin(), payload.end()},
                              .newcomers = newcomers});
  }

  const int socket_;
  DcbNotices heard_{};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kMostMessageBytes);
};

}  // namespace

std::vector<std::uint32_t> RoutingSocketOwners(std::string_view proc_net_netlink) {
  std::vector<std::uint32_t> pids;
  while (!proc_net_netlink.empty()) {
    const std::vector<std::string_view> words = WordsOf(TakeLine(proc_net_netlink));
    if (words.size() < 3) continue;
    const std::optional<std::uint32_t> protocol =
        ParseNumber<std::uint32_t>(words[1]);  // after the socket's address
    const std::optional<std::uint32_t> port_id = ParseNumber<std::uint32_t>(words[2]);
    if (protocol != NETLINK_ROUTE || !port_id || *port_id >= kFirstByLot) continue;
    const std::uint32_t pid = *port_id & kPidMask;
    if (pid != 0) pids.push_back(pid);  // 0: the kernel's own
  }
  std::ranges::sort(pids);
  pids.erase(std::ranges::unique(pids).begin(), pids.end());
  return pids;
}

absl::StatusOr<DcbNotices> DcbNoticesQuestion::AskThisHost() const {
  RR_ASSIGN_OR_RETURN(const UniqueFd socket, Join());
  const TimedWait waiting(wait);
  Notices notices(socket.get());
  Urgent urgent;
  while (true) {
    const int left_ms = waiting.left_ms();
    if (left_ms == 0) break;
    std::array<pollfd, 2> polled{{{socket.get(), POLLIN, 0}, {waiting.wake_fd(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), left_ms) < 0 && errno != EINTR) break;
    if (polled[0].revents != 0) notices.Drain(waiting.elapsed_ms());
    if (notices.full()) urgent.Calm();
  }
  return notices.Take(waiting.elapsed_ms());
}

}  // namespace rdmaready
