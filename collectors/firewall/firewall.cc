// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/firewall.h"

#include <endian.h>
#include <fmt/format.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "api/base/status.h"
#include "api/model/well_known_ports.h"

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;

constexpr std::string_view kFilterWords = "packet filter";
constexpr std::size_t kMostElements = 4096;    // of a set
constexpr std::size_t kMostSteps = 1'000'000;  // rules that are run, for all packets together
constexpr int kMostJumps = 16;                 // NFT_JUMP_STACK_SIZE of the kernel

using ChainKey = std::tuple<std::uint8_t, std::string, std::string>;  // family, table, name

struct NftChain {
  std::string words{};                                  // "inet filter input"
  std::vector<std::string> netdevs{};                   // that it hangs on, where it hangs on any
  std::optional<std::pair<int, std::int32_t>> place{};  // at a hook: stage and priority, the lower one first
  bool drops = false;                                   // by its policy
  std::vector<std::pair<std::uint64_t, NftExpressions>> rules{};  // with their handles
};

// Empty for families whose chains no IP packet for this host meets.
std::string_view FamilyName(std::uint8_t family) {
  if (family == NFPROTO_INET) return "inet";
  if (family == NFPROTO_IPV4) return "ip";
  if (family == NFPROTO_IPV6) return "ip6";
  return family == NFPROTO_NETDEV ? "netdev" : "";
}

constexpr int kIngress = 0;

// Where on its way to the host a packet meets the hook; nullopt: not on that way.
std::optional<int> StageOf(std::uint8_t family, std::uint32_t hook) {
  if (family == NFPROTO_NETDEV) return hook == NF_NETDEV_INGRESS ? std::optional(kIngress) : std::nullopt;
  if (hook == NF_INET_PRE_ROUTING) return 1;
  if (hook == NF_INET_LOCAL_IN) return 2;
  return family == NFPROTO_INET && hook == NF_INET_INGRESS ? std::optional(kIngress) : std::nullopt;
}

std::string TextIn(const Attributes& attributes, int type) { return attributes.Text(type).value_or(""); }

absl::Status DecodeHook(std::span<const std::byte> nest, std::uint8_t family, NftChain& chain) {
  RR_ASSIGN_OR_RETURN(const Attributes hook, Attributes::Parse(nest, kFilterWords));
  RR_ASSIGN_OR_RETURN(const std::uint32_t number, hook.U32(NFTA_HOOK_HOOKNUM));
  RR_ASSIGN_OR_RETURN(const std::uint32_t priority, hook.U32(NFTA_HOOK_PRIORITY));
  if (const std::optional<int> stage = StageOf(family, be32toh(number))) {
    chain.place = std::pair(*stage, static_cast<std::int32_t>(be32toh(priority)));
  }
  if (hook.Find(NFTA_HOOK_DEV)) chain.netdevs.push_back(TextIn(hook, NFTA_HOOK_DEV));
  RR_ASSIGN_OR_RETURN(const Attributes list,
                      Attributes::Parse(hook.Find(NFTA_HOOK_DEVS).value_or(Octets{}), kFilterWords));
  for (const Attributes::Attribute& row : list.all()) {
    const std::string_view name(reinterpret_cast<const char*>(row.value.data()), row.value.size());
    chain.netdevs.emplace_back(name.substr(0, name.find('\0')));
  }
  return absl::OkStatus();
}

absl::StatusOr<NftElements> ElementsIn(const std::vector<NetlinkMessage>& messages) {
  NftElements elements;
  for (const NetlinkMessage& message : messages) {
    nfgenmsg header{};
    RR_ASSIGN_OR_RETURN(const Attributes answer, ParseMessage(message.payload, header, kFilterWords));
    const Octets list = answer.Find(NFTA_SET_ELEM_LIST_ELEMENTS).value_or(Octets{});
    RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(list, kFilterWords));
    for (const Attributes::Attribute& row : rows.all()) {
      RR_ASSIGN_OR_RETURN(elements.emplace_back(), Attributes::Parse(row.value, kFilterWords));
      if (elements.size() > kMostElements) return Malformed(kFilterWords, "too many elements in a set");
    }
  }
  return elements;
}

// ---- the way of a packet ----

// The ways in which a chain may end for a packet.
constexpr unsigned kAccepts = 1;
constexpr unsigned kDrops = 2;
constexpr unsigned kFalls = 4;  // off its end, or by return: the caller goes on
constexpr unsigned kOpen = 8;   // what is not understood decides

class Filter {
 public:
  explicit Filter(const AskNftSet& ask_set) : ask_set_(ask_set) {}

  absl::Status Add(const NftAnswers& answers);
  Firewall Try(const std::vector<NftArrival>& packets);

 private:
  absl::Status AddChain(const NetlinkMessage& message);
  absl::Status AddRule(const NetlinkMessage& message);
  const NftElements* FindSet(const ChainKey& chain, const std::string& set);
  unsigned Through(const ChainKey& key, const NftPacket& packet, int jumps);
  bool IsStopped(const ChainKey& key, const NftPacket& packet, FilteredPacket& tried);

  const AskNftSet& ask_set_;
  std::set<std::pair<std::uint8_t, std::string>> dormant_{};
  std::map<ChainKey, NftChain> chains_{};
  std::map<ChainKey, std::pair<std::vector<NetlinkMessage>, std::optional<NftElements>>> sets_{};
  std::set<ChainKey> met_{};
  std::size_t steps_ = 0;
  std::string dropped_{};  // the places that speak for the chain at the hook
  std::string unclear_{};
};

absl::Status Filter::Add(const NftAnswers& answers) {
  for (const NetlinkMessage& message : answers.tables) {
    nfgenmsg header{};
    RR_ASSIGN_OR_RETURN(const Attributes table, ParseMessage(message.payload, header, kFilterWords));
    RR_ASSIGN_OR_RETURN(const std::uint32_t flags, table.U32(NFTA_TABLE_FLAGS));
    if ((be32toh(flags) & NFT_TABLE_F_DORMANT) != 0)
      dormant_.emplace(header.nfgen_family, TextIn(table, NFTA_TABLE_NAME));
  }
  for (const NetlinkMessage& message : answers.chains) RR_RETURN_IF_ERROR(AddChain(message));
  for (const NetlinkMessage& message : answers.rules) RR_RETURN_IF_ERROR(AddRule(message));
  return absl::OkStatus();
}

absl::Status Filter::AddChain(const NetlinkMessage& message) {
  nfgenmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes attributes, ParseMessage(message.payload, header, kFilterWords));
  const std::string table = TextIn(attributes, NFTA_CHAIN_TABLE);
  const std::string name = TextIn(attributes, NFTA_CHAIN_NAME);
  const std::string_view family = FamilyName(header.nfgen_family);
  if (family.empty() || dormant_.contains({header.nfgen_family, table})) return absl::OkStatus();
  NftChain chain{.words = fmt::format("{} {} {}", family, table, name)};
  if (const auto hook = attributes.Find(NFTA_CHAIN_HOOK)) {
    RR_RETURN_IF_ERROR(DecodeHook(*hook, header.nfgen_family, chain));
  }
  chain.drops = attributes.Find(NFTA_CHAIN_POLICY) &&
                attributes.U32(NFTA_CHAIN_POLICY).value_or(htobe32(NF_DROP)) == htobe32(NF_DROP);
  chains_.emplace(ChainKey(header.nfgen_family, table, name), std::move(chain));
  return absl::OkStatus();
}

absl::Status Filter::AddRule(const NetlinkMessage& message) {
  nfgenmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes rule, ParseMessage(message.payload, header, kFilterWords));
  RR_ASSIGN_OR_RETURN(const std::uint64_t handle, rule.U64(NFTA_RULE_HANDLE));
  RR_ASSIGN_OR_RETURN(NftExpressions expressions,
                      DecodeNftRule(rule.Find(NFTA_RULE_EXPRESSIONS).value_or(Octets{})));
  const auto chain =
      chains_.find(ChainKey(header.nfgen_family, TextIn(rule, NFTA_RULE_TABLE), TextIn(rule, NFTA_RULE_CHAIN)));
  if (chain != chains_.end()) chain->second.rules.emplace_back(be64toh(handle), std::move(expressions));
  return absl::OkStatus();
}

const NftElements* Filter::FindSet(const ChainKey& chain, const std::string& set) {
  const auto& [family, table, name] = chain;
  const auto [at, is_new] = sets_.try_emplace(ChainKey(family, table, set));
  auto& [messages, elements] = at->second;
  if (is_new) {
    absl::StatusOr<std::vector<NetlinkMessage>> answer = ask_set_(family, table, set);
    if (answer.ok()) {
      messages = *std::move(answer);
      absl::StatusOr<NftElements> decoded = ElementsIn(messages);
      if (decoded.ok()) elements = *std::move(decoded);
    }
  }
  return elements ? &*elements : nullptr;
}

unsigned Filter::Through(const ChainKey& key, const NftPacket& packet, int jumps) {
  const auto found = chains_.find(key);
  if (found == chains_.end() || jumps > kMostJumps) return kOpen;
  met_.insert(key);
  unsigned ends = 0;
  for (const auto& [handle, rule] : found->second.rules) {
    if (++steps_ > kMostSteps) return ends | kOpen;
    const NftEffect effect =
        RunNftRule(rule, packet, [&](const std::string& set) { return FindSet(key, set); });
    if (effect.holds == Holds::kNo || effect.verdict == NFT_CONTINUE) continue;
    const std::string place = fmt::format("rule {} of {}", handle, found->second.words);
    if (effect.holds == Holds::kMaybe && unclear_.empty()) unclear_ = place;
    unsigned now = kOpen;
    if (effect.verdict == NF_ACCEPT) now = kAccepts;
    if (effect.verdict == NFT_RETURN) now = kFalls;
    if (effect.verdict == NF_DROP) {
      now = kDrops;
      if (effect.holds == Holds::kYes || dropped_.empty()) dropped_ = place;
    }
    if (effect.verdict == NFT_JUMP || effect.verdict == NFT_GOTO)
      now = Through(ChainKey(std::get<0>(key), std::get<1>(key), effect.target), packet, jumps + 1);
    if ((now & kOpen) != 0 && unclear_.empty()) unclear_ = place;
    const bool comes_back = effect.verdict == NFT_JUMP && (now & kFalls) != 0;
    ends |= effect.verdict == NFT_JUMP ? now & ~kFalls : now;
    if (effect.holds == Holds::kYes && !comes_back) return ends;
  }
  return ends | kFalls;
}

// False: it passes for certain.
bool Filter::IsStopped(const ChainKey& key, const NftPacket& packet, FilteredPacket& tried) {
  const NftChain& chain = chains_.at(key);
  dropped_.clear();
  unclear_.clear();
  unsigned ends = Through(key, packet, 0);
  if ((ends & kFalls) != 0 && chain.drops && dropped_.empty()) dropped_ = "the policy of " + chain.words;
  if ((ends & kFalls) != 0) ends |= chain.drops ? kDrops : kAccepts;
  if ((ends & (kDrops | kOpen)) == 0) return false;
  const bool certain = (ends & (kAccepts | kOpen)) == 0;
  tried.fate = certain ? PacketFate::kDropped : PacketFate::kUnknown;
  tried.chain = chain.words;
  tried.ingress = !chain.netdevs.empty();
  tried.place = certain ? dropped_ : unclear_.empty() ? chain.words : unclear_;
  return true;
}

// The packet as the chain meets it: once, or by each netdev that the chain hangs on.
std::vector<NftPacket> MetBy(const NftChain& chain, std::uint8_t family, const NftArrival& arrival) {
  const NftPacket& packet = arrival.packet;
  std::vector<NftPacket> met;
  for (const std::string& netdev : chain.netdevs) {
    const auto carrier = arrival.carriers.find(netdev);
    if (carrier == arrival.carriers.end()) continue;
    met.push_back(packet);
    std::tie(met.back().netdev, met.back().ifindex) = *carrier;
  }
  const bool its_family = family == NFPROTO_INET || family == (packet.ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
  if (chain.netdevs.empty() && its_family) met.push_back(packet);
  return met;
}

Firewall Filter::Try(const std::vector<NftArrival>& arrivals) {
  std::vector<ChainKey> hooks;
  for (const auto& [key, chain] : chains_) {
    if (chain.place) hooks.push_back(key);
  }
  std::ranges::stable_sort(hooks, {}, [this](const ChainKey& key) { return *chains_.at(key).place; });
  met_.insert(hooks.begin(), hooks.end());
  Firewall firewall{.hooks = static_cast<std::uint32_t>(hooks.size())};
  for (const NftArrival& arrival : arrivals) {
    const auto& [netdev, ifindex, ipv6, protocol, port] = arrival.packet;
    FilteredPacket tried{.netdev = netdev, .ipv6 = ipv6, .protocol = protocol, .port = port};
    const std::size_t before = firewall.packets.size();
    for (const ChainKey& key : hooks) {
      for (const NftPacket& packet : MetBy(chains_.at(key), std::get<0>(key), arrival)) {
        if (IsStopped(key, packet, tried)) firewall.packets.push_back(tried);
      }
    }
    if (!hooks.empty() && firewall.packets.size() == before) {
      tried.fate = PacketFate::kPasses;
      firewall.packets.push_back(tried);
    }
  }
  firewall.chains = static_cast<std::uint32_t>(met_.size());
  for (const ChainKey& key : met_) firewall.rules += static_cast<std::uint32_t>(chains_.at(key).rules.size());
  return firewall;
}

// ---- the questions ----

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

absl::StatusOr<std::vector<NetlinkMessage>> ListNft(HostReader& host, int command, std::uint8_t family,
                                                    const Payload& about) {
  const nfgenmsg header{.nfgen_family = family, .version = NFNETLINK_V0, .res_id = 0};
  Payload payload = Payload::Of(header);
  payload.Join(about);
  const auto type = static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | command);
  return host.Netlink({NETLINK_NETFILTER, type, true, payload.bytes()});
}

absl::StatusOr<Firewall> AskKernel(HostReader& host, const Fact<std::vector<Port>>& ports) {
  NftAnswers answers;
  for (const auto& [command, messages] :
       {std::pair{NFT_MSG_GETTABLE, &answers.tables}, std::pair{NFT_MSG_GETCHAIN, &answers.chains},
        std::pair{NFT_MSG_GETRULE, &answers.rules}}) {
    RR_ASSIGN_OR_RETURN(*messages, ListNft(host, command, NFPROTO_UNSPEC, {}));
  }
  const auto ask_set = [&host](std::uint8_t family, const std::string& table, const std::string& set) {
    Payload about;
    about.Text(NFTA_SET_ELEM_LIST_TABLE, table).Text(NFTA_SET_ELEM_LIST_SET, set);
    return ListNft(host, NFT_MSG_GETSETELEM, family, about);
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
  for (const char* path : {"/proc/net/ip_tables_names", "/proc/net/ip6_tables_names"}) {
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

absl::StatusOr<Firewall> TryPackets(const NftAnswers& answers, const std::vector<NftArrival>& arrivals,
                                    const AskNftSet& ask_set) {
  Filter filter(ask_set);
  RR_RETURN_IF_ERROR(filter.Add(answers));
  return filter.Try(arrivals);
}

Fact<Firewall> ReadFirewall(HostReader& host, const Fact<Kernel>& kernel,
                            const Fact<std::vector<Port>>& ports) {
  absl::StatusOr<Firewall> firewall = ReadNft(host, kernel, ports);
  if (!firewall.ok()) return MissingFrom(firewall.status());
  return *std::move(firewall);
}

}  // namespace rdmaready
