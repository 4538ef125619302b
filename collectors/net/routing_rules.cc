// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/routing_rules.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/fib_rules.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

// Of Linux 6.13 and later.
constexpr int kFraDscp = 25;
constexpr int kFraSportMask = 28;
constexpr int kFraDportMask = 29;
constexpr int kFraDscpMask = 30;

constexpr std::size_t kMostTextBytes = 200;

std::string Hexadecimal(std::uint32_t number) { return absl::StrCat("0x", absl::Hex(number)); }

// Puts a rule into the words of ip rule, in the same order. A condition that is not known here must not look
// like none, so what is neither read nor known to be no condition is said by its number.
class RuleWriter {
 public:
  RuleWriter(const fib_rule_hdr& header, const Attributes& attributes)
      : header_(header), attributes_(attributes) {}

  absl::StatusOr<RoutingRule> Take() {
    RoutingRule rule{.ipv6 = header_.family == AF_INET6, .priority = NumberOr(FRA_PRIORITY, 0)};
    if ((header_.flags & FIB_RULE_INVERT) != 0) Say("not");
    Prefix("from", FRA_SRC, header_.src_len, true);
    Prefix("to", FRA_DST, header_.dst_len, false);
    if (header_.tos != 0) Say("tos " + Hexadecimal(header_.tos));
    Byte("dscp", kFraDscp);
    Mark();
    Name("iif", FRA_IIFNAME, FIB_RULE_IIF_DETACHED);
    Name("oif", FRA_OIFNAME, FIB_RULE_OIF_DETACHED);
    if (OfVrf()) Say("l3mdev");
    Range<std::uint32_t>("uidrange", FRA_UID_RANGE);
    Byte("ipproto", FRA_IP_PROTO);
    Range<std::uint16_t>("sport", FRA_SPORT_RANGE);
    Range<std::uint16_t>("dport", FRA_DPORT_RANGE);
    for (const Attributes::Attribute& attribute : attributes_.all()) {
      if (!IsRead(attribute.type) && !IsWholeMask(attribute)) Say(fmt::format("attribute {}", attribute.type));
    }
    rule.selector = SafeLine(text_, kMostTextBytes);
    rule.action = Action();
    if (!error_.ok()) return error_;
    return rule;
  }

 private:
  static bool IsRead(int type) {
    constexpr std::array<int, 20> kTypes{FRA_DST,
                                         FRA_SRC,
                                         FRA_IIFNAME,
                                         FRA_GOTO,
                                         FRA_PRIORITY,
                                         FRA_FWMARK,
                                         FRA_SUPPRESS_IFGROUP,
                                         FRA_SUPPRESS_PREFIXLEN,
                                         FRA_TABLE,
                                         FRA_FWMASK,
                                         FRA_OIFNAME,
                                         FRA_PAD,
                                         FRA_L3MDEV,
                                         FRA_UID_RANGE,
                                         FRA_PROTOCOL,
                                         FRA_IP_PROTO,
                                         FRA_SPORT_RANGE,
                                         FRA_DPORT_RANGE,
                                         kFraDscp,
                                         FRA_FLOW};
    return std::ranges::find(kTypes, type) != kTypes.end();
  }

  // Newer kernels tell the masks of ports and DSCP even when nobody set one.
  static bool IsWholeMask(const Attributes::Attribute& attribute) {
    constexpr std::byte kDscpMask{0x3f};
    const std::span<const std::byte> value = attribute.value;
    if (attribute.type == kFraDscpMask) return value.size() == 1 && value[0] == kDscpMask;
    const bool ports = attribute.type == kFraSportMask || attribute.type == kFraDportMask;
    return ports && value.size() == 2 && value[0] == std::byte{0xff} && value[1] == std::byte{0xff};
  }

  void Say(const std::string& words) {
    if (text_.size() < kMostTextBytes) text_ += (text_.empty() ? "" : " ") + words;
  }

  template <class T>
  T Checked(absl::StatusOr<T> value) {
    if (!value.ok()) error_ = value.status();
    return value.ok() ? *value : T{};
  }
  std::uint32_t NumberOr(int type, std::uint32_t instead) {
    return attributes_.Find(type) ? Checked(attributes_.U32(type)) : instead;
  }

  void Byte(const std::string& word, int type) {
    if (attributes_.Find(type)) Say(fmt::format("{} {}", word, Checked(attributes_.U8(type))));
  }

  bool OfVrf() { return attributes_.Find(FRA_L3MDEV) && Checked(attributes_.U8(FRA_L3MDEV)) != 0; }

  void Prefix(const std::string& word, int type, std::uint8_t length, bool or_all) {
    const auto raw = attributes_.Find(type);
    if (!raw) {
      if (or_all || length > 0) Say(word + (length > 0 ? fmt::format(" 0/{}", length) : " all"));
      return;
    }
    const std::size_t bytes = header_.family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (raw->size() != bytes || ::inet_ntop(header_.family, raw->data(), text.data(), text.size()) == nullptr) {
      error_ = Malformed("routing rule", fmt::format("an address of {} bytes", raw->size()));
      return;
    }
    const bool whole = length == bytes * 8;
    Say(word + " " + text.data() + (whole ? "" : fmt::format("/{}", length)));
  }

  void Mark() {
    const std::uint32_t mark = NumberOr(FRA_FWMARK, 0);
    const std::uint32_t mask = NumberOr(FRA_FWMASK, 0);
    if (mark == 0 && mask == 0) return;
    Say("fwmark " + Hexadecimal(mark) + (mask == 0xffffffff ? "" : "/" + Hexadecimal(mask)));
  }

  // Detached: there is no such interface now, so that the rule is of nothing.
  void Name(const std::string& word, int type, std::uint32_t detached) {
    if (!attributes_.Find(type)) return;
    const std::string name = Checked(attributes_.Text(type));
    if (name.size() >= IFNAMSIZ) error_ = Malformed("routing rule", "impossible name of an interface");
    Say(word + " " + name.substr(0, IFNAMSIZ) + ((header_.flags & detached) != 0 ? " [detached]" : ""));
  }

  template <class Number>
  void Range(const std::string& word, int type) {
    const auto raw = attributes_.Find(type);
    if (!raw) return;
    std::array<Number, 2> ends{};
    if (raw->size() != sizeof ends) {
      error_ = Malformed("routing rule", word + " of another size");
      return;
    }
    std::memcpy(ends.data(), raw->data(), sizeof ends);
    Say(fmt::format("{} {}{}", word, ends[0], ends[0] == ends[1] ? "" : fmt::format("-{}", ends[1])));
  }

  std::string Action() {
    switch (header_.action) {
      case FR_ACT_TO_TBL:
        return Lookup();
      case FR_ACT_GOTO:
        return fmt::format("goto {}{}", NumberOr(FRA_GOTO, 0),
                           (header_.flags & FIB_RULE_UNRESOLVED) != 0 ? " [unresolved]" : "");
      case FR_ACT_NOP:
        return "nop";
      case FR_ACT_BLACKHOLE:
        return "blackhole";
      case FR_ACT_UNREACHABLE:
        return "unreachable";
      case FR_ACT_PROHIBIT:
        return "prohibit";
      default:
        return fmt::format("action {}", header_.action);
    }
  }

  std::string Lookup() {
    if (OfVrf()) return "lookup [l3mdev-table]";
    const std::uint32_t table = NumberOr(FRA_TABLE, header_.table);
    const std::string name = table == RT_TABLE_LOCAL     ? "local"
                             : table == RT_TABLE_MAIN    ? "main"
                             : table == RT_TABLE_DEFAULT ? "default"
                                                         : std::to_string(table);
    return "lookup " + name + Suppressed("prefixlength", FRA_SUPPRESS_PREFIXLEN) +
           Suppressed("ifgroup", FRA_SUPPRESS_IFGROUP);
  }

  // Routes of the table that the rule leaves out. -1: none.
  std::string Suppressed(const std::string& what, int type) {
    const std::uint32_t number = NumberOr(type, 0xffffffff);
    return number == 0xffffffff ? "" : fmt::format(" suppress_{} {}", what, number);
  }

  const fib_rule_hdr& header_;
  const Attributes& attributes_;
  std::string text_{};
  absl::Status error_{};
};

// Where the kernel puts its own (fib4_rules_init, fib6_rules_net_init).
bool EveryHostHas(const RoutingRule& rule) {
  if (rule.selector != "from all") return false;
  return (rule.priority == 0 && rule.action == "lookup local") ||
         (rule.priority == 0x7ffe && rule.action == "lookup main") ||
         (rule.priority == 0x7fff && rule.action == "lookup default");
}

}  // namespace

absl::StatusOr<std::optional<RoutingRule>> DecodeRule(std::span<const std::byte> payload) {
  fib_rule_hdr header{};
  RR_ASSIGN_OR_RETURN(const Attributes attributes, ParseMessage(payload, header, "routing rule"));
  if (header.family != AF_INET && header.family != AF_INET6) return std::nullopt;
  RR_ASSIGN_OR_RETURN(RoutingRule rule, RuleWriter(header, attributes).Take());
  if (EveryHostHas(rule)) return std::nullopt;
  return rule;
}

Fact<std::vector<RoutingRule>> ReadRoutingRules(HostReader& host) {
  const absl::StatusOr<std::vector<NetlinkMessage>> answer =
      host.Netlink({NETLINK_ROUTE, RTM_GETRULE, true, Payload::Of(fib_rule_hdr{}).bytes()});
  if (!answer.ok()) return MissingFrom(answer.status());
  std::vector<RoutingRule> rules;
  for (const NetlinkMessage& message : *answer) {
    absl::StatusOr<std::optional<RoutingRule>> rule = DecodeRule(message.payload);
    if (!rule.ok()) return MissingFrom(rule.status());
    if (rule->has_value()) rules.push_back(**std::move(rule));
  }
  return rules;
}

}  // namespace rdmaready
