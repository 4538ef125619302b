// SPDX-License-Identifier: Apache-2.0
#include "api/client/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "api/base/handle.h"
#include "api/base/number.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

absl::Status Malformed(std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError("host '" + std::string(text) + "': " + std::string(reason));
}

absl::StatusOr<std::uint16_t> ParsePort(std::string_view text, std::string_view digits, std::uint16_t lowest) {
  const std::optional<std::uint16_t> port = ParseNumber<std::uint16_t>(digits);
  if (port && *port >= lowest) return *port;
  return Malformed(text, fmt::format("port must be a number from {} to 65535", lowest));
}

std::string PortSuffix(std::uint16_t port) { return fmt::format(":{}", port); }

ResolvedAddress Describe(const ::addrinfo& info, std::uint16_t port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (info.ai_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const ::sockaddr_in*>(info.ai_addr);
    ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return {"ipv4:" + std::string(text.data()) + PortSuffix(port), (ntohl(v4->sin_addr.s_addr) >> 24) == 127};
  }
  const auto* v6 = reinterpret_cast<const ::sockaddr_in6*>(info.ai_addr);
  ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
  std::string numeric(text.data());
  // A link-local address means nothing without its interface.
  if (v6->sin6_scope_id != 0) numeric += fmt::format("%{}", v6->sin6_scope_id);
  return {"ipv6:[" + numeric + "]" + PortSuffix(port), IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) != 0};
}

}  // namespace

absl::StatusOr<HostAddress> ParseHostAddress(std::string_view text, std::uint16_t lowest_port) {
  HostAddress address;
  address.text = text;
  if (text.starts_with("unix:")) {
    address.unix_path = text.substr(5);
    if (address.unix_path.empty()) return Malformed(text, "unix: needs a path");
    return address;
  }
  std::string_view host = text;
  std::string_view digits;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return Malformed(text, "'[' without ']'");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && !rest.starts_with(':')) return Malformed(text, "':PORT' expected after ']'");
    if (!rest.empty()) {
      digits = rest.substr(1);
      if (digits.empty()) return Malformed(text, "port is empty");
    }
  } else if (const std::size_t colon = text.find(':');
             colon != std::string_view::npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    digits = text.substr(colon + 1);
    if (digits.empty()) return Malformed(text, "port is empty");
  }  // more than one colon without brackets: an IPv6 address
  if (host.empty()) return Malformed(text, "name is empty");
  if (std::ranges::any_of(host, [](char c) { return c <= ' ' || c > '~'; }))
    return Malformed(text, "a name has no blanks and no control characters");
  address.host = host;
  if (!digits.empty()) {
    RR_ASSIGN_OR_RETURN(address.port, ParsePort(text, digits, lowest_port));
  }
  return address;
}

std::string CertificateName(const HostAddress& address, const ResolvedAddress& resolved) {
  ::addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  ::addrinfo* raw = nullptr;
  const bool numeric = ::getaddrinfo(address.host.c_str(), nullptr, &hints, &raw) == 0;
  const Handle<::addrinfo, ::freeaddrinfo> list(raw);
  if (!numeric) return address.host;
  // "ipv4:127.0.0.1:7471", "ipv6:[fe80::1%2]:7471"
  const std::string& target = resolved.target;
  std::string name = target.substr(5, target.rfind(':') - 5);
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  return name.substr(0, name.find('%'));
}

absl::StatusOr<std::vector<ResolvedAddress>> Resolve(const HostAddress& address) {
  if (!address.unix_path.empty()) return std::vector<ResolvedAddress>{{"unix:" + address.unix_path, true}};
  ::addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  ::addrinfo* raw = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), nullptr, &hints, &raw);
  const Handle<::addrinfo, ::freeaddrinfo> list(raw);
  if (error != 0) return absl::NotFoundError("resolve " + address.host + ": " + ::gai_strerror(error));
  std::vector<ResolvedAddress> resolved;
  for (const ::addrinfo* info = list.get(); info != nullptr; info = info->ai_next) {
    if (info->ai_family == AF_INET || info->ai_family == AF_INET6)
      resolved.push_back(Describe(*info, address.port));
  }
  if (resolved.empty()) return absl::NotFoundError("resolve " + address.host + ": no IP address");
  return resolved;
}

}  // namespace rdmaready
