// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/firewall.h"

#include <endian.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "api/base/status.h"
#include "collectors/net/links.h"

namespace rdmaready {
namespace {

constexpr std::string_view kWhat = "packet filter";
constexpr std::size_t kMostRules = 20'000;

// A table is named by its family too, a chain by its table.
using TableKey = std::pair<std::uint8_t, std::string>;
using ChainKey = std::tuple<std::uint8_t, std::string, std::string>;

// Empty for families whose chains no IP packet for this host meets.
std::string_view FamilyName(std::uint8_t family) {
  switch (family) {
    case NFPROTO_INET:
      return "inet";
    case NFPROTO_IPV4:
      return "ip";
    case NFPROTO_IPV6:
      return "ip6";
    case NFPROTO_NETDEV:
      return "netdev";
    default:
      return "";
  }
}

// Where on its way to the host a packet meets the hook: the lower one first. nullopt: not on that way.
std::optional<int> StageOf(std::uint8_t family, std::uint32_t hook) {
  constexpr int kIngress = 0;
  constexpr int kPrerouting = 1;
  constexpr int kInput = 2;
  if (family == NFPROTO_NETDEV) return hook == NF_NETDEV_INGRESS ? std::optional(kIngress) : std::nullopt;
  if (hook == NF_INET_PRE_ROUTING) return kPrerouting;
  if (hook == NF_INET_LOCAL_IN) return kInput;
  if (family == NFPROTO_INET && hook == NF_INET_INGRESS) return kIngress;
  return std::nullopt;
}

struct RawRule {
  std::uint64_t handle = 0;
  std::span<const std::byte> expressions{};
};

struct RawChain {
  FirewallChain chain{};
  std::vector<std::string> netdevs{};  // that it hangs on, where it hangs on any
  std::optional<int> stage{};
  std::vector<RawRule> rules{};
};

absl::StatusOr<std::vector<std::string>> NetdevsOf(const Attributes& hook) {
  std::vector<std::string> names;
  if (hook.Find(NFTA_HOOK_DEV)) {
    absl::StatusOr<std::string> name = hook.Text(NFTA_HOOK_DEV);
    if (!name.ok()) return name.status();
    names.push_back(*std::move(name));
  } else if (const auto list = hook.Find(NFTA_HOOK_DEVS)) {
    const absl::StatusOr<Attributes> rows = Attributes::Parse(*list, kWhat);
    if (!rows.ok()) return rows.status();
    for (const Attributes::Attribute& row : rows->all()) {
      std::string name(reinterpret_cast<const char*>(row.value.data()), row.value.size());
      names.push_back(name.substr(0, name.find('\0')));
    }
  }
  return names;
}

absl::Status DecodeHook(std::span<const std::byte> nest, std::uint8_t family, RawChain* raw) {
  const absl::StatusOr<Attributes> hook = Attributes::Parse(nest, kWhat);
  if (!hook.ok()) return hook.status();
  const absl::StatusOr<std::uint32_t> number = NftU32(*hook, NFTA_HOOK_HOOKNUM);
  const absl::StatusOr<std::uint32_t> priority = NftU32(*hook, NFTA_HOOK_PRIORITY);
  if (!number.ok()) return number.status();
  if (!priority.ok()) return priority.status();
  absl::StatusOr<std::vector<std::string>> netdevs = NetdevsOf(*hook);
  if (!netdevs.ok()) return netdevs.status();
  raw->netdevs = *std::move(netdevs);
  raw->stage = StageOf(family, *number);
  raw->chain.input_hook = raw->stage.has_value();
  raw->chain.priority = static_cast<std::int32_t>(*priority);
  return absl::OkStatus();
}

absl::StatusOr<std::set<TableKey>> DormantTables(const std::vector<NetlinkMessage>& messages) {
  std::set<TableKey> dormant;
  for (const NetlinkMessage& message : messages) {
    nfgenmsg header{};
    const absl::StatusOr<Attributes> table = ParseMessage(message.payload, &header, kWhat);
    if (!table.ok()) return table.status();
    const absl::StatusOr<std::string> name = table->Text(NFTA_TABLE_NAME);
    const absl::StatusOr<std::uint32_t> flags = NftU32(*table, NFTA_TABLE_FLAGS);
    if (!name.ok()) return name.status();
    if (!flags.ok()) return flags.status();
    if ((*flags & NFT_TABLE_F_DORMANT) != 0) dormant.emplace(header.nfgen_family, *name);
  }
  return dormant;
}

// All chains, without their rules.
class Chains {
 public:
  absl::Status AddChain(const NetlinkMessage& message, const std::set<TableKey>& dormant);
  absl::Status AddRule(const NetlinkMessage& message);
  absl::StatusOr<std::vector<FirewallChain>> Reached(const NftLookups& lookups);

 private:
  absl::Status Decode(const ChainKey& key, RawChain& raw, const NftLookups& lookups);

  std::map<ChainKey, RawChain> chains_{};
  std::size_t rules_ = 0;
};

absl::Status Chains::AddChain(const NetlinkMessage& message, const std::set<TableKey>& dormant) {
  nfgenmsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(message.payload, &header, kWhat);
  if (!attributes.ok()) return attributes.status();
  const std::string_view family = FamilyName(header.nfgen_family);
  if (family.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> table = attributes->Text(NFTA_CHAIN_TABLE);
  const absl::StatusOr<std::string> name = attributes->Text(NFTA_CHAIN_NAME);
  if (!table.ok()) return table.status();
  if (!name.ok()) return name.status();
  if (dormant.contains({header.nfgen_family, *table})) return absl::OkStatus();
  RawChain raw{.chain = {.family = std::string(family), .table = *table, .name = *name}};
  if (const auto hook = attributes->Find(NFTA_CHAIN_HOOK)) {
    RR_RETURN_IF_ERROR(DecodeHook(*hook, header.nfgen_family, &raw));
  }
  if (attributes->Find(NFTA_CHAIN_POLICY)) {
    const absl::StatusOr<std::uint32_t> policy = NftU32(*attributes, NFTA_CHAIN_POLICY);
    if (!policy.ok()) return policy.status();
    raw.chain.policy = *policy == NF_DROP ? FirewallAction::kDrop : FirewallAction::kAccept;
  }
  chains_.emplace(ChainKey(header.nfgen_family, *table, *name), std::move(raw));
  return absl::OkStatus();
}

absl::Status Chains::AddRule(const NetlinkMessage& message) {
  nfgenmsg header{};
  const absl::StatusOr<Attributes> rule = ParseMessage(message.payload, &header, kWhat);
  if (!rule.ok()) return rule.status();
  const absl::StatusOr<std::string> table = rule->Text(NFTA_RULE_TABLE);
  const absl::StatusOr<std::string> chain = rule->Text(NFTA_RULE_CHAIN);
  const absl::StatusOr<std::uint64_t> handle = rule->U64(NFTA_RULE_HANDLE);
  if (!table.ok()) return table.status();
  if (!chain.ok()) return chain.status();
  if (!handle.ok()) return handle.status();
  const auto found = chains_.find(ChainKey(header.nfgen_family, *table, *chain));
  if (found == chains_.end()) return absl::OkStatus();
  found->second.rules.push_back(
      {be64toh(*handle), rule->Find(NFTA_RULE_EXPRESSIONS).value_or(std::span<const std::byte>{})});
  return absl::OkStatus();
}

absl::Status Chains::Decode(const ChainKey& key, RawChain& raw, const NftLookups& lookups) {
  const auto& [family, table, name] = key;
  const NftSurroundings around{
      .family = raw.chain.family,
      .find_set = [&lookups, &family,
                   &table](const std::string& set) { return lookups.find_set(family, table, set); },
      .netdev_of = lookups.netdev_of};
  for (const RawRule& rule : raw.rules) {
    absl::StatusOr<std::vector<FirewallRule>> rules = DecodeNftRule(rule.expressions, rule.handle, around);
    if (!rules.ok()) return rules.status();
    rules_ += rules->size();
    if (rules_ > kMostRules) return Malformed(kWhat, "too many rules");
    std::ranges::move(*rules, std::back_inserter(raw.chain.rules));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<FirewallChain>> Chains::Reached(const NftLookups& lookups) {
  std::vector<ChainKey> way;
  for (const auto& [key, raw] : chains_) {
    if (raw.stage) way.push_back(key);
  }
  std::ranges::stable_sort(way, {}, [this](const ChainKey& key) {
    const RawChain& raw = chains_.at(key);
    return std::pair(*raw.stage, raw.chain.priority);
  });
  std::set<ChainKey> seen(way.begin(), way.end());
  std::vector<FirewallChain> reached;
  for (std::size_t at = 0; at < way.size(); ++at) {  // it grows
    const ChainKey key = way[at];
    RawChain& raw = chains_.at(key);
    RR_RETURN_IF_ERROR(Decode(key, raw, lookups));
    for (const FirewallRule& rule : raw.chain.rules) {
      const ChainKey target(std::get<0>(key), std::get<1>(key), rule.target);
      if (chains_.contains(target) && seen.insert(target).second) way.push_back(target);
    }
    if (raw.netdevs.empty()) raw.netdevs.emplace_back();
    for (const std::string& netdev : raw.netdevs) {
      reached.push_back(raw.chain);
      reached.back().netdev = netdev;
    }
  }
  return reached;
}

std::uint16_t NftType(int command) { return static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | command); }

absl::StatusOr<std::vector<NetlinkMessage>> List(HostReader& host, int command, std::uint8_t family,
                                                 const Payload& about) {
  const nfgenmsg header{.nfgen_family = family, .version = NFNETLINK_V0, .res_id = 0};
  Payload payload = Payload::Of(header);
  payload.Join(about);
  return host.Netlink({NETLINK_NETFILTER, NftType(command), true, payload.bytes()});
}

absl::StatusOr<NftElements> ListElements(HostReader& host, std::uint8_t family, const std::string& table,
                                         const std::string& set) {
  Payload about;
  about.Text(NFTA_SET_ELEM_LIST_TABLE, table).Text(NFTA_SET_ELEM_LIST_SET, set);
  const absl::StatusOr<std::vector<NetlinkMessage>> answer = List(host, NFT_MSG_GETSETELEM, family, about);
  if (!answer.ok()) return answer.status();
  NftElements elements;
  for (const NetlinkMessage& message : *answer) {
    RR_RETURN_IF_ERROR(DecodeNftElements(message.payload, &elements));
  }
  return elements;
}

absl::StatusOr<std::vector<FirewallChain>> ReadChains(HostReader& host) {
  NftAnswers answers;
  for (const auto& [command, messages] :
       {std::pair{NFT_MSG_GETTABLE, &answers.tables}, std::pair{NFT_MSG_GETCHAIN, &answers.chains},
        std::pair{NFT_MSG_GETRULE, &answers.rules}}) {
    absl::StatusOr<std::vector<NetlinkMessage>> answer = List(host, command, NFPROTO_UNSPEC, {});
    if (!answer.ok()) return answer.status();
    *messages = *std::move(answer);
  }
  const NftLookups lookups{
      .find_set = [&host](std::uint8_t family, const std::string& table,
                          const std::string& set) { return ListElements(host, family, table, set); },
      .netdev_of =
          [&host](std::uint32_t ifindex) {
            const absl::StatusOr<Link> link = ReadLinkByIndex(host, ifindex);
            return link.ok() ? link->name : std::string();
          }};
  return DecodeNftChains(answers, lookups);
}

// Built-in modules have a folder in /sys/module only if they have parameters: nf_tables has none. A kernel that
// takes no modules cannot be made to load one by asking.
absl::StatusOr<bool> MayBeAsked(HostReader& host, const Fact<Kernel>& kernel) {
  const absl::StatusOr<std::vector<std::string>> loaded = host.ListDirectory("/sys/module");
  if (!loaded.ok()) return loaded.status();
  if (std::ranges::find(*loaded, "nf_tables") != loaded->end()) return true;
  if (kernel) {
    const absl::StatusOr<std::vector<std::string>> built_in =
        host.FindLines("/lib/modules/" + kernel->release + "/modules.builtin", {"/nf_tables.ko"});
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

}  // namespace

absl::StatusOr<std::vector<FirewallChain>> DecodeNftChains(const NftAnswers& answers,
                                                           const NftLookups& lookups) {
  const absl::StatusOr<std::set<TableKey>> dormant = DormantTables(answers.tables);
  if (!dormant.ok()) return dormant.status();
  Chains chains;
  for (const NetlinkMessage& message : answers.chains) RR_RETURN_IF_ERROR(chains.AddChain(message, *dormant));
  for (const NetlinkMessage& message : answers.rules) RR_RETURN_IF_ERROR(chains.AddRule(message));
  return chains.Reached(lookups);
}

Fact<Firewall> ReadFirewall(HostReader& host, const Fact<Kernel>& kernel) {
  Firewall firewall;
  const absl::StatusOr<bool> in_kernel = MayBeAsked(host, kernel);
  if (!in_kernel.ok()) return MissingFrom(in_kernel.status());
  if (*in_kernel) {
    absl::StatusOr<std::vector<FirewallChain>> chains = ReadChains(host);
    if (!chains.ok()) return MissingFrom(chains.status());
    firewall.chains = *std::move(chains);
  }
  const absl::StatusOr<bool> legacy = HasLegacyTables(host);
  if (!legacy.ok()) return MissingFrom(legacy.status());
  firewall.legacy_tables = *legacy;
  return firewall;
}

}  // namespace rdmaready
