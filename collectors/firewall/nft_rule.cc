// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/nft_rule.h"

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "collectors/firewall/nft_condition.h"

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;
using Kind = NftValue::Kind;

constexpr std::string_view kRuleWhat = "rule of the packet filter";
constexpr std::size_t kMostAlternatives = 1024;

template <class Number>
std::optional<std::uint32_t> MaskOf(Octets bytes) {
  Number number{};
  if (bytes.size() != sizeof number) return std::nullopt;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

absl::StatusOr<std::vector<std::byte>> ValueIn(const Attributes& attributes, int type) {
  const auto nest = attributes.Find(type);
  if (!nest) return Malformed(kRuleWhat, "nothing to compare with");
  const absl::StatusOr<Attributes> data = Attributes::Parse(*nest, kRuleWhat);
  if (!data.ok()) return data.status();
  const auto value = data->Find(NFTA_DATA_VALUE);
  if (!value) return Malformed(kRuleWhat, "no value to compare with");
  return std::vector<std::byte>(value->begin(), value->end());
}

class RuleDecoder {
 public:
  RuleDecoder(std::uint64_t handle, const NftSurroundings& around) : around_(around) {
    states_.push_back({.rule = {.handle = handle}});
  }

  absl::Status Add(const std::string& name, const Attributes& data);
  std::vector<FirewallRule> Take();

 private:
  using Handler = absl::Status (RuleDecoder::*)(const Attributes&);
  struct Row {
    std::string_view name;
    Handler handler;
  };
  static Handler HandlerOf(std::string_view name);

  absl::Status Meta(const Attributes& data);
  absl::Status PayloadLoad(const Attributes& data);
  absl::Status Ct(const Attributes& data);
  absl::Status Fib(const Attributes& data);
  absl::Status Bitwise(const Attributes& data);
  absl::Status Compare(const Attributes& data);
  absl::Status Range(const Attributes& data);
  absl::Status Lookup(const Attributes& data);
  absl::Status Immediate(const Attributes& data);
  absl::Status Match(const Attributes& data);
  absl::Status Target(const Attributes& data);
  absl::Status Object(const Attributes& data);
  absl::Status Reject(const Attributes&) { return End({FirewallAction::kDrop}); }
  absl::Status Elsewhere(const Attributes&) { return End({FirewallAction::kUnknown}); }
  absl::Status PassOn(const Attributes&) { return absl::OkStatus(); }

  absl::StatusOr<unsigned> Register(const Attributes& data, int type) const;
  NftValue In(unsigned word) const;
  absl::Status Load(const Attributes& data, int type, NftValue value);
  absl::Status End(const NftVerdict& verdict);
  template <class Change>
  void Each(Change change) {
    for (NftRuleState& state : states_) change(state);
  }
  void NotUnderstood() {
    Each([](NftRuleState& state) { state.rule.other_conditions = true; });
  }
  bool LookUpPorts(const NftElements& elements, bool negated, bool verdicts);
  bool LookUpOthers(const NftValue& value, const NftElements& elements, bool verdicts);

  const NftSurroundings& around_;
  std::map<unsigned, NftValue> registers_{};
  std::vector<NftRuleState> states_{};
  bool ended_ = false;
};

RuleDecoder::Handler RuleDecoder::HandlerOf(std::string_view name) {
  static constexpr std::array<Row, 26> kRows{{
      {"meta", &RuleDecoder::Meta},
      {"payload", &RuleDecoder::PayloadLoad},
      {"ct", &RuleDecoder::Ct},
      {"fib", &RuleDecoder::Fib},
      {"bitwise", &RuleDecoder::Bitwise},
      {"cmp", &RuleDecoder::Compare},
      {"range", &RuleDecoder::Range},
      {"lookup", &RuleDecoder::Lookup},
      {"immediate", &RuleDecoder::Immediate},
      {"match", &RuleDecoder::Match},
      {"target", &RuleDecoder::Target},
      {"objref", &RuleDecoder::Object},
      {"reject", &RuleDecoder::Reject},
      {"nat", &RuleDecoder::Elsewhere},
      {"redir", &RuleDecoder::Elsewhere},
      {"masq", &RuleDecoder::Elsewhere},
      {"tproxy", &RuleDecoder::Elsewhere},
      {"queue", &RuleDecoder::Elsewhere},
      {"fwd", &RuleDecoder::Elsewhere},
      {"synproxy", &RuleDecoder::Elsewhere},
      {"counter", &RuleDecoder::PassOn},
      {"log", &RuleDecoder::PassOn},
      {"last", &RuleDecoder::PassOn},
      {"notrack", &RuleDecoder::PassOn},
      {"dup", &RuleDecoder::PassOn},
      {"flow_offload", &RuleDecoder::PassOn},
  }};
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  return row == kRows.end() ? nullptr : row->handler;
}

absl::Status RuleDecoder::Add(const std::string& name, const Attributes& data) {
  if (ended_) return absl::OkStatus();
  const Handler handler = HandlerOf(name);
  if (handler != nullptr) return (this->*handler)(data);
  // It may be a condition, or write any register.
  registers_.clear();
  NotUnderstood();
  return absl::OkStatus();
}

std::vector<FirewallRule> RuleDecoder::Take() {
  std::vector<FirewallRule> rules;
  for (NftRuleState& state : states_) {
    if (!state.never && state.rule.action != FirewallAction::kNone) rules.push_back(std::move(state.rule));
  }
  return rules;
}

// Registers of 16 bytes are four of 4.
absl::StatusOr<unsigned> RuleDecoder::Register(const Attributes& data, int type) const {
  const absl::StatusOr<std::uint32_t> number = NftU32(data, type);
  if (!number.ok()) return number.status();
  if (*number <= NFT_REG_4) return *number * 4;
  return *number - NFT_REG32_00 + 4;
}

NftValue RuleDecoder::In(unsigned word) const {
  const auto found = registers_.find(word);
  return found == registers_.end() ? NftValue{} : found->second;
}

absl::Status RuleDecoder::Load(const Attributes& data, int type, NftValue value) {
  const absl::StatusOr<unsigned> word = Register(data, type);
  if (!word.ok()) return word.status();
  // A value may be 16 bytes long, over what was in the next words.
  registers_.erase(registers_.lower_bound(*word), registers_.lower_bound(*word + 4));
  registers_[*word] = value;
  return absl::OkStatus();
}

absl::Status RuleDecoder::End(const NftVerdict& verdict) {
  Each([&verdict](NftRuleState& state) {
    state.rule.action = verdict.action;
    state.rule.target = verdict.target;
  });
  ended_ = verdict.action != FirewallAction::kNone;
  return absl::OkStatus();
}

absl::Status RuleDecoder::Meta(const Attributes& data) {
  if (data.Find(NFTA_META_SREG)) return absl::OkStatus();  // it sets a mark
  const absl::StatusOr<std::uint32_t> key = NftU32(data, NFTA_META_KEY);
  if (!key.ok()) return key.status();
  NftValue value;
  if (*key == NFT_META_IIFNAME) value.kind = Kind::kNetdevName;
  if (*key == NFT_META_IIF) value.kind = Kind::kNetdevIndex;
  if (*key == NFT_META_L4PROTO) value.kind = Kind::kProtocol;
  return Load(data, NFTA_META_DREG, value);
}

absl::Status RuleDecoder::PayloadLoad(const Attributes& data) {
  if (data.Find(NFTA_PAYLOAD_SREG)) return End({FirewallAction::kUnknown});  // it changes the packet
  struct Field {
    std::uint32_t base;
    std::uint32_t offset;
    std::uint32_t bytes;
    Kind kind;
    std::string_view family;  // empty: any
  };
  constexpr std::array<Field, 4> kFields{{
      {NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2, Kind::kPort, ""},
      {NFT_PAYLOAD_TRANSPORT_HEADER, 13, 1, Kind::kTcpFlags, ""},
      {NFT_PAYLOAD_NETWORK_HEADER, 9, 1, Kind::kProtocol, "ip"},
      {NFT_PAYLOAD_NETWORK_HEADER, 6, 1, Kind::kProtocol, "ip6"},
  }};
  std::array<std::uint32_t, 3> place{};
  constexpr std::array<int, 3> kTypes{NFTA_PAYLOAD_BASE, NFTA_PAYLOAD_OFFSET, NFTA_PAYLOAD_LEN};
  for (std::size_t i = 0; i < place.size(); ++i) {
    const absl::StatusOr<std::uint32_t> number = NftU32(data, kTypes[i]);
    if (!number.ok()) return number.status();
    place[i] = *number;
  }
  const auto* const field = std::ranges::find_if(kFields, [&](const Field& one) {
    return std::array{one.base, one.offset, one.bytes} == place &&
           (one.family.empty() || one.family == around_.family);
  });
  return Load(data, NFTA_PAYLOAD_DREG, {.kind = field == kFields.end() ? Kind::kUnknown : field->kind});
}

absl::Status RuleDecoder::Ct(const Attributes& data) {
  if (data.Find(NFTA_CT_SREG)) return absl::OkStatus();  // it sets a mark
  const absl::StatusOr<std::uint32_t> key = NftU32(data, NFTA_CT_KEY);
  if (!key.ok()) return key.status();
  NftValue value;
  if (*key == NFT_CT_STATE) value.kind = Kind::kCtState;
  if (*key == NFT_CT_STATUS) value.kind = Kind::kCtStatus;
  return Load(data, NFTA_CT_DREG, value);
}

absl::Status RuleDecoder::Fib(const Attributes& data) {
  const absl::StatusOr<std::uint32_t> result = NftU32(data, NFTA_FIB_RESULT);
  const absl::StatusOr<std::uint32_t> flags = NftU32(data, NFTA_FIB_FLAGS);
  if (!result.ok()) return result.status();
  if (!flags.ok()) return flags.status();
  NftValue value;
  if (*result == NFT_FIB_RESULT_ADDRTYPE && (*flags & NFTA_FIB_F_DADDR) != 0) value.kind = Kind::kAddressType;
  if (*result == NFT_FIB_RESULT_OIF && (*flags & NFTA_FIB_F_SADDR) != 0 && (*flags & NFTA_FIB_F_DADDR) == 0) {
    value.kind = Kind::kWayBack;
  }
  return Load(data, NFTA_FIB_DREG, value);
}

absl::Status RuleDecoder::Bitwise(const Attributes& data) {
  const absl::StatusOr<unsigned> source = Register(data, NFTA_BITWISE_SREG);
  if (!source.ok()) return source.status();
  NftValue value = In(*source);
  const bool maskable =
      value.kind == Kind::kCtState || value.kind == Kind::kCtStatus || value.kind == Kind::kTcpFlags;
  const bool shift =
      data.Find(NFTA_BITWISE_OP) && NftU32(data, NFTA_BITWISE_OP).value_or(1) != NFT_BITWISE_BOOL;
  if (!maskable || value.mask || shift) return Load(data, NFTA_BITWISE_DREG, {});
  const absl::StatusOr<std::vector<std::byte>> mask = ValueIn(data, NFTA_BITWISE_MASK);
  const absl::StatusOr<std::vector<std::byte>> flip = ValueIn(data, NFTA_BITWISE_XOR);
  if (!mask.ok()) return mask.status();
  if (!flip.ok()) return flip.status();
  if (value.kind == Kind::kTcpFlags) {
    value.mask = MaskOf<std::uint8_t>(*mask);
  } else {
    value.mask = MaskOf<std::uint32_t>(*mask);
  }
  const bool plain = std::ranges::all_of(*flip, [](std::byte one) { return one == std::byte{0}; });
  return Load(data, NFTA_BITWISE_DREG, value.mask && plain ? value : NftValue{});
}

absl::Status RuleDecoder::Compare(const Attributes& data) {
  const absl::StatusOr<unsigned> source = Register(data, NFTA_CMP_SREG);
  const absl::StatusOr<std::uint32_t> operation = NftU32(data, NFTA_CMP_OP);
  const absl::StatusOr<std::vector<std::byte>> with = ValueIn(data, NFTA_CMP_DATA);
  if (!source.ok()) return source.status();
  if (!operation.ok()) return operation.status();
  if (!with.ok()) return with.status();
  Each([&](NftRuleState& state) {
    if (!RequireNftValue(state, In(*source), *operation, *with, around_.netdev_of))
      state.rule.other_conditions = true;
  });
  return absl::OkStatus();
}

absl::Status RuleDecoder::Range(const Attributes& data) {
  const absl::StatusOr<unsigned> source = Register(data, NFTA_RANGE_SREG);
  const absl::StatusOr<std::uint32_t> operation = NftU32(data, NFTA_RANGE_OP);
  const absl::StatusOr<std::vector<std::byte>> from = ValueIn(data, NFTA_RANGE_FROM_DATA);
  const absl::StatusOr<std::vector<std::byte>> to = ValueIn(data, NFTA_RANGE_TO_DATA);
  if (!source.ok()) return source.status();
  if (!operation.ok()) return operation.status();
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  const std::optional<std::uint16_t> first = NftPort(*from);
  const std::optional<std::uint16_t> last = NftPort(*to);
  if (In(*source).kind != Kind::kPort || !first || !last || *last < *first) {
    NotUnderstood();
  } else {
    Each([&](NftRuleState& state) { state.RequirePorts({{*first, *last}}, *operation == NFT_RANGE_NEQ); });
  }
  return absl::OkStatus();
}

// One rule for all ports of a set; of a verdict map one for each element.
bool RuleDecoder::LookUpPorts(const NftElements& elements, bool negated, bool verdicts) {
  const std::optional<std::vector<NftPortRange>> ranges = PortRangesOf(elements);
  if (!ranges || ranges->size() * states_.size() > kMostAlternatives) return false;
  std::vector<L4Ports> all;
  for (const NftPortRange& range : *ranges) all.push_back(range.ports);
  const auto others = std::ranges::find(elements, true, &NftElement::catch_all);
  if (!verdicts) {
    if (others == elements.end()) {
      Each([&](NftRuleState& state) { state.RequirePorts(all, negated); });
    } else if (negated) {
      Each([](NftRuleState& state) { state.never = true; });
    }
    return true;
  }
  std::vector<NftRuleState> alternatives;
  for (const NftRuleState& state : states_) {
    const auto add = [&](const std::vector<L4Ports>& ports, bool all_but, const NftVerdict& verdict) {
      NftRuleState& one = alternatives.emplace_back(state);
      one.RequirePorts(ports, all_but);
      one.rule.action = verdict.action;
      one.rule.target = verdict.target;
    };
    for (const NftPortRange& range : *ranges) {
      add({range.ports}, false, range.verdict.value_or(NftVerdict{}));
    }
    if (others != elements.end()) add(all, true, others->verdict.value_or(NftVerdict{}));
  }
  states_ = std::move(alternatives);
  ended_ = true;
  return true;
}

// One rule for each element.
bool RuleDecoder::LookUpOthers(const NftValue& value, const NftElements& elements, bool verdicts) {
  if (elements.size() * states_.size() > kMostAlternatives) return false;
  std::vector<NftRuleState> alternatives;
  for (const NftRuleState& state : states_) {
    for (const NftElement& element : elements) {
      if (element.catch_all || element.interval_end || !element.key_end.empty()) return false;
      NftRuleState& one = alternatives.emplace_back(state);
      if (!RequireNftValue(one, value, NFT_CMP_EQ, element.key, around_.netdev_of)) return false;
      if (!verdicts) continue;
      one.rule.action = element.verdict.value_or(NftVerdict{}).action;
      one.rule.target = element.verdict.value_or(NftVerdict{}).target;
    }
  }
  states_ = std::move(alternatives);
  ended_ = verdicts;
  return true;
}

absl::Status RuleDecoder::Lookup(const Attributes& data) {
  const absl::StatusOr<unsigned> source = Register(data, NFTA_LOOKUP_SREG);
  const absl::StatusOr<std::string> name = data.Text(NFTA_LOOKUP_SET);
  if (!source.ok()) return source.status();
  if (!name.ok()) return name.status();
  const bool negated =
      data.Find(NFTA_LOOKUP_FLAGS) && (NftU32(data, NFTA_LOOKUP_FLAGS).value_or(0) & NFT_LOOKUP_F_INV) != 0;
  bool verdicts = false;
  bool values = false;  // the rest of the rule goes on with what the map gave
  if (data.Find(NFTA_LOOKUP_DREG)) {
    const absl::StatusOr<std::uint32_t> target = NftU32(data, NFTA_LOOKUP_DREG);
    if (!target.ok()) return target.status();
    verdicts = *target == NFT_REG_VERDICT;
    values = !verdicts;
    if (values) RR_RETURN_IF_ERROR(Load(data, NFTA_LOOKUP_DREG, {}));
  }
  const NftValue value = In(*source);
  bool understood = false;
  if (value.kind != Kind::kUnknown && !value.mask && !values) {
    const absl::StatusOr<NftElements> elements = around_.find_set(*name);
    if (elements.ok() && value.kind == Kind::kPort) {
      understood = LookUpPorts(*elements, negated, verdicts);
    } else if (elements.ok() && !negated) {
      understood = LookUpOthers(value, *elements, verdicts);
    }
  }
  if (understood) return absl::OkStatus();
  NotUnderstood();
  return verdicts ? End({FirewallAction::kUnknown}) : absl::OkStatus();
}

absl::Status RuleDecoder::Immediate(const Attributes& data) {
  const absl::StatusOr<std::uint32_t> target = NftU32(data, NFTA_IMMEDIATE_DREG);
  if (!target.ok()) return target.status();
  if (*target != NFT_REG_VERDICT) return Load(data, NFTA_IMMEDIATE_DREG, {});
  const auto nest = data.Find(NFTA_IMMEDIATE_DATA);
  if (!nest) return Malformed(kRuleWhat, "a verdict that is none");
  const absl::StatusOr<Attributes> inside = Attributes::Parse(*nest, kRuleWhat);
  if (!inside.ok()) return inside.status();
  const auto raw = inside->Find(NFTA_DATA_VERDICT);
  if (!raw) return Malformed(kRuleWhat, "a verdict that is none");
  const absl::StatusOr<NftVerdict> verdict = DecodeNftVerdict(*raw);
  return verdict.ok() ? End(*verdict) : verdict.status();
}

absl::Status RuleDecoder::Match(const Attributes& data) {
  const absl::StatusOr<std::string> name = data.Text(NFTA_MATCH_NAME);
  const absl::StatusOr<std::uint32_t> revision = NftU32(data, NFTA_MATCH_REV);
  if (!name.ok()) return name.status();
  if (!revision.ok()) return revision.status();
  const auto info = data.Find(NFTA_MATCH_INFO);
  Each([&](NftRuleState& state) { RequireXtMatch(*name, *revision, info.value_or(Octets{}), &state); });
  return absl::OkStatus();
}

absl::Status RuleDecoder::Target(const Attributes& data) {
  const absl::StatusOr<std::string> name = data.Text(NFTA_TARGET_NAME);
  return name.ok() ? End({XtTarget(*name)}) : name.status();
}

// A counter passes on; a quota is a condition.
absl::Status RuleDecoder::Object(const Attributes& data) {
  const bool counter =
      data.Find(NFTA_OBJREF_IMM_TYPE) && NftU32(data, NFTA_OBJREF_IMM_TYPE).value_or(0) == NFT_OBJECT_COUNTER;
  if (!counter) NotUnderstood();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<FirewallRule>> DecodeNftRule(Octets expressions, std::uint64_t handle,
                                                        const NftSurroundings& surroundings) {
  const absl::StatusOr<Attributes> list = Attributes::Parse(expressions, kRuleWhat);
  if (!list.ok()) return list.status();
  RuleDecoder decoder(handle, surroundings);
  for (const Attributes::Attribute& one : list->all()) {
    const absl::StatusOr<Attributes> expression = Attributes::Parse(one.value, kRuleWhat);
    if (!expression.ok()) return expression.status();
    const absl::StatusOr<std::string> name = expression->Text(NFTA_EXPR_NAME);
    if (!name.ok()) return name.status();
    // An expression without parameters has no data.
    const absl::StatusOr<Attributes> data =
        Attributes::Parse(expression->Find(NFTA_EXPR_DATA).value_or(Octets{}), kRuleWhat);
    if (!data.ok()) return data.status();
    RR_RETURN_IF_ERROR(decoder.Add(*name, *data));
  }
  return decoder.Take();
}

}  // namespace rdmaready
