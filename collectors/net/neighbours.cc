// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/neighbours.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <utility>

#include "api/base/status.h"
#include "collectors/attributes.h"
#include "collectors/net/links.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kTicksPerSecond = 100;  // USER_HZ: nda_cacheinfo is for user space

NeighbourState StateOf(std::uint16_t state) {
  constexpr std::array<std::pair<std::uint16_t, NeighbourState>, 7> kStates{{
      {NUD_INCOMPLETE, NeighbourState::kIncomplete},
      {NUD_REACHABLE, NeighbourState::kReachable},
      {NUD_STALE, NeighbourState::kStale},
      {NUD_DELAY, NeighbourState::kDelay},
      {NUD_PROBE, NeighbourState::kProbe},
      {NUD_FAILED, NeighbourState::kFailed},
      {NUD_PERMANENT, NeighbourState::kPermanent},
  }};
  for (const auto& [bit, name] : kStates) {
    if (state == bit) return name;
  }
  return NeighbourState::kUnknown;
}

absl::StatusOr<std::string> AddressText(int family, std::span<const std::byte> raw) {
  const std::size_t bytes = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (raw.size() != bytes) return Malformed("neighbour", fmt::format("an address of {} bytes", raw.size()));
  if (::inet_ntop(family, raw.data(), text.data(), text.size()) == nullptr) {
    return Malformed("neighbour", "not printable");
  }
  return std::string(text.data());
}

absl::Status DecodeAge(std::span<const std::byte> raw, std::uint32_t& age_s) {
  nda_cacheinfo cache{};
  if (raw.size() != sizeof cache) return Malformed("neighbour", "cache information of another size");
  std::memcpy(&cache, raw.data(), sizeof cache);
  age_s = cache.ndm_updated / kTicksPerSecond;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<NeighbourOfLink>> DecodeNeighbour(std::span<const std::byte> payload) {
  ndmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes attributes, ParseMessage(payload, header, "neighbour"));
  if (header.ndm_family != AF_INET && header.ndm_family != AF_INET6) return std::nullopt;
  if (header.ndm_state == NUD_NONE || (header.ndm_state & NUD_NOARP) != 0) return std::nullopt;
  const auto raw = attributes.Find(NDA_DST);
  if (!raw) return Malformed("neighbour", "no address in it");
  NeighbourOfLink one{.ifindex = static_cast<std::uint32_t>(header.ndm_ifindex)};
  RR_ASSIGN_OR_RETURN(one.neighbour.address, AddressText(header.ndm_family, *raw));
  one.neighbour.state = StateOf(header.ndm_state);
  if (const auto mac = attributes.Find(NDA_LLADDR)) {
    RR_ASSIGN_OR_RETURN(one.neighbour.mac, MacText(*mac));
  }
  if (const auto cache = attributes.Find(NDA_CACHEINFO)) {
    RR_RETURN_IF_ERROR(DecodeAge(*cache, one.neighbour.age_s));
  }
  return one;
}

Fact<NeighbourTable> ReadNeighbours(HostReader& host) {
  const absl::StatusOr<std::vector<NetlinkMessage>> answer =
      host.Netlink({NETLINK_ROUTE, RTM_GETNEIGH, true, Payload::Of(ndmsg{}).bytes()});
  if (!answer.ok()) return MissingFrom(answer.status());
  NeighbourTable table;
  for (const NetlinkMessage& message : *answer) {
    absl::StatusOr<std::optional<NeighbourOfLink>> one = DecodeNeighbour(message.payload);
    if (!one.ok()) return MissingFrom(one.status());
    if (one->has_value()) table[(*one)->ifindex].push_back(std::move((*one)->neighbour));
  }
  return table;
}

}  // namespace rdmaready
