// SPDX-License-Identifier: Apache-2.0
#include "agent/access/local_door.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agent/access/socket_file.h"
#include "api/base/number.h"
#include "api/base/status.h"

namespace rdmaready::access {
namespace {

constexpr int kUserConnections = 128;  // of one user by one socket
constexpr auto kQuarantine = std::chrono::minutes(1);
constexpr auto kFull =
    std::chrono::milliseconds(100);     // no descriptor left: nobody is served by trying again at once
constexpr int kOrdinaryNumbers = 4096;  // below, other files find their places

// Ours stand above those that other files get, if the limit leaves room there.
int LowestNumber() {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur >= 2 * ::rlim_t{kOrdinaryNumbers}) return kOrdinaryNumbers;
  return static_cast<int>(limit.rlim_cur / 2);
}

::ino_t InodeOf(int fd) {
  struct ::stat info {};
  return ::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) ? info.st_ino : 0;
}

bool SameIdentity(const LocalCaller& a, const LocalCaller& b) {
  return a.uid == b.uid && a.role == b.role && a.path == b.path;
}

}  // namespace

LocalDoor::LocalDoor(std::vector<DoorSocket> sockets, std::function<void(int fd)> take, EventSink events,
                     Clock& clock)
    : sockets_(std::move(sockets)),
      take_(std::move(take)),
      events_(std::move(events)),
      clock_(clock),
      lowest_(LowestNumber()),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!sockets_.empty()) thread_ = std::jthread([this](const std::stop_token& stop) { Listen(stop); });
}

void LocalDoor::Close() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof(one)));
  thread_.join();
  for (const DoorSocket& socket : sockets_) RemoveSocketFile(socket);
  sockets_.clear();
}

void LocalDoor::Listen(const std::stop_token& stop) {
  std::vector<::pollfd> waited{{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  for (const DoorSocket& socket : sockets_)
    waited.push_back({.fd = socket.fd.get(), .events = POLLIN, .revents = 0});
  while (!stop.stop_requested()) {
    if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < sockets_.size() && !stop.stop_requested(); ++i) {
      if (waited[i + 1].revents != 0) Accept(sockets_[i], stop);
    }
  }
}

void LocalDoor::Accept(const DoorSocket& socket, const std::stop_token& stop) {
  UniqueFd accepted(::accept4(socket.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
      clock_.SleepUntil(clock_.Now() + kFull, stop);
    return;
  }
  ::ucred peer{};
  ::socklen_t size = sizeof(peer);
  if (::getsockopt(accepted.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  const LocalCaller caller{.role = socket.role, .uid = peer.uid, .pid = peer.pid, .path = socket.path};
  const absl::StatusOr<int> number = Number(std::move(accepted), caller, clock_.Now());
  if (number.ok()) return take_(*number);
  Tell(events_, EventLevel::kWarning, kRefusedEvent,
       {{"origin", fmt::format("uid {} pid {} {}", caller.uid, caller.pid, caller.path)},
        {"rpc", "connect"},
        {"reason", Message(number.status())}});
}

void LocalDoor::LookForGone(TimePoint now) {
  for (auto& [number, seat] : seats_) {
    if (seat.gone || InodeOf(number) == seat.inode) continue;
    seat.gone = true;
    seat.gone_since = now;
  }
  std::erase_if(seats_, [now](const auto& entry) {
    return entry.second.gone && now - entry.second.gone_since >= kQuarantine;
  });
}

absl::StatusOr<int> LocalDoor::Place(const UniqueFd& accepted, int from, const LocalCaller& caller,
                                     TimePoint now) {
  while (true) {
    const int number = ::fcntl(accepted.get(), F_DUPFD_CLOEXEC, from);
    if (number < 0) {
      return absl::ResourceExhaustedError("no descriptor is left for a connection: " +
                                          Message(ErrnoStatus(errno, "duplicate")));
    }
    const auto seat = seats_.find(number);
    if (seat == seats_.end() || SameIdentity(seat->second.caller, caller)) return number;
    // Its connection may have ended a moment ago, with a call of it still on the way.
    ::close(number);
    if (!seat->second.gone) {
      seat->second.gone = true;
      seat->second.gone_since = now;
    }
    from = number + 1;
  }
}

absl::StatusOr<int> LocalDoor::Number(UniqueFd accepted, const LocalCaller& caller, TimePoint now) {
  const std::lock_guard lock(mutex_);
  LookForGone(now);
  const auto open = std::ranges::count_if(seats_, [&caller](const auto& entry) {
    return !entry.second.gone && SameIdentity(entry.second.caller, caller);
  });
  if (open >= kUserConnections) {
    return absl::ResourceExhaustedError(fmt::format(
        "uid {} has {} connections to {}, which is the most for one user", caller.uid, open, caller.path));
  }
  const auto again = std::ranges::find_if(seats_, [&caller](const auto& entry) {
    return entry.second.gone && SameIdentity(entry.second.caller, caller);
  });
  RR_ASSIGN_OR_RETURN(const int number,
                      Place(accepted, again == seats_.end() ? lowest_ : again->first, caller, now));
  Seat& seat = seats_[number] = {.caller = caller, .inode = InodeOf(number)};
  seat.caller.connected = now;
  return number;
}

std::optional<LocalCaller> LocalDoor::Find(std::string_view peer) const {
  if (!peer.starts_with("fd:")) return std::nullopt;
  const auto number = ParseNumber<int>(peer.substr(3));
  if (!number) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto seat = seats_.find(*number);
  if (seat == seats_.end()) return std::nullopt;
  return seat->second.caller;
}

}  // namespace rdmaready::access
