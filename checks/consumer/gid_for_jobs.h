// SPDX-License-Identifier: Apache-2.0
// The GID index that a program can be given for all of its ports at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "checks/words/addresses.h"

namespace rdmaready {

// The addresses of the port without those whose interface has the default route; all where none is left.
std::vector<PlacedAddress> AddressesBesideDefaultRoute(const Facts& host, const Port& port);

// RoCE v2 GIDs of IP addresses that the host has, by ascending index. With storage VLANs in the profile those
// of addresses on them only, else those beside the default route. Missing where the GIDs or the addresses are
// not known.
Fact<std::vector<Gid>> UsableGids(const Facts& host, const Port& port, const Profile& profile);

struct PortGids {
  const Port* port = nullptr;  // its GIDs are known
  std::vector<Gid> usable{};   // UsableGids, not empty
};

struct GidChoice {
  bool ipv6 = false;                     // the GIDs stand for IPv6 addresses: a port has no other
  std::optional<std::uint32_t> index{};  // the lowest that is usable on every port
  // Without a common index: whether the lowest RoCE v2 GID of that family, which NCCL 2.21, RCCL, UCX and MORI
  // take by themselves, is usable on every port.
  bool automatic = false;
  std::vector<std::string> addresses{};  // of each port, in their order
  std::string text{};                    // of each port its index: "mlx5_0/1 3, mlx5_1/1 5"

  bool operator==(const GidChoice&) const = default;
};

// `ports` is not empty.
GidChoice ChooseGid(std::span<const PortGids> ports);

}  // namespace rdmaready
