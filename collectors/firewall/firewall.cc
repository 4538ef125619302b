// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/firewall.h"

#include <fmt/format.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "api/base/status.h"
#include "api/model/well_known_ports.h"
#include "collectors/firewall/nft_filter.h"

namespace rdmaready {
namespace {

// By IPv4 and by IPv6, to each TCP or UDP port that may matter, on each netdev of the ports.
std::vector<NftArrival> ArrivalsOn(const std::vector<Port>& ports) {
  std::set<std::pair<std::uint8_t, std::uint16_t>> asked{{IPPROTO_UDP, kRoceV2UdpPort}};
  for (const std::uint16_t port : kServerPorts) asked.emplace(IPPROTO_TCP, port);
  std::map<std::string, NftArrival> ways;
  for (const Port& port : ports) {
    if (port.listeners) {
      for (const RdmaListener& listener : *port.listeners) asked.emplace(IPPROTO_TCP, listener.port);
    }
    if (!port.netdev) continue;
    std::map<std::string, std::uint32_t> netdevs{{port.netdev->name, port.netdev->ifindex}};
    auto carriers = netdevs;
    if (port.lowers) {
      for (const Netdev& lower : *port.lowers) carriers.emplace(lower.name, lower.ifindex);
    }
    if (port.uppers) {
      for (const UpperNetdev& upper : *port.uppers) netdevs.emplace(upper.name, upper.ifindex);
    }
    for (const auto& [name, ifindex] : netdevs) {
      ways[name].packet = {.netdev = name, .ifindex = ifindex};
      ways[name].carriers.insert(carriers.begin(), carriers.end());
    }
  }
  std::vector<NftArrival> arrivals;
  for (auto& [name, way] : ways) {
    for (const auto& [protocol, port] : asked) {
      std::tie(way.packet.protocol, way.packet.port) = std::tie(protocol, port);
      for (const bool ipv6 : {false, true}) {
        way.packet.ipv6 = ipv6;
        arrivals.push_back(way);
      }
    }
  }
  return arrivals;
}

NetlinkRequest NftRequest(int command, std::uint8_t family, const Payload& about) {
  const nfgenmsg header{.nfgen_family = family, .version = NFNETLINK_V0, .res_id = 0};
  Payload payload = Payload::Of(header);
  payload.Join(about);
  const auto type = static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | command);
  return {NETLINK_NETFILTER, type, true, payload.bytes()};
}

int CommandOf(NftList list) {
  switch (list) {
    case NftList::kTables:
      return NFT_MSG_GETTABLE;
    case NftList::kChains:
      return NFT_MSG_GETCHAIN;
    case NftList::kRules:
      return NFT_MSG_GETRULE;
  }
  return NFT_MSG_GETTABLE;
}

absl::StatusOr<Firewall> AskKernel(HostReader& host, const Fact<std::vector<Port>>& ports) {
  NftAnswers answers;
  for (const auto& [list, messages] :
       {std::pair{NftList::kTables, &answers.tables}, std::pair{NftList::kChains, &answers.chains},
        std::pair{NftList::kRules, &answers.rules}}) {
    RR_ASSIGN_OR_RETURN(*messages, host.Netlink(NftListRequest(list)));
  }
  const auto ask_set = [&host](std::uint8_t family, const std::string& table, const std::string& set) {
    return host.Netlink(NftElementsRequest(family, table, set));
  };
  return TryPackets(answers, ports ? ArrivalsOn(*ports) : std::vector<NftArrival>{}, ask_set);
}

// Built-in modules have a folder in /sys/module only if they have parameters: nf_tables has none. A kernel that
// takes no modules cannot be made to load one by asking.
absl::StatusOr<bool> MayBeAsked(HostReader& host, const Fact<Kernel>& kernel) {
  RR_ASSIGN_OR_RETURN(const std::vector<std::string> loaded, host.ListDirectory("/sys/module"));
  if (std::ranges::find(loaded, "nf_tables") != loaded.end()) return true;
  if (kernel) {
    const absl::StatusOr<std::vector<std::string>> built_in =
        host.FindLines(fmt::format("/lib/modules/{}/modules.builtin", kernel->release), {"/nf_tables.ko"});
    if (built_in.ok()) return !built_in->empty();
    if (built_in.status().code() != absl::StatusCode::kNotFound) return built_in.status();
  }
  const absl::Status modules = host.FindLines("/proc/modules", {"nf_tables"}).status();
  if (modules.code() == absl::StatusCode::kNotFound) return true;
  if (!modules.ok()) return modules;
  return absl::InternalError(
      "not told whether nf_tables is built into the kernel: there is no modules.builtin");
}

// Each family has a file that lists its tables, once its module is loaded; only root may read it.
absl::StatusOr<bool> HasLegacyTables(HostReader& host) {
  for (const char* path : {kIptablesNames, kIp6tablesNames}) {
    const absl::StatusOr<std::string> names = host.ReadFile(path);
    if (names.ok() && !names->empty()) return true;
    if (!names.ok() && names.status().code() != absl::StatusCode::kNotFound) return names.status();
  }
  return false;
}

absl::StatusOr<Firewall> ReadNft(HostReader& host, const Fact<Kernel>& kernel,
                                 const Fact<std::vector<Port>>& ports) {
  Firewall firewall;
  RR_ASSIGN_OR_RETURN(const bool in_kernel, MayBeAsked(host, kernel));
  if (in_kernel) {
    RR_ASSIGN_OR_RETURN(firewall, AskKernel(host, ports));
  }
  RR_ASSIGN_OR_RETURN(firewall.legacy_tables, HasLegacyTables(host));
  return firewall;
}

}  // namespace

NetlinkRequest NftListRequest(NftList list) { return NftRequest(CommandOf(list), NFPROTO_UNSPEC, {}); }

NetlinkRequest NftElementsRequest(std::uint8_t family, const std::string& table, const std::string& set) {
  Payload about;
  about.Text(NFTA_SET_ELEM_LIST_TABLE, table).Text(NFTA_SET_ELEM_LIST_SET, set);
  return NftRequest(NFT_MSG_GETSETELEM, family, about);
}

Fact<Firewall> ReadFirewall(HostReader& host, const Fact<Kernel>& kernel,
                            const Fact<std::vector<Port>>& ports) {
  absl::StatusOr<Firewall> firewall = ReadNft(host, kernel, ports);
  if (!firewall.ok()) return MissingFrom(firewall.status());
  return *std::move(firewall);
}

}  // namespace rdmaready
