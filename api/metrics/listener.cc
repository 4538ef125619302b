// SPDX-License-Identifier: Apache-2.0
#include "api/metrics/listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "api/base/status.h"

namespace rdmaready::metrics {
namespace {

constexpr int kBacklog = 16;

struct Split {
  std::string host{};
  std::string port{};
};

// "ipv4:127.0.0.1:7472", "ipv6:[::1]:7472".
Split SplitTarget(const std::string& target) {
  const std::size_t begin = target.find(':') + 1;
  const std::size_t colon = target.rfind(':');
  std::string host = target.substr(begin, colon - begin);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {std::move(host), target.substr(colon + 1)};
}

absl::Status Failed() { return absl::UnavailableError(std::strerror(errno)); }

}  // namespace

absl::StatusOr<UniqueFd> ListenOn(const std::string& target) {
  const auto [host, port] = SplitTarget(target);
  ::addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  ::addrinfo* raw = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &raw); error != 0)
    return absl::UnavailableError(::gai_strerror(error));
  const Handle<::addrinfo, ::freeaddrinfo> list(raw);
  UniqueFd fd(::socket(raw->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return Failed();
  const int on = 1;
  static_cast<void>(::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
  if (::bind(fd.get(), raw->ai_addr, raw->ai_addrlen) != 0 || ::listen(fd.get(), kBacklog) != 0)
    return Failed();
  return fd;
}

std::string PeerText(const ::sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const ::sockaddr_in*>(address);
    ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return fmt::format("ipv4:{}:{}", text.data(), ntohs(v4->sin_port));
  }
  if (address->sa_family != AF_INET6) return {};
  const auto* v6 = reinterpret_cast<const ::sockaddr_in6*>(address);
  if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
    ::inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], text.data(), text.size());
    return fmt::format("ipv4:{}:{}", text.data(), ntohs(v6->sin6_port));
  }
  ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
  return fmt::format("ipv6:[{}]:{}", text.data(), ntohs(v6->sin6_port));
}

std::string AddressOf(int fd) {
  ::sockaddr_storage address{};
  ::socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<::sockaddr*>(&address), &size) != 0) return {};
  const std::string text = PeerText(reinterpret_cast<const ::sockaddr*>(&address));
  return text.substr(text.find(':') + 1);
}

}  // namespace rdmaready::metrics
