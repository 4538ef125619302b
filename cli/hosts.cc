// SPDX-License-Identifier: Apache-2.0
#include "cli/hosts.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace rdmaready {
namespace {

// Two spellings with the same key are the same host.
std::string Key(const HostAddress& address) {
  if (!address.unix_path.empty()) return "unix:" + address.unix_path;
  std::string key = address.host + ":" + std::to_string(address.port);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return key;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::InvalidArgumentError("read " + path + ": " + std::strerror(errno));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return absl::InvalidArgumentError("read " + path + ": " + std::strerror(errno));
  return text;
}

}  // namespace

std::vector<std::string> ParseInventory(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    line = Trim(line.substr(0, line.find('#')));
    if (!line.empty()) names.emplace_back(line);
  }
  return names;
}

absl::StatusOr<std::vector<HostAddress>> ParseHosts(const std::vector<std::string>& names) {
  std::vector<HostAddress> hosts;
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    absl::StatusOr<HostAddress> host = ParseHostAddress(name);
    if (!host.ok()) return host.status();
    const auto [entry, fresh] = seen.emplace(Key(*host), name);
    if (!fresh) {
      return absl::InvalidArgumentError(entry->second == name
                                            ? "host " + name + " is named twice"
                                            : "hosts " + entry->second + " and " + name + " are the same");
    }
    hosts.push_back(*std::move(host));
  }
  return hosts;
}

absl::StatusOr<std::vector<HostAddress>> ChooseHosts(const std::vector<std::string>& names,
                                                     const std::string& inventory) {
  std::vector<std::string> all = names;
  if (!inventory.empty()) {
    const absl::StatusOr<std::string> text = ReadText(inventory);
    if (!text.ok()) return text.status();
    const std::vector<std::string> listed = ParseInventory(*text);
    if (listed.empty()) return absl::InvalidArgumentError("inventory " + inventory + " names no host");
    all.insert(all.end(), listed.begin(), listed.end());
  }
  return ParseHosts(all);
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
  if (level == Rung::kPeer && hosts < 2) {
    return absl::InvalidArgumentError(
        "--level peer needs at least two hosts: rdmaready check A B --level peer");
  }
  return absl::OkStatus();
}

std::vector<Edge> Ring(std::size_t hosts) {
  std::vector<Edge> edges;
  if (hosts < 2) return edges;
  const std::size_t count = hosts == 2 ? 1 : hosts;
  for (std::size_t i = 0; i < count; ++i) edges.push_back({i, (i + 1) % hosts});
  return edges;
}

}  // namespace rdmaready
