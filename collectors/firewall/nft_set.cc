// SPDX-License-Identifier: Apache-2.0
#include "collectors/firewall/nft_set.h"

#include <endian.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include <algorithm>
#include <utility>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSetWhat = "set of the packet filter";
constexpr std::size_t kMostElements = 4096;
constexpr std::uint32_t kLastSetPort = 65535;

FirewallAction ActionOf(std::int32_t code) {
  switch (code) {
    case NF_ACCEPT:
      return FirewallAction::kAccept;
    case NF_DROP:
      return FirewallAction::kDrop;
    case NFT_CONTINUE:
      return FirewallAction::kNone;
    case NFT_JUMP:
      return FirewallAction::kJump;
    case NFT_GOTO:
      return FirewallAction::kGoto;
    case NFT_RETURN:
      return FirewallAction::kReturn;
    default:
      return FirewallAction::kUnknown;  // a queue, for instance
  }
}

absl::Status DecodeData(std::span<const std::byte> nest, NftElement* element) {
  const absl::StatusOr<Attributes> data = Attributes::Parse(nest, kSetWhat);
  if (!data.ok()) return data.status();
  const auto raw = data->Find(NFTA_DATA_VERDICT);
  if (!raw) return absl::OkStatus();  // a map to something else than verdicts
  absl::StatusOr<NftVerdict> verdict = DecodeNftVerdict(*raw);
  if (!verdict.ok()) return verdict.status();
  element->verdict = *std::move(verdict);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::byte>> KeyOf(std::span<const std::byte> nest) {
  const absl::StatusOr<Attributes> data = Attributes::Parse(nest, kSetWhat);
  if (!data.ok()) return data.status();
  const auto value = data->Find(NFTA_DATA_VALUE);
  if (!value) return Malformed(kSetWhat, "a key without value");
  return std::vector<std::byte>(value->begin(), value->end());
}

absl::StatusOr<NftElement> DecodeElement(std::span<const std::byte> nest) {
  const absl::StatusOr<Attributes> attributes = Attributes::Parse(nest, kSetWhat);
  if (!attributes.ok()) return attributes.status();
  NftElement element;
  if (attributes->Find(NFTA_SET_ELEM_FLAGS)) {
    const absl::StatusOr<std::uint32_t> flags = NftU32(*attributes, NFTA_SET_ELEM_FLAGS);
    if (!flags.ok()) return flags.status();
    element.interval_end = (*flags & NFT_SET_ELEM_INTERVAL_END) != 0;
    element.catch_all = (*flags & NFT_SET_ELEM_CATCHALL) != 0;
  }
  for (const auto& [type, key] :
       {std::pair{NFTA_SET_ELEM_KEY, &element.key}, std::pair{NFTA_SET_ELEM_KEY_END, &element.key_end}}) {
    const auto raw = attributes->Find(type);
    if (!raw) continue;
    absl::StatusOr<std::vector<std::byte>> value = KeyOf(*raw);
    if (!value.ok()) return value.status();
    *key = *std::move(value);
  }
  if (element.key.empty() != element.catch_all) return Malformed(kSetWhat, "an element without key");
  if (const auto data = attributes->Find(NFTA_SET_ELEM_DATA)) RR_RETURN_IF_ERROR(DecodeData(*data, &element));
  return element;
}

std::uint32_t PortOf(const std::vector<std::byte>& key) {
  return std::to_integer<std::uint32_t>(key[0]) << 8 | std::to_integer<std::uint32_t>(key[1]);
}

bool IsPort(const NftElement& element) {
  return element.key.size() == 2 && (element.key_end.empty() || element.key_end.size() == 2);
}

}  // namespace

absl::StatusOr<std::uint32_t> NftU32(const Attributes& attributes, int type) {
  const absl::StatusOr<std::uint32_t> number = attributes.U32(type);
  if (!number.ok()) return number.status();
  return be32toh(*number);
}

absl::StatusOr<NftVerdict> DecodeNftVerdict(std::span<const std::byte> nest) {
  const absl::StatusOr<Attributes> attributes = Attributes::Parse(nest, "verdict of the packet filter");
  if (!attributes.ok()) return attributes.status();
  const absl::StatusOr<std::uint32_t> code = NftU32(*attributes, NFTA_VERDICT_CODE);
  if (!code.ok()) return code.status();
  NftVerdict verdict{.action = ActionOf(static_cast<std::int32_t>(*code))};
  if (verdict.action != FirewallAction::kJump && verdict.action != FirewallAction::kGoto) return verdict;
  absl::StatusOr<std::string> target = attributes->Text(NFTA_VERDICT_CHAIN);
  if (!target.ok()) return target.status();
  verdict.target = *std::move(target);
  return verdict;
}

absl::Status DecodeNftElements(std::span<const std::byte> payload, NftElements* elements) {
  nfgenmsg header{};
  const absl::StatusOr<Attributes> message = ParseMessage(payload, &header, kSetWhat);
  if (!message.ok()) return message.status();
  const auto list = message->Find(NFTA_SET_ELEM_LIST_ELEMENTS);
  if (!list) return absl::OkStatus();
  const absl::StatusOr<Attributes> rows = Attributes::Parse(*list, kSetWhat);
  if (!rows.ok()) return rows.status();
  for (const Attributes::Attribute& row : rows->all()) {
    if (elements->size() >= kMostElements) return Malformed(kSetWhat, "too many elements");
    absl::StatusOr<NftElement> element = DecodeElement(row.value);
    if (!element.ok()) return element.status();
    elements->push_back(*std::move(element));
  }
  return absl::OkStatus();
}

// The kernel keeps a range as its first key, and the first one after it with a flag; the last range may have no
// end. It answers with them in any order.
std::optional<std::vector<NftPortRange>> PortRangesOf(const NftElements& elements) {
  NftElements sorted;
  bool intervals = false;
  for (const NftElement& element : elements) {
    if (element.catch_all) continue;
    if (!IsPort(element)) return std::nullopt;
    intervals = intervals || element.interval_end;
    sorted.push_back(element);
  }
  std::ranges::stable_sort(sorted, [](const NftElement& a, const NftElement& b) {
    return std::pair(PortOf(a.key), !a.interval_end) < std::pair(PortOf(b.key), !b.interval_end);
  });
  std::vector<NftPortRange> ranges;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const NftElement& element = sorted[i];
    if (element.interval_end) continue;
    const std::uint32_t first = PortOf(element.key);
    std::uint32_t last = first;
    if (!element.key_end.empty()) {
      last = PortOf(element.key_end);
    } else if (intervals) {
      last = i + 1 < sorted.size() ? PortOf(sorted[i + 1].key) - 1 : kLastSetPort;
    }
    if (last < first || last > kLastSetPort) return std::nullopt;
    ranges.push_back({{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)}, element.verdict});
  }
  return ranges;
}

}  // namespace rdmaready
