// SPDX-License-Identifier: Apache-2.0
// Hosts: which hosts a command is about, from the command line and from an inventory file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/address.h"
#include "api/inventory/inventory.h"
#include "api/model/report.h"
#include "api/profile/site.h"

namespace rdmaready {

// kInvalidArgument with one clear line: a host that makes no sense, or one that is named twice.
absl::StatusOr<std::vector<HostAddress>> ParseHosts(const std::vector<std::string>& names);

// Whether both are written as one host: an address and a name of it are two.
bool IsSameName(const HostAddress& a, const HostAddress& b);

// The command line's hosts, of which each may be a list (ExpandHosts), then the inventory's, or those of
// `part` of it (no file when `inventory` is empty, standard input when it is
// "-"). Errors are kInvalidArgument; what is wrong in the file is named with its line.
absl::StatusOr<std::vector<HostAddress>> ChooseHosts(const std::vector<std::string>& names,
                                                     const std::string& inventory,
                                                     const InventoryPart& part = {});

// What an inventory says of a host; nothing of one that the command line names.
struct HostOrigin {
  std::string group{};
  std::string rack{};
  std::shared_ptr<const Site> site{};  // by what it is judged; null: not said. Hosts share it.
};

struct ChosenHosts {
  std::vector<HostAddress> addresses{};
  std::vector<HostOrigin> origins{};  // of each
};

// The same with what the inventory says of them. With `with_profiles` the profiles and site files that it names
// are read, which may fail; else no host has a site.
absl::StatusOr<ChosenHosts> ChooseWithOrigins(const std::vector<std::string>& names,
                                              const std::string& inventory, const InventoryPart& part,
                                              bool with_profiles);

// kInvalidArgument, naming both, when two hosts share a target (as Resolve gives them, in the order of
// `hosts`): one agent would be asked twice, and meet itself. A host without any is no concern of this.
absl::Status CheckDistinct(std::span<const HostAddress> hosts,
                           std::span<const std::vector<ResolvedAddress>> resolved);

// kInvalidArgument, naming both, when two hosts gave the same instance id: one agent, reached by two addresses.
// An empty id tells nothing.
absl::Status CheckDistinctAgents(std::span<const HostAddress> hosts, std::span<const std::string> instance_ids);

// kInvalidArgument when so many hosts cannot be judged at this level: `peer` takes two.
absl::Status CheckHostCount(std::size_t hosts, Rung level);

// Hosts that are tested with each other at level peer, by index: a ring, each host with the next one on the
// list; two hosts are one pair. Each edge is tested both ways.
struct Edge {
  std::size_t from = 0;
  std::size_t to = 0;
  bool operator==(const Edge&) const = default;
};
std::vector<Edge> Ring(std::size_t hosts);

// All pairs, by the circle method: in rounds of pairs that have no host in common, so that the pairs of a round
// can be tested at once.
std::vector<Edge> Mesh(std::size_t hosts);

enum class PairShape { kRing, kMesh };

}  // namespace rdmaready
