// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/lldpad.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>

#include "api/base/clock.h"
#include "api/base/handle.h"
#include "api/base/status.h"
#include "collectors/lldp/lldpad_messages.h"
#include "collectors/questions/system.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kAnswerWithin{300};
constexpr const char* kLldpadWhat = "ask lldpad";

// The kernel chooses a name for us, because lldpad answers only to a name.
absl::Status BindToAnyName(int socket) {
  sockaddr_un own{};
  own.sun_family = AF_UNIX;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&own), sizeof(sa_family_t)) == 0)
    return absl::OkStatus();
  return ErrnoStatus(errno, kLldpadWhat);
}

// From then on only datagrams of this one are received.
absl::Status Connect(int socket, std::string_view name) {
  sockaddr_un lldpad{};
  lldpad.sun_family = AF_UNIX;
  if (name.size() >= sizeof lldpad.sun_path) return ErrnoStatus(ENAMETOOLONG, kLldpadWhat);
  std::ranges::copy(name, lldpad.sun_path + 1);  // the zero before it makes it abstract
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&lldpad), size) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, kLldpadWhat);
}

absl::Status WaitFor(int socket, Clock::TimePoint until, Clock& clock) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock.Now());
    pollfd readable{.fd = socket, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready > 0) return absl::OkStatus();
    if (ready == 0) return ErrnoStatus(ETIMEDOUT, kLldpadWhat);
    if (errno != EINTR) return ErrnoStatus(errno, kLldpadWhat);
  }
}

// Who sent it, as the kernel knows; nobody when it does not say.
const ucred* SenderOf(const msghdr& message) {
  const cmsghdr* control = CMSG_FIRSTHDR(&message);
  const bool credentials = control != nullptr && control->cmsg_level == SOL_SOCKET &&
                           control->cmsg_type == SCM_CREDENTIALS &&
                           control->cmsg_len >= CMSG_LEN(sizeof(ucred));
  return credentials ? reinterpret_cast<const ucred*>(CMSG_DATA(control)) : nullptr;
}

absl::StatusOr<std::string> Receive(int socket) {
  std::array<char, kLongestLldpadAnswer> text{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  iovec place{.iov_base = text.data(), .iov_len = text.size()};
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t bytes = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (bytes < 0) return ErrnoStatus(errno, kLldpadWhat);
  if ((message.msg_flags & MSG_TRUNC) != 0) return ErrnoStatus(EMSGSIZE, kLldpadWhat);
  const ucred* sender = SenderOf(message);
  if (sender == nullptr || (sender->uid != 0 && sender->uid != ::geteuid())) {
    return absl::PermissionDeniedError("ask lldpad: the answer is not root's");
  }
  return std::string(text.data(), static_cast<std::size_t>(bytes));
}

}  // namespace

absl::StatusOr<std::string> AskLldpadAt(std::string_view socket_name, std::string_view question, Clock& clock) {
  RR_RETURN_IF_ERROR(CheckLldpadQuestion(question));
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return ErrnoStatus(errno, kLldpadWhat);
  const int on = 1;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
    return ErrnoStatus(errno, kLldpadWhat);
  RR_RETURN_IF_ERROR(BindToAnyName(socket.get()));
  RR_RETURN_IF_ERROR(Connect(socket.get(), socket_name));
  const auto until = clock.Now() + kAnswerWithin;
  if (::send(socket.get(), question.data(), question.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
    return ErrnoStatus(errno, kLldpadWhat);
  RR_RETURN_IF_ERROR(WaitFor(socket.get(), until, clock));
  return Receive(socket.get());
}

absl::StatusOr<std::string> LldpadQuestion::AskThisHost() const {
  return AskLldpadAt(kLldpadSocket, message, RealClock());
}

}  // namespace rdmaready
