// SPDX-License-Identifier: Apache-2.0
#include "agent/link/socket_address.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "agent/link/failure.h"

namespace rdmaready {

absl::StatusOr<sockaddr_storage> ParseAddress(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  const int error = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &raw);
  if (error != 0 || address.empty()) {
    return MakeFailure(FailureKind::kSetup,
                       fmt::format("address '{}': {}", address, error != 0 ? ::gai_strerror(error) : "empty"));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(raw, &::freeaddrinfo);
  sockaddr_storage storage{};
  std::memcpy(&storage, found->ai_addr, std::min<std::size_t>(found->ai_addrlen, sizeof storage));
  return storage;
}

std::string AddressText(const sockaddr* address) {
  if (address == nullptr) return "?";
  const socklen_t length = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  char text[NI_MAXHOST];
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return "?";
  return ::getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0 ? text : "?";
}

}  // namespace rdmaready
