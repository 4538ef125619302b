// SPDX-License-Identifier: Apache-2.0
#include "agent/link/verbs_text.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

struct Reason {
  int number;
  std::string_view words;
};

// InfiniBand specification, table of REJ reasons: those that a host can meet.
constexpr std::array kReasons = {
    Reason{1, "no queue pair available"},
    Reason{3, "no resources available"},
    Reason{4, "timeout"},
    Reason{5, "unsupported request"},
    Reason{6, "invalid communication id"},
    Reason{8, "nobody listens on that port"},
    Reason{9, "invalid transport"},
    Reason{10, "stale connection"},
    Reason{12, "invalid GID"},
    Reason{14, "invalid service level"},
    Reason{15, "invalid traffic class"},
    Reason{20, "invalid packet rate"},
    Reason{26, "invalid path MTU"},
    Reason{27, "insufficient responder resources"},
    Reason{28, "consumer defined"},
    Reason{29, "RNR retry count not supported"},
};

}  // namespace

std::string GidText(const ibv_gid& gid) {
  if (std::ranges::all_of(gid.raw, [](std::uint8_t byte) { return byte == 0; })) return {};
  char text[INET6_ADDRSTRLEN];
  return ::inet_ntop(AF_INET6, gid.raw, text, sizeof text) == nullptr ? std::string() : text;
}

ibv_gid GidOf(const sockaddr_storage& address) {
  ibv_gid gid{};
  if (address.ss_family == AF_INET6) {
    std::memcpy(gid.raw, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, sizeof gid.raw);
    return gid;
  }
  gid.raw[10] = gid.raw[11] = 0xff;
  std::memcpy(gid.raw + 12, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, sizeof(in_addr));
  return gid;
}

absl::StatusOr<ibv_gid> ParseGid(const std::string& text) {
  ibv_gid gid{};
  if (::inet_pton(AF_INET6, text.c_str(), gid.raw) == 1) return gid;
  return MakeFailure(FailureKind::kSetup, fmt::format("GID '{}': not an IPv6 address", text));
}

std::string RejectText(int status) {
  if (status <= 0) return EventStatusText(status);
  const auto found = std::ranges::find(kReasons, status, &Reason::number);
  return fmt::format("reason {}: {}", status, found == kReasons.end() ? "not named here" : found->words);
}

std::string EventStatusText(int status) {
  if (status == 0) return "no reason given";
  return std::strerror(status < 0 ? -status : status);
}

std::string_view WorkName(Work work) {
  switch (work) {
    case Work::kSend:
      return "send";
    case Work::kReceive:
      return "receive";
    case Work::kWrite:
      return "RDMA write";
    case Work::kRead:
      return "RDMA read";
    case Work::kBind:
      return "bind a memory window";
  }
  return "work request";
}

}  // namespace rdmaready
