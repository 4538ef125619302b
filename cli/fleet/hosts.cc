// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/hosts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/inventory/host_list.h"
#include "api/inventory/sites.h"
#include "checks/words/names.h"

namespace rdmaready {
namespace {

// Two spellings with the same key are the same host.
std::string Key(const HostAddress& address) {
  if (!address.unix_path.empty()) return "unix:" + address.unix_path;
  std::string key = fmt::format("{}:{}", address.host, address.port);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return key;
}

// Any kind of file will do (a pipe from another command), but not without end.
absl::StatusOr<std::string> ReadText(const std::string& path) {
  const auto trouble = [&path](int error) {
    return absl::InvalidArgumentError(Message(ErrnoStatus(error, "read " + path)));
  };
  UniqueFd opened;
  if (path != "-") {
    opened = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened) return trouble(errno);
  }
  const int fd = path == "-" ? STDIN_FILENO : opened.get();
  std::string text;
  std::array<char, 65536> piece{};
  while (true) {
    const ::ssize_t size = ::read(fd, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return trouble(errno);
    if (size == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(size));
    if (text.size() > kMostInventoryBytes)
      return absl::InvalidArgumentError("read " + path + ": too large for an inventory");
  }
}

absl::StatusOr<std::vector<HostAddress>> ParseListed(const std::vector<ListedHost>& listed) {
  std::vector<HostAddress> hosts;
  std::map<std::string, const ListedHost*> seen;
  for (const ListedHost& entry : listed) {
    absl::StatusOr<HostAddress> host = ParseHostAddress(entry.name);
    if (!host.ok()) return absl::InvalidArgumentError(entry.place + Message(host.status()));
    const auto [first, fresh] = seen.emplace(Key(*host), &entry);
    if (!fresh) {
      const std::string& before = first->second->name;
      return absl::InvalidArgumentError(
          entry.place + (before == entry.name ? "host " + before + " is named twice"
                                              : "hosts " + before + " and " + entry.name + " are the same"));
    }
    hosts.push_back(*std::move(host));
  }
  return hosts;
}

std::vector<ListedHost> FromCommandLine(const std::vector<std::string>& names) {
  std::vector<ListedHost> listed;
  for (const std::string& name : names) listed.push_back({.name = name});
  return listed;
}

std::string NamesNoHost(const std::string& inventory, const InventoryPart& part) {
  const bool both = !part.groups.empty() && !part.racks.empty();
  return "inventory " + inventory + " names no host" + (both ? " that is in such a group and such a rack" : "");
}

}  // namespace

absl::StatusOr<std::vector<HostAddress>> ParseHosts(const std::vector<std::string>& names) {
  return ParseListed(FromCommandLine(names));
}

bool IsSameName(const HostAddress& a, const HostAddress& b) { return Key(a) == Key(b); }

absl::StatusOr<std::vector<HostAddress>> ChooseHosts(const std::vector<std::string>& names,
                                                     const std::string& inventory, const InventoryPart& part) {
  RR_ASSIGN_OR_RETURN(ChosenHosts chosen, ChooseWithOrigins(names, inventory, part, false));
  return std::move(chosen.addresses);
}

absl::StatusOr<ChosenHosts> ChooseWithOrigins(const std::vector<std::string>& names,
                                              const std::string& inventory, const InventoryPart& part,
                                              bool with_profiles) {
  std::vector<ListedHost> all;
  for (const std::string& list : names) {
    RR_ASSIGN_OR_RETURN(const std::vector<std::string> hosts, ExpandHosts(list));
    for (const std::string& host : hosts) all.push_back({.name = host});
  }
  if (inventory.empty() && !(part.groups.empty() && part.racks.empty()))
    return absl::InvalidArgumentError(part.groups.empty() ? "--rack is for --inventory FILE"
                                                          : "--group is for --inventory FILE");
  std::vector<std::shared_ptr<const Site>> sites;
  if (!inventory.empty()) {
    RR_ASSIGN_OR_RETURN(const std::string text, ReadText(inventory));
    RR_ASSIGN_OR_RETURN(const Inventory listed, ParseInventory(text, inventory, part));
    if (listed.hosts.empty()) return absl::InvalidArgumentError(NamesNoHost(inventory, part));
    all.insert(all.end(), listed.hosts.begin(), listed.hosts.end());
    if (with_profiles) {
      RR_ASSIGN_OR_RETURN(sites, SitesOf(listed));
    }
  }
  ChosenHosts chosen;
  RR_ASSIGN_OR_RETURN(chosen.addresses, ParseListed(all));
  for (ListedHost& host : all) {
    HostOrigin& origin = chosen.origins.emplace_back();
    origin.group = std::move(host.group);
    origin.rack = std::move(host.rack);
    if (with_profiles && host.judging) origin.site = sites[*host.judging];
  }
  return chosen;
}

absl::Status CheckDistinct(std::span<const HostAddress> hosts,
                           std::span<const std::vector<ResolvedAddress>> resolved) {
  std::map<std::string_view, std::size_t> owners;
  for (std::size_t i = 0; i < hosts.size() && i < resolved.size(); ++i) {
    for (const ResolvedAddress& address : resolved[i]) {
      const std::size_t owner = owners.emplace(address.target, i).first->second;
      if (owner == i) continue;
      return absl::InvalidArgumentError("hosts " + hosts[owner].text + " and " + hosts[i].text +
                                        " are the same: both are " +
                                        address.target.substr(address.target.find(':') + 1));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDistinctAgents(std::span<const HostAddress> hosts,
                                 std::span<const std::string> instance_ids) {
  std::map<std::string_view, std::size_t> owners;
  for (std::size_t i = 0; i < hosts.size() && i < instance_ids.size(); ++i) {
    if (instance_ids[i].empty()) continue;
    const auto [owner, fresh] = owners.emplace(instance_ids[i], i);
    if (fresh) continue;
    return absl::InvalidArgumentError("hosts " + hosts[owner->second].text + " and " + hosts[i].text +
                                      " are the same: one agent answers at both addresses");
  }
  return absl::OkStatus();
}

absl::Status CheckHostCount(std::size_t hosts, Rung level) {
  if ((level == Rung::kPeer || level == Rung::kSmbDirect) && hosts < 2) {
    const std::string name(Name(level));
    return absl::InvalidArgumentError("--level " + name +
                                      " needs at least two hosts: rdmaready check A B --level " + name);
  }
  return absl::OkStatus();
}

std::vector<Edge> Mesh(std::size_t hosts) {
  // The last place stays, the others go round. An odd number of hosts has a place without a host.
  const std::size_t places = hosts + hosts % 2;
  std::vector<Edge> edges;
  if (hosts < 2) return edges;
  for (std::size_t round = 0; round + 1 < places; ++round) {
    const auto place = [&](std::size_t i) { return (round + i) % (places - 1); };
    if (places == hosts) edges.push_back({place(0), places - 1});
    for (std::size_t i = 1; i < places / 2; ++i) edges.push_back({place(i), place(places - 1 - i)});
  }
  return edges;
}

std::vector<Edge> Ring(std::size_t hosts) {
  std::vector<Edge> edges;
  if (hosts < 2) return edges;
  const std::size_t count = hosts == 2 ? 1 : hosts;
  for (std::size_t i = 0; i < count; ++i) edges.push_back({i, (i + 1) % hosts});
  return edges;
}

}  // namespace rdmaready
