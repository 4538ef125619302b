// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/frame.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

#include "api/base/octets.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

constexpr std::size_t kLengthBytes = 4;

absl::Status Gone() { return absl::UnavailableError("the other end closed the connection"); }

// Until the socket is ready for `events`.
absl::Status WaitFor(int socket, short events, const TimedWait& wait) {
  while (true) {
    std::array<::pollfd, 2> polled{{{socket, events, 0}, {wait.wake_fd(), POLLIN, 0}}};
    const int left_ms = wait.left_ms();  // 0 also when it was told to stop: poll says which
    const int ready = ::poll(polled.data(), polled.size(), left_ms);
    if (ready < 0 && errno != EINTR) return ErrnoStatus(errno, "poll");
    if (ready > 0 && polled[1].revents != 0) return absl::CancelledError("told to stop");
    if (ready > 0 && polled[0].revents != 0) return absl::OkStatus();
    if (left_ms == 0) return absl::DeadlineExceededError("no time left");
  }
}

bool MayTryAgain(int error_number) {
  return error_number == EAGAIN || error_number == EWOULDBLOCK || error_number == EINTR;
}

absl::Status SendAll(int socket, Octets bytes, const TimedWait& wait) {
  while (!bytes.empty()) {
    const ::ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return Gone();
    } else if (!MayTryAgain(errno)) {
      return ErrnoStatus(errno, "send a frame");
    } else {
      RR_RETURN_IF_ERROR(WaitFor(socket, POLLOUT, wait));
    }
  }
  return absl::OkStatus();
}

// Appends at most `most` bytes as they come.
absl::Status ReceiveSome(int socket, std::string& into, std::size_t most, const TimedWait& wait) {
  std::array<char, 16 * 1024> buffer;
  while (true) {
    const ::ssize_t got = ::recv(socket, buffer.data(), std::min(most, buffer.size()), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return Gone();
    if (got > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(got));
      return absl::OkStatus();
    }
    if (!MayTryAgain(errno)) return ErrnoStatus(errno, "receive a frame");
    RR_RETURN_IF_ERROR(WaitFor(socket, POLLIN, wait));
  }
}

}  // namespace

absl::Status SendFrame(int socket, std::string_view body, const TimedWait& wait) {
  std::array<std::byte, kLengthBytes> length{};
  PutBig(length, 0, static_cast<std::uint32_t>(body.size()));
  RR_RETURN_IF_ERROR(SendAll(socket, length, wait));
  return SendAll(socket, std::as_bytes(std::span(body.data(), body.size())), wait);
}

absl::StatusOr<std::string> ReceiveFrame(int socket, std::size_t most_bytes, const TimedWait& wait) {
  std::string length;
  while (length.size() < kLengthBytes) {
    RR_RETURN_IF_ERROR(ReceiveSome(socket, length, kLengthBytes - length.size(), wait));
  }
  const std::size_t size = GetBig<std::uint32_t>(std::as_bytes(std::span(length.data(), length.size())), 0);
  if (size > most_bytes) return absl::InvalidArgumentError("a frame longer than is taken");
  // Grows as bytes come: a length alone takes no memory.
  std::string body;
  while (body.size() < size) {
    RR_RETURN_IF_ERROR(ReceiveSome(socket, body, size - body.size(), wait));
  }
  return body;
}

std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string AnswerBody(const absl::StatusOr<Json>& answer) {
  if (!answer.ok()) return Text({{"error", recording::FromStatus(answer.status())}});
  std::string body = Text({{"answer", *answer}});
  if (body.size() <= kMostAnswerBytes) return body;
  return AnswerBody(absl::ResourceExhaustedError("the answer is longer than a frame may be"));
}

absl::StatusOr<Json> ReadAnswerBody(std::string_view body) {
  absl::StatusOr<Json> whole = recording::ParseObject(body);
  if (!whole.ok()) return absl::InternalError("no answer: " + Message(whole.status()));
  recording::Reader members(*whole);
  if (members.Has("error")) {
    const absl::Status error = members.Error("error");
    if (const absl::Status read = members.status(); !read.ok()) {
      return absl::InternalError("no answer: " + Message(read));
    }
    return error;
  }
  const auto answer = whole->find("answer");
  if (answer == whole->end() || !answer->is_object() || whole->size() != 1) {
    return absl::InternalError("no answer: neither \"answer\" nor \"error\"");
  }
  return std::move(*answer);
}

std::string ProgressBody(std::string_view what, std::size_t most_bytes) {
  return Text({{"progress", std::string(what.substr(0, most_bytes))}});
}

std::optional<std::string> ReadProgressBody(std::string_view body, std::size_t most_bytes) {
  constexpr std::string_view kBegin = "{\"progress\":";
  constexpr std::size_t kMostEscapes = 6;  // octets of an octet
  if (!body.starts_with(kBegin) || body.size() > kBegin.size() + kMostEscapes * most_bytes) return std::nullopt;
  const absl::StatusOr<Json> whole = recording::ParseObject(body);
  if (!whole.ok()) return std::nullopt;
  Arguments members(*whole);
  std::string what = members.Text("progress");
  if (!members.status().ok()) return std::nullopt;
  return what;
}

}  // namespace rdmaready::helper
