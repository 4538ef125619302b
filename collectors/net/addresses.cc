// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>

#include "api/base/status.h"
#include "collectors/attributes.h"

namespace rdmaready {

absl::StatusOr<std::optional<AddressOfLink>> DecodeAddress(std::span<const std::byte> payload) {
  ifaddrmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes attributes, ParseMessage(payload, header, "address"));
  if (header.ifa_family != AF_INET && header.ifa_family != AF_INET6) return std::nullopt;
  const std::size_t bytes = header.ifa_family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);

  // On a point-to-point link IFA_ADDRESS is the other end; IFA_LOCAL is then, and for IPv4 always, our own.
  auto raw = attributes.Find(IFA_LOCAL);
  if (!raw) raw = attributes.Find(IFA_ADDRESS);
  if (!raw) return Malformed("address", "no address in it");
  if (raw->size() != bytes) return Malformed("address", fmt::format("{} bytes", raw->size()));
  if (header.ifa_prefixlen > bytes * 8) {
    return Malformed("address", fmt::format("prefix length {}", header.ifa_prefixlen));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::inet_ntop(header.ifa_family, raw->data(), text.data(), text.size()) == nullptr) {
    return Malformed("address", "not printable");
  }
  return AddressOfLink{header.ifa_index, {text.data(), header.ifa_prefixlen}};
}

Fact<AddressTable> ReadAddresses(HostReader& host) {
  ifaddrmsg header{};
  header.ifa_family = AF_UNSPEC;
  const absl::StatusOr<std::vector<NetlinkMessage>> answer =
      host.Netlink({NETLINK_ROUTE, RTM_GETADDR, true, Payload::Of(header).bytes()});
  if (!answer.ok()) return MissingFrom(answer.status());
  AddressTable table;
  for (const NetlinkMessage& message : *answer) {
    absl::StatusOr<std::optional<AddressOfLink>> one = DecodeAddress(message.payload);
    if (!one.ok()) return MissingFrom(one.status());
    if (one->has_value()) table[(*one)->ifindex].push_back((*one)->address);
  }
  return table;
}

Fact<std::vector<IpAddress>> AddressesOf(const Fact<AddressTable>& table, std::uint32_t ifindex) {
  if (!table) return table.missing();
  const auto found = table->find(ifindex);
  return found == table->end() ? std::vector<IpAddress>{} : found->second;
}

}  // namespace rdmaready
