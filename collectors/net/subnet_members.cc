// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/subnet_members.h"

#include <optional>

namespace rdmaready {
namespace {

PrefixLengths LengthsOf(const AddressTable& table) {
  PrefixLengths lengths;
  for (const auto& [ifindex, addresses] : table) {
    for (const IpAddress& one : addresses) {
      if (const auto parsed = ParseAddress(one.address, one.prefix_length)) lengths.Add(*parsed);
    }
  }
  return lengths;
}

}  // namespace

SubnetMembers::SubnetMembers(const AddressTable& table) : members_(Agree::kInShorterPrefix, LengthsOf(table)) {
  for (const auto& [ifindex, addresses] : table) {
    for (std::size_t place = 0; place < addresses.size(); ++place) {
      const IpAddress& one = addresses[place];
      taken_.insert(one.address);
      const std::optional<ParsedAddress> parsed = ParseAddress(one.address, one.prefix_length);
      if (!parsed) continue;
      members_.Add(*parsed, [&, ifindex = ifindex](std::vector<Member>& members) {
        if (members.empty() || members.back().ifindex != ifindex)
          members.push_back({ifindex, place, one.address});
      });
    }
  }
}

std::map<std::uint32_t, std::string> SubnetMembers::FirstOfEach(const IpAddress& own) const {
  std::map<std::uint32_t, const Member*> first;
  if (const auto parsed = ParseAddress(own.address, own.prefix_length)) {
    members_.ForSubnetOf(*parsed, [&first](const std::vector<Member>& members) {
      for (const Member& member : members) {
        const Member*& best = first[member.ifindex];
        if (best == nullptr || member.place < best->place) best = &member;
      }
    });
  }
  std::map<std::uint32_t, std::string> addresses;
  for (const auto& [ifindex, member] : first) addresses.emplace(ifindex, member->address);
  return addresses;
}

}  // namespace rdmaready
