// SPDX-License-Identifier: Apache-2.0
// TcpLink: listening, accepting, connecting. Nothing here blocks beyond its deadline.
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "agent/link/failure.h"
#include "agent/link/socket_address.h"
#include "agent/tcp/tcp_link.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kTcpBacklog = 16;
constexpr milliseconds kSetupLook{50};  // at what may interrupt
constexpr std::size_t kStagedOctets = 16 << 10;

socklen_t SizeOf(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

const sockaddr* Generic(const sockaddr_storage& address) { return reinterpret_cast<const sockaddr*>(&address); }

// Sleeps until one of them is ready, the deadline, or the next look.
absl::Status AwaitAny(std::span<pollfd> sockets, const Patience& patience) {
  const auto left = std::clamp(std::chrono::ceil<milliseconds>(patience.deadline - steady_clock::now()),
                               milliseconds(0), kSetupLook);
  if (::poll(sockets.data(), sockets.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
    return ErrnoFailure(FailureKind::kSetup, errno, "wait for a connection");
  return absl::OkStatus();
}

// Until the socket is ready; DeadlineExceeded after the deadline.
absl::Status Await(int socket, short events, const Patience& patience) {
  while (true) {
    if (patience.interrupted) RR_RETURN_IF_ERROR(patience.interrupted());
    if (steady_clock::now() >= patience.deadline) return absl::DeadlineExceededError("no answer in time");
    pollfd waiting{.fd = socket, .events = events, .revents = 0};
    RR_RETURN_IF_ERROR(AwaitAny({&waiting, 1}, patience));
    if (waiting.revents != 0) return absl::OkStatus();
  }
}

FailureKind KindOfConnect(int error) {
  if (error == ECONNREFUSED || error == ECONNRESET || error == EPIPE) return FailureKind::kRejected;
  const bool unreachable = error == ENETUNREACH || error == EHOSTUNREACH || error == ETIMEDOUT ||
                           error == ENETDOWN || error == EHOSTDOWN;
  return unreachable ? FailureKind::kUnreachable : FailureKind::kSetup;
}

absl::Status Set(int socket, int level, int option, const auto& value, const std::string& what) {
  return ::setsockopt(socket, level, option, &value, sizeof value) == 0
             ? absl::OkStatus()
             : ErrnoFailure(FailureKind::kSetup, errno, "set " + what);
}

}  // namespace

absl::Status TcpLink::Mark(int socket, int family) const {
  if (!settings_.tos) return absl::OkStatus();
  const bool v6 = family == AF_INET6;
  return Set(socket, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_TCLASS : IP_TOS, int{*settings_.tos},
             fmt::format("ToS {}", *settings_.tos));
}

absl::Status TcpLink::Open(int family, UniqueFd& socket) const {
  socket = UniqueFd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return ErrnoFailure(FailureKind::kSetup, errno, "open a TCP socket");
  return Mark(socket.get(), family);
}

absl::StatusOr<Endpoint> TcpLink::Listen(const std::string& local_address, const LinkSettings& settings) {
  if (!place_.empty()) return MakeFailure(FailureKind::kSetup, "listen: this link was used already");
  if (settings.connection == ConnectionKind::kVerbs)
    return MakeFailure(FailureKind::kSetup, "listen: TCP has no plain verbs connection");
  RR_ASSIGN_OR_RETURN(sockaddr_storage address, ParseAddress(local_address, settings.listen_port));
  settings_ = settings;
  family_ = address.ss_family;
  const std::string action = "listen on " + local_address;
  RR_RETURN_IF_ERROR(Open(family_, listener_));
  socklen_t size = sizeof address;
  if (::bind(listener_.get(), Generic(address), SizeOf(address)) != 0 ||
      ::listen(listener_.get(), kTcpBacklog) != 0 ||
      ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return ErrnoFailure(FailureKind::kSetup, errno, action);
  }
  // The port is at the same place for both families.
  const Endpoint endpoint{.address = local_address,
                          .port = ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port)};
  place_ = fmt::format("{} port {}", endpoint.address, endpoint.port);
  return endpoint;
}

absl::Status TcpLink::NobodyCame() const {
  if (rejected_ == 0)
    return MakeFailure(FailureKind::kUnreachable,
                       fmt::format("accept on {}: nobody connected in time", place_));
  return MakeFailure(
      FailureKind::kRejected,
      fmt::format("accept on {}: {} connection{} without the right nonce rejected, the last from "
                  "{}; nobody else came",
                  place_, rejected_, rejected_ == 1 ? "" : "s", last_rejected_));
}

void TcpLink::Reject(const Caller& caller) {
  ++rejected_;
  last_rejected_ = caller.address;
}

// Those that wait in the listener, while there is room for them.
absl::Status TcpLink::Admit(std::vector<Caller>& callers) {
  while (callers.size() < kMostCallers) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    UniqueFd socket(
        ::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      // The others are of a connection that ended before it was taken.
      const bool ours = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      return ours ? ErrnoFailure(FailureKind::kSetup, errno, "accept on " + place_) : absl::OkStatus();
    }
    callers.push_back(
        {.socket = std::move(socket), .address = AddressText(Generic(from)), .since = steady_clock::now()});
  }
  return absl::OkStatus();
}

TcpLink::Said TcpLink::Hear(Caller& caller, const Nonce& nonce) {
  const ssize_t came = ::recv(caller.socket.get(), caller.greeting.data() + caller.octets,
                              caller.greeting.size() - caller.octets, MSG_DONTWAIT);
  if (came < 0 && (errno == EAGAIN || errno == EINTR))
    return steady_clock::now() - caller.since < kLongestHello ? Said::kNothingYet : Said::kOther;
  if (came <= 0) return Said::kOther;
  caller.octets += static_cast<std::size_t>(came);
  if (caller.octets < caller.greeting.size()) return Said::kNothingYet;
  return SameGreeting(caller.greeting, nonce) ? Said::kNonce : Said::kOther;
}

absl::StatusOr<UniqueFd> TcpLink::PickFrom(std::vector<Caller>& callers, const Nonce& nonce) {
  for (auto caller = callers.begin(); caller != callers.end();) {
    switch (Hear(*caller, nonce)) {
      case Said::kNothingYet:
        ++caller;
        break;
      case Said::kNonce:
        return std::move(caller->socket);
      case Said::kOther:
        Reject(*caller);
        caller = callers.erase(caller);
        break;
    }
  }
  return UniqueFd();
}

absl::Status TcpLink::Accept(const Nonce& nonce, const Patience& patience) {
  if (!listener_) return MakeFailure(FailureKind::kSetup, "accept: not listening");
  std::vector<Caller> callers;
  while (true) {
    // An interruption by the caller has its own words, unless impostors explain why the right peer did not get
    // in.
    const absl::Status interrupted = patience.interrupted ? patience.interrupted() : absl::OkStatus();
    const bool late = steady_clock::now() >= patience.deadline;
    if (!interrupted.ok() && rejected_ == 0 && callers.empty()) return interrupted;
    if (!interrupted.ok() || late) {
      for (const Caller& silent : callers) Reject(silent);
      return NobodyCame();
    }
    RR_RETURN_IF_ERROR(Admit(callers));
    RR_ASSIGN_OR_RETURN(UniqueFd right, PickFrom(callers, nonce));
    if (right) {
      const absl::Status taken = Take(std::move(right));
      if (!taken.ok()) socket_ = UniqueFd();
      return taken;
    }
    std::vector<pollfd> waiting;
    if (callers.size() < kMostCallers)
      waiting.push_back({.fd = listener_.get(), .events = POLLIN, .revents = 0});
    for (const Caller& caller : callers)
      waiting.push_back({.fd = caller.socket.get(), .events = POLLIN, .revents = 0});
    RR_RETURN_IF_ERROR(AwaitAny(waiting, patience));
  }
}

absl::Status TcpLink::AcceptAnyone(const Greeter&, const Patience&) {
  return MakeFailure(FailureKind::kSetup, "accept anyone: not over TCP");
}

// Called at either end once the TCP connection is there.
absl::Status TcpLink::Settle() {
  staged_.resize(kStagedOctets);
  const int on = 1;
  const linger reset{.l_onoff = 1, .l_linger = 0};
  RR_RETURN_IF_ERROR(Set(socket_.get(), IPPROTO_TCP, TCP_NODELAY, on, "TCP_NODELAY"));
  RR_RETURN_IF_ERROR(Set(socket_.get(), SOL_SOCKET, SO_LINGER, reset, "SO_LINGER"));
  return settings_.before_connected ? settings_.before_connected() : absl::OkStatus();
}

// The right peer's socket: nobody else may come.
absl::Status TcpLink::Take(UniqueFd socket) {
  listener_ = UniqueFd();
  socket_ = std::move(socket);
  RR_RETURN_IF_ERROR(Mark(socket_.get(), family_));
  RR_RETURN_IF_ERROR(Settle());
  const Welcome welcome = MakeWelcome();
  if (::send(socket_.get(), welcome.data(), welcome.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(welcome.size()))
    return ErrnoFailure(FailureKind::kDisconnected, errno, "accept on " + place_);
  connected_ = true;
  return absl::OkStatus();
}

absl::Status TcpLink::Failed(int error, Refusal otherwise) {
  handshake_.refusal = error == ECONNREFUSED ? Refusal::kNoListener
                       : error == ETIMEDOUT  ? Refusal::kNoAnswer
                                             : otherwise;
  return ErrnoFailure(KindOfConnect(error), error, "connect to " + place_);
}

absl::Status TcpLink::Reach(const Endpoint& endpoint, const std::string& local_address,
                            const Patience& patience) {
  RR_ASSIGN_OR_RETURN(const sockaddr_storage to, ParseAddress(endpoint.address, endpoint.port));
  family_ = to.ss_family;
  RR_RETURN_IF_ERROR(Open(family_, socket_));
  if (!local_address.empty()) {
    RR_ASSIGN_OR_RETURN(const sockaddr_storage from, ParseAddress(local_address, 0));
    if (::bind(socket_.get(), Generic(from), SizeOf(from)) != 0)
      return ErrnoFailure(FailureKind::kSetup, errno, "bind a TCP socket to " + local_address);
  }
  if (::connect(socket_.get(), Generic(to), SizeOf(to)) == 0) return absl::OkStatus();
  if (errno != EINPROGRESS) return Failed(errno, Refusal::kUnresolved);
  RR_RETURN_IF_ERROR(Await(socket_.get(), POLLOUT, patience));
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? absl::OkStatus() : Failed(error, Refusal::kUnresolved);
}

// Says the nonce and waits for the welcome. A peer that closes the connection before it does not want this end.
absl::Status TcpLink::Greet(PrivateData nonce, const Patience& patience) {
  Nonce own{};
  std::ranges::copy(nonce, own.begin());
  const Greeting greeting = GreetingOf(own);
  if (::send(socket_.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(greeting.size()))
    return Failed(errno, Refusal::kConsumer);
  Welcome welcome{};
  std::size_t octets = 0;
  while (octets < welcome.size()) {
    RR_RETURN_IF_ERROR(Await(socket_.get(), POLLIN, patience));
    const ssize_t came = ::recv(socket_.get(), welcome.data() + octets, welcome.size() - octets, MSG_DONTWAIT);
    if (came < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (came < 0) return Failed(errno, Refusal::kConsumer);
    octets += static_cast<std::size_t>(came);
    if (came > 0) continue;
    handshake_.refusal = Refusal::kConsumer;
    return MakeFailure(FailureKind::kRejected, "connect to " + place_ + ": rejected by the peer");
  }
  if (welcome == MakeWelcome()) return absl::OkStatus();
  handshake_.refusal = Refusal::kOther;
  return MakeFailure(FailureKind::kRejected, "connect to " + place_ + ": it is not an end of a live test");
}

absl::Status TcpLink::Connect(const Endpoint& endpoint, PrivateData private_data,
                              const std::string& local_address, const LinkSettings& settings,
                              const Patience& patience) {
  if (!place_.empty()) return MakeFailure(FailureKind::kSetup, "connect: this link was used already");
  if (settings.connection == ConnectionKind::kVerbs || endpoint.port == 0)
    return MakeFailure(FailureKind::kSetup, "connect: TCP has no plain verbs connection");
  if (private_data.size() != std::tuple_size_v<Nonce>)
    return MakeFailure(FailureKind::kSetup, "connect: only a nonce goes along over TCP");
  settings_ = settings;
  place_ = fmt::format("{} port {}", endpoint.address, endpoint.port);
  absl::Status status = Reach(endpoint, local_address, patience);
  if (status.ok()) status = Settle();
  if (status.ok()) status = Greet(private_data, patience);
  connected_ = status.ok();
  if (!connected_) socket_ = UniqueFd();
  if (!absl::IsDeadlineExceeded(status)) return status;
  handshake_.refusal = Refusal::kNoAnswer;
  return MakeFailure(FailureKind::kUnreachable, "connect to " + place_ + ": no answer in time");
}

}  // namespace rdmaready
