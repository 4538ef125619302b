// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/nft_filter.h"

#include <endian.h>
#include <fmt/format.h>
#include <linux/netfilter/nfnetlink.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFilterWords = "packet filter";
constexpr std::size_t kMostElements = 4096;    // of a set
constexpr std::size_t kMostSteps = 4'000'000;  // of a packet at a hook: rules run, and elements looked at
constexpr int kMostJumps = 16;                 // NFT_JUMP_STACK_SIZE of the kernel

using ChainKey = std::tuple<std::uint8_t, std::string, std::string>;  // family, table, name

struct NftChain {
  std::string words{};                                     // "inet filter input"
  std::vector<std::string> netdevs{};                      // that it hangs on, where it hangs on any
  std::optional<std::pair<int, std::int32_t>> place{};     // at a hook: stage and priority, the lower one first
  bool drops = false;                                      // by its policy
  std::vector<std::pair<std::uint64_t, NftRule>> rules{};  // with their handles
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
                      Attributes::Parse(hook.Find(NFTA_HOOK_DEVS).value_or(NftBytes{}), kFilterWords));
  for (const Attributes::Attribute& row : list.all()) {
    const std::string_view name(reinterpret_cast<const char*>(row.value.data()), row.value.size());
    chain.netdevs.emplace_back(name.substr(0, name.find('\0')));
  }
  return absl::OkStatus();
}

absl::StatusOr<NftSet> SetIn(const std::vector<NetlinkMessage>& messages) {
  NftSet set;
  for (const NetlinkMessage& message : messages) {
    nfgenmsg header{};
    RR_ASSIGN_OR_RETURN(const Attributes answer, ParseMessage(message.payload, header, kFilterWords));
    RR_ASSIGN_OR_RETURN(const NftSet more,
                        DecodeNftSet(answer.Find(NFTA_SET_ELEM_LIST_ELEMENTS).value_or(NftBytes{})));
    set.insert(set.end(), more.begin(), more.end());
    if (set.size() > kMostElements) return Malformed(kFilterWords, "too many elements in a set");
  }
  return set;
}

// ---- the chains ----

FirewallAction ActionOf(const NftVerdict& verdict) {
  if (verdict.code == NFT_CONTINUE) return FirewallAction::kNone;
  if (verdict.code == NF_ACCEPT) return FirewallAction::kAccept;
  if (verdict.code == NF_DROP) return FirewallAction::kDrop;
  if (verdict.code == NFT_JUMP) return FirewallAction::kJump;
  if (verdict.code == NFT_GOTO) return FirewallAction::kGoto;
  return verdict.code == NFT_RETURN ? FirewallAction::kReturn : FirewallAction::kUnknown;
}

// Where it is written in the rule itself.
NftVerdict VerdictOf(const NftRule& rule) {
  for (const NftExpression& expression : rule) {
    const auto* verdict = std::get_if<NftVerdict>(&expression);
    if (verdict != nullptr && verdict->code != NFT_CONTINUE) return *verdict;
    const auto* lookup = std::get_if<NftLookup>(&expression);
    if (lookup != nullptr && lookup->verdicts) return {.code = kNftNotUnderstood};
  }
  return {};
}

// ---- the way of a packet ----

// The ways in which a chain may end for a packet.
constexpr unsigned kAccepts = 1;
constexpr unsigned kDrops = 2;
constexpr unsigned kFalls = 4;  // off its end, or by return: the caller goes on
constexpr unsigned kOpen = 8;   // what is not understood decides
constexpr unsigned kCut = 16;   // too many steps

// A rule; no chain: of none.
struct RulePlace {
  const NftChain* chain = nullptr;
  std::uint64_t handle = 0;
};

std::string Words(const RulePlace& place) {
  return fmt::format("rule {} of {}", place.handle, place.chain->words);
}

struct Ends {
  unsigned ways = 0;
  RulePlace dropped{};  // the rule that drops all that comes to it, where the chain ends by one
  RulePlace unclear{};  // the first rule of which something is not certain
};

class Filter {
 public:
  explicit Filter(const AskNftSet& ask_set) : ask_set_(ask_set) {}

  absl::Status Add(const NftAnswers& answers);
  Firewall Try(const std::vector<NftArrival>& packets);

 private:
  absl::Status AddChain(const NetlinkMessage& message);
  absl::Status AddRule(const NetlinkMessage& message);
  const NftSet* FindSet(const ChainKey& chain, const std::string& set);
  Ends Through(const ChainKey& key, const NftPacket& packet, int jumps);
  Ends RunRules(const ChainKey& key, const NftPacket& packet, int jumps);
  bool IsStopped(const ChainKey& key, const NftPacket& packet, FilteredPacket& tried);
  std::vector<std::string> CalledBy(const ChainKey& key, std::set<const NftSet*>& looked_at) const;
  std::vector<FirewallChain> Listed(std::vector<ChainKey> hooks) const;

  const AskNftSet& ask_set_;
  std::set<std::pair<std::uint8_t, std::string>> dormant_{};
  std::map<ChainKey, NftChain> chains_{};
  std::map<ChainKey, std::pair<std::vector<NetlinkMessage>, std::optional<NftSet>>> sets_{};
  // Of one packet at one hook. A chain ends alike for it whoever calls the chain.
  std::map<ChainKey, Ends> ends_{};
  std::size_t steps_ = 0;
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
  RR_ASSIGN_OR_RETURN(NftRule decoded, DecodeNftRule(rule.Find(NFTA_RULE_EXPRESSIONS).value_or(NftBytes{})));
  const auto chain =
      chains_.find(ChainKey(header.nfgen_family, TextIn(rule, NFTA_RULE_TABLE), TextIn(rule, NFTA_RULE_CHAIN)));
  if (chain != chains_.end()) chain->second.rules.emplace_back(be64toh(handle), std::move(decoded));
  return absl::OkStatus();
}

const NftSet* Filter::FindSet(const ChainKey& chain, const std::string& set) {
  const auto& [family, table, name] = chain;
  const auto [at, is_new] = sets_.try_emplace(ChainKey(family, table, set));
  auto& [messages, decoded] = at->second;
  if (is_new) {
    absl::StatusOr<std::vector<NetlinkMessage>> answer = ask_set_(family, table, set);
    if (answer.ok()) {
      messages = *std::move(answer);
      absl::StatusOr<NftSet> elements = SetIn(messages);
      if (elements.ok()) decoded = *std::move(elements);
    }
  }
  if (!decoded) return nullptr;
  steps_ += decoded->size();  // each is looked at
  return &*decoded;
}

Ends Filter::Through(const ChainKey& key, const NftPacket& packet, int jumps) {
  if (jumps > kMostJumps || !chains_.contains(key)) return {.ways = kOpen};
  const auto [known, is_new] = ends_.try_emplace(key, Ends{.ways = kOpen});  // should it call itself
  if (is_new) known->second = RunRules(key, packet, jumps);
  return known->second;
}

Ends Filter::RunRules(const ChainKey& key, const NftPacket& packet, int jumps) {
  const NftChain& chain = chains_.at(key);
  const FindNftSet find_set = [this, &key](const std::string& set) { return FindSet(key, set); };
  Ends ends;
  for (const auto& [handle, rule] : chain.rules) {
    if (++steps_ > kMostSteps) {
      ends.ways |= kCut;
      return ends;
    }
    const auto [holds, verdict] = RunNftRule(rule, packet, find_set);
    if (holds == Holds::kNo || verdict.code == NFT_CONTINUE) continue;
    const RulePlace place{&chain, handle};
    const bool jump = verdict.code == NFT_JUMP;
    Ends now{.ways = kOpen};
    if (verdict.code == NF_ACCEPT) now.ways = kAccepts;
    if (verdict.code == NFT_RETURN) now.ways = kFalls;
    if (verdict.code == NF_DROP) now = {.ways = kDrops, .dropped = place};
    if (jump || verdict.code == NFT_GOTO)
      now = Through(ChainKey(std::get<0>(key), std::get<1>(key), verdict.chain), packet, jumps + 1);
    const bool open = holds == Holds::kMaybe || ((now.ways & kOpen) != 0 && now.unclear.chain == nullptr);
    if (open) now.unclear = place;
    if (ends.unclear.chain == nullptr) ends.unclear = now.unclear;
    ends.ways |= jump ? now.ways & ~kFalls : now.ways;
    if (holds == Holds::kMaybe || (jump && (now.ways & kFalls) != 0)) continue;
    ends.dropped = now.dropped;
    return ends;
  }
  ends.ways |= kFalls;
  return ends;
}

// False: it passes for certain.
bool Filter::IsStopped(const ChainKey& key, const NftPacket& packet, FilteredPacket& tried) {
  const NftChain& chain = chains_.at(key);
  ends_.clear();
  steps_ = 0;
  const Ends ends = Through(key, packet, 0);
  const bool by_policy = (ends.ways & kFalls) != 0;  // all that no rule drops before
  const unsigned ways = ends.ways | (!by_policy ? 0 : chain.drops ? kDrops : kAccepts);
  if ((ways & (kDrops | kOpen | kCut)) == 0) return false;
  tried.chain = chain.words;
  tried.ingress = !chain.netdevs.empty();
  if ((ways & kCut) != 0) {
    tried.fate = PacketFate::kTooManyRules;
    tried.place = chain.words;
  } else if ((ways & (kAccepts | kOpen)) != 0) {
    tried.fate = PacketFate::kUnknown;
    tried.place = ends.unclear.chain == nullptr ? chain.words : Words(ends.unclear);
  } else {
    tried.fate = PacketFate::kDropped;
    tried.place = by_policy ? "the policy of " + chain.words : Words(ends.dropped);
  }
  return true;
}

// Names, by the rules of the chain and by the maps of verdicts that were asked for. Each map is looked at once.
std::vector<std::string> Filter::CalledBy(const ChainKey& key, std::set<const NftSet*>& looked_at) const {
  const auto& [family, table, name] = key;
  std::vector<std::string> called;
  for (const auto& [handle, rule] : chains_.at(key).rules) {
    if (std::string target = VerdictOf(rule).chain; !target.empty()) called.push_back(std::move(target));
    for (const NftExpression& expression : rule) {
      const auto* lookup = std::get_if<NftLookup>(&expression);
      if (lookup == nullptr || !lookup->verdicts) continue;
      const auto found = sets_.find(ChainKey(family, table, lookup->set));
      if (found == sets_.end() || !found->second.second) continue;
      const NftSet& set = *found->second.second;
      if (!looked_at.insert(&set).second) continue;
      for (const NftElement& element : set) called.push_back(element.verdict.chain);
    }
  }
  return called;
}

std::vector<FirewallChain> Filter::Listed(std::vector<ChainKey> way) const {
  std::set<ChainKey> seen(way.begin(), way.end());
  std::set<const NftSet*> maps;
  std::vector<FirewallChain> listed;
  for (std::size_t at = 0; at < way.size(); ++at) {  // it grows
    const ChainKey key = way[at];
    const auto& [family, table, name] = key;
    const NftChain& chain = chains_.at(key);
    FirewallChain one{.family = std::string(FamilyName(family)),
                      .table = table,
                      .name = name,
                      .input_hook = chain.place.has_value(),
                      .priority = chain.place ? chain.place->second : 0,
                      .policy = chain.drops ? FirewallAction::kDrop : FirewallAction::kAccept};
    for (const auto& [handle, rule] : chain.rules) {
      NftVerdict verdict = VerdictOf(rule);
      one.rules.push_back({.handle = handle, .action = ActionOf(verdict), .target = std::move(verdict.chain)});
    }
    if (chain.netdevs.empty()) listed.push_back(one);
    for (const std::string& netdev : chain.netdevs) {
      listed.push_back(one);
      listed.back().netdev = netdev;
    }
    for (const std::string& called : CalledBy(key, maps)) {
      ChainKey target(family, table, called);
      if (chains_.contains(target) && seen.insert(target).second) way.push_back(std::move(target));
    }
  }
  return listed;
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
  Firewall firewall;
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
  firewall.chains = Listed(std::move(hooks));
  return firewall;
}

}  // namespace

absl::StatusOr<Firewall> TryPackets(const NftAnswers& answers, const std::vector<NftArrival>& arrivals,
                                    const AskNftSet& ask_set) {
  Filter filter(ask_set);
  RR_RETURN_IF_ERROR(filter.Add(answers));
  return filter.Try(arrivals);
}

}  // namespace rdmaready
