// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/syslog_sender.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>

#include "api/base/handle.h"
#include "hub/notice/curl_call.h"
#include "hub/notice/syslog_message.h"
#include "hub/notice/webhook_sender.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostDatagramBytes = 2048;  // what every receiver should take: RFC 5426, 3.2
constexpr std::size_t kMostCountedBytes = 8192;

SendResult SentByKernel() { return {.kind = SendResult::Kind::kTaken, .words = "sent"}; }
SendResult NotSent(std::string words) { return {.words = std::move(words)}; }

UniqueFd DatagramSocket(int family) {
  UniqueFd fd(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const ::timeval patience{.tv_sec = 2, .tv_usec = 0};
  if (fd) static_cast<void>(::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)));
  return fd;
}

// Empty: all of it was sent.
std::string SendAll(::CURL* curl, std::string_view octets, const SendLimits& limits,
                    const std::stop_token& stop, Clock& clock) {
  const Clock::TimePoint end = clock.Now() + limits.total;
  ::curl_socket_t fd = CURL_SOCKET_BAD;
  ::curl_easy_getinfo(curl, CURLINFO_ACTIVESOCKET, &fd);
  while (!octets.empty()) {
    std::size_t sent = 0;
    const ::CURLcode code = ::curl_easy_send(curl, octets.data(), octets.size(), &sent);
    if (code != CURLE_OK && code != CURLE_AGAIN) return ::curl_easy_strerror(code);
    octets.remove_prefix(sent);
    if (code != CURLE_AGAIN) continue;
    if (clock.Now() > end || stop.stop_requested()) return "it takes nothing";
    ::pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
    ::poll(&ready, 1, 200);
  }
  return {};
}

}  // namespace

SendResult SyslogSender::SendUnix(const std::string& message) const {
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, target_.path.c_str(),
              std::min(target_.path.size(), sizeof(address.sun_path) - 1));
  const UniqueFd fd = DatagramSocket(AF_UNIX);
  if (!fd || ::sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL,
                      reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)) < 0)
    return NotSent(std::strerror(errno));
  return SentByKernel();
}

SendResult SyslogSender::SendDatagram(const std::string& message) const {
  ::addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  ::addrinfo* raw = nullptr;
  if (::getaddrinfo(target_.host.c_str(), std::to_string(target_.port).c_str(), &hints, &raw) != 0)
    return NotSent("its name does not resolve");
  const Handle<::addrinfo, ::freeaddrinfo> list(raw);
  std::string why = "its address is not public, and allow_private does not have it";
  for (const ::addrinfo* one = raw; one != nullptr; one = one->ai_next) {
    if (!rules_.Allows(*one->ai_addr)) continue;
    const UniqueFd fd = DatagramSocket(one->ai_family);
    if (fd &&
        ::sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL, one->ai_addr, one->ai_addrlen) >= 0)
      return SentByKernel();
    why = std::strerror(errno);
  }
  return NotSent(std::move(why));
}

SendResult SyslogSender::SendCounted(const std::string& message, const std::stop_token& stop) const {
  const bool tls = target_.way == SyslogTarget::Way::kTls;
  const bool v6 = target_.host.find(':') != std::string::npos;
  const std::string url = fmt::format("{}://{}{}{}:{}", tls ? "https" : "http", v6 ? "[" : "", target_.host,
                                      v6 ? "]" : "", target_.port);
  CurlCall call(url, target_.ca, false, rules_, limits_, stop);
  ::CURL* const curl = call.get();
  if (curl != nullptr) {
    ::curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
    ::curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 0L);     // it is ours until the handle goes
    ::curl_easy_setopt(curl, CURLOPT_SSL_ENABLE_ALPN, 0L);  // it is no HTTP
  }
  ::CURLcode code = CURLE_OK;
  std::string why = call.Perform(code);
  if (code == CURLE_OK)
    why = SendAll(curl, fmt::format("{} {}", message.size(), message), limits_, stop, clock_);
  return why.empty() ? SentByKernel() : NotSent(std::move(why));
}

SendResult SyslogSender::Send(const v1::Notice& notice, const std::stop_token& stop) {
  const bool counted = target_.way == SyslogTarget::Way::kTcp || target_.way == SyslogTarget::Way::kTls;
  const std::string message = SyslogMessage(
      notice, {.facility = target_.facility, .hostname = hub_, .process = ::getpid(), .sd_id = target_.sd_id},
      counted ? kMostCountedBytes : kMostDatagramBytes);
  if (counted) return SendCounted(message, stop);
  return target_.way == SyslogTarget::Way::kUdp ? SendDatagram(message) : SendUnix(message);
}

std::unique_ptr<NoticeSender> MakeSender(const NoticeReceiver& receiver, const NoticeOptions& options,
                                         const std::string& hub, const SendLimits& limits, Clock& clock) {
  AddressRules rules(options.allow_private);
  if (receiver.is_webhook)
    return std::make_unique<WebhookSender>(receiver.webhook, std::move(rules), limits, clock);
  return std::make_unique<SyslogSender>(receiver.syslog, std::move(rules), hub, limits, clock);
}

}  // namespace rdmaready::hub
