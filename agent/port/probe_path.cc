// SPDX-License-Identifier: Apache-2.0
#include "agent/port/probe_path.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "agent/link/failure.h"
#include "agent/probe/tcp_stream.h"
#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxTargetBytes = 253;  // of a name in the DNS
constexpr std::size_t kMostAddresses = 16;

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

std::string NumericText(const sockaddr* address, socklen_t length) {
  char text[NI_MAXHOST];
  const bool known = ::getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0;
  return known ? text : std::string();
}

absl::StatusOr<AddressList> Lookup(const std::string& name, int flags) {
  addrinfo hints{};
  hints.ai_flags = flags;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* raw = nullptr;
  if (const int error = ::getaddrinfo(name.c_str(), "445", &hints, &raw); error != 0) {
    return MakeFailure(FailureKind::kUnreachable, fmt::format("resolve {}: {}", name, ::gai_strerror(error)));
  }
  return AddressList(raw, &::freeaddrinfo);
}

absl::StatusOr<std::vector<std::string>> Resolve(const std::string& name) {
  RR_ASSIGN_OR_RETURN(const AddressList list, Lookup(name, AI_NUMERICSERV));
  std::vector<std::string> addresses;
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    std::string text = NumericText(entry->ai_addr, entry->ai_addrlen);
    if (!text.empty() && addresses.size() < kMostAddresses) addresses.push_back(std::move(text));
  }
  if (addresses.empty()) return MakeFailure(FailureKind::kUnreachable, "resolve " + name + ": no address");
  std::ranges::stable_partition(addresses,
                                [](const std::string& text) { return text.find(':') == std::string::npos; });
  return addresses;
}

// A datagram socket that is connected asks the routing table and sends nothing.
absl::StatusOr<std::string> SourceOf(const std::string& address) {
  RR_ASSIGN_OR_RETURN(const AddressList list, Lookup(address, AI_NUMERICHOST | AI_NUMERICSERV));
  const addrinfo& to = *list;
  const UniqueFd fd(::socket(to.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  auto* generic = reinterpret_cast<sockaddr*>(&own);
  if (!fd || ::connect(fd.get(), to.ai_addr, to.ai_addrlen) != 0 ||
      ::getsockname(fd.get(), generic, &length) != 0) {
    return ErrnoFailure(FailureKind::kUnreachable, errno, "find a route to " + address);
  }
  return NumericText(generic, length);
}

}  // namespace

ProbeNetwork HostNetwork() { return {.resolve = &Resolve, .source_of = &SourceOf, .connect_tcp = &ConnectTcp}; }

absl::Status CheckTarget(const std::string& target) {
  const auto fits = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '_' || c == ':' || c == '%';
  };
  if (!target.empty() && target.size() <= kMaxTargetBytes && target.front() != '-' &&
      std::ranges::all_of(target, fits)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("a probe's target is the name or the address of a server");
}

absl::StatusOr<ProbePath> PathFrom(const Facts& facts, const std::string& source, const std::string& address) {
  if (!facts.ports) return PortsUnknown(facts);
  for (const Port& port : *facts.ports) {
    const std::vector<std::string> own = RoutableAddresses(port);
    if (std::ranges::find(own, source) == own.end()) continue;
    return ProbePath{.address = address,
                     .port = AddressedBy(facts, port, source),
                     .iwarp = port.transport && *port.transport == Transport::kIwarp};
  }
  return ProbePath{.address = address};
}

}  // namespace rdmaready
