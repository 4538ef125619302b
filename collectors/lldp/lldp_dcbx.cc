// SPDX-License-Identifier: Apache-2.0
// DCBX inside of LLDP: the IEEE dialect, whose features are TLVs of 802.1; the CEE dialect, whose features are
// TLVs inside of one TLV; and the name of the dialect before it.
#include <fmt/format.h>

#include "collectors/lldp/lldp_tlv.h"

namespace rdmaready::lldp {
namespace {

constexpr std::uint8_t kBit7 = 0x80;
constexpr std::uint8_t kBit6 = 0x40;
constexpr std::uint8_t kBit5 = 0x20;
constexpr std::uint8_t kLowFour = 0x0f;
constexpr std::uint8_t kLowThree = 0x07;

// Four bits for each priority, priority 0 in the highest ones.
std::array<std::uint8_t, kPriorities> NibblesOf(Fields& value) {
  std::array<std::uint8_t, kPriorities> nibbles{};
  for (std::size_t i = 0; i < kPriorities; i += 2) {
    const std::uint8_t both = value.U8();
    nibbles[i] = both >> 4U;
    nibbles[i + 1] = both & kLowFour;
  }
  return nibbles;
}

std::array<std::uint8_t, kPriorities> OctetsOf(Fields& value) {
  std::array<std::uint8_t, kPriorities> octets{};
  for (std::uint8_t& octet : octets) octet = value.U8();
  return octets;
}

// ---- the IEEE dialect: 802.1Q annex D.2.8 to D.2.11 ----

// What the two ETS TLVs share, after their first byte. Numbers that a check would use as an index are held to
// their range.
std::string EtsTables(Fields& value, LldpEts& ets) {
  ets.prio_tc = NibblesOf(value);
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (ets.prio_tc[i] >= kPriorities) return fmt::format("priority {} in traffic class {}", i, ets.prio_tc[i]);
  }
  ets.percent = OctetsOf(value);
  const std::array<std::uint8_t, kPriorities> tsa = OctetsOf(value);
  for (std::size_t i = 0; i < kPriorities; ++i) {
    ets.tsa[i] = Tsa{tsa[i]};
    if (tsa[i] > static_cast<std::uint8_t>(Tsa::kEts) && ets.tsa[i] != Tsa::kVendor)
      return fmt::format("traffic class {} with the unknown algorithm {}", i, tsa[i]);
  }
  return "";
}

std::string EtsConfiguration(Fields value, LldpNeighbour& neighbour) {
  neighbour.dialects.ieee = true;
  LldpEts ets;
  const std::uint8_t head = value.U8();
  ets.willing = (head & kBit7) != 0;
  ets.credit_based_shaper = (head & kBit6) != 0;
  ets.traffic_classes = head & kLowThree;  // three bits: 0 stands for 8
  if (ets.traffic_classes == 0) ets.traffic_classes = kPriorities;
  std::string why = EtsTables(value, ets);
  if (why.empty()) neighbour.ets = ets;
  return why;
}

std::string EtsRecommendation(Fields value, LldpNeighbour& neighbour) {
  neighbour.dialects.ieee = true;
  LldpEts ets;
  value.U8();  // reserved
  std::string why = EtsTables(value, ets);
  if (why.empty()) neighbour.ets_recommended = ets;
  return why;
}

std::string PfcConfiguration(Fields value, LldpNeighbour& neighbour) {
  neighbour.dialects.ieee = true;
  const std::uint8_t head = value.U8();
  neighbour.pfc = LldpPfc{.willing = (head & kBit7) != 0,
                          .macsec_bypass = (head & kBit6) != 0,
                          .capability = static_cast<std::uint8_t>(head & kLowFour),
                          .enabled = value.U8()};
  return "";
}

std::string AppPriorities(Fields value, LldpNeighbour& neighbour) {
  constexpr std::size_t kEntryBytes = 3;
  neighbour.dialects.ieee = true;
  value.U8();  // reserved
  if (value.left() % kEntryBytes != 0) return fmt::format("{} bytes of entries of 3", value.left());
  std::vector<AppEntry> entries;
  while (value.left() > 0) {
    const std::uint8_t head = value.U8();
    const std::uint8_t selector = head & kLowThree;
    if (selector < static_cast<std::uint8_t>(AppSelector::kEthertype) ||
        selector > static_cast<std::uint8_t>(AppSelector::kDscp)) {
      return fmt::format("unknown selector {}", selector);
    }
    entries.push_back({.selector = AppSelector{selector},
                       .priority = static_cast<std::uint8_t>(head >> 5U),
                       .protocol = value.U16()});
  }
  neighbour.app = std::move(entries);
  return "";
}

// ---- the CEE dialect: DCBX capability exchange protocol 1.01, chapter 3 ----

constexpr std::size_t kFeatureHeadBytes = 4;

// Operating version, largest version, flags, subtype.
CeeFeature FeatureOf(Fields& value) {
  value.U16();
  const std::uint8_t flags = value.U8();
  value.U8();
  return {.enabled = (flags & kBit7) != 0, .willing = (flags & kBit6) != 0, .error = (flags & kBit5) != 0};
}

std::string Control(Fields value, LldpCee& cee) {
  cee.control = CeeControl{.operating_version = value.U8(),
                           .max_version = value.U8(),
                           .sequence = value.U32(),
                           .acknowledged = value.U32()};
  return "";
}

std::string Groups(Fields value, LldpCee& cee) {
  CeeGroups groups{.feature = FeatureOf(value), .prio_group = NibblesOf(value)};
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (groups.prio_group[i] >= kPriorities && groups.prio_group[i] != CeeGroups::kNoLimit)
      return fmt::format("priority {} in group {}", i, groups.prio_group[i]);
  }
  groups.percent = OctetsOf(value);
  groups.traffic_classes = value.U8();
  cee.groups = groups;
  return "";
}

std::string ReadCeePfc(Fields value, LldpCee& cee) {
  cee.pfc = CeePfc{.feature = FeatureOf(value), .enabled = value.U8(), .traffic_classes = value.U8()};
  return "";
}

// Each entry: protocol, a byte whose two low bits are the selector, the rest of an OUI, priorities.
std::string App(Fields value, LldpCee& cee) {
  constexpr std::size_t kEntryBytes = 6;
  constexpr std::uint8_t kSelectorBits = 0x03;
  CeeApp app{.feature = FeatureOf(value)};
  if (value.left() % kEntryBytes != 0) return fmt::format("{} bytes of entries of 6", value.left());
  while (value.left() > 0) {
    CeeAppEntry entry;
    entry.protocol = value.U16();
    entry.selector = value.U8() & kSelectorBits;
    value.U16();
    entry.priorities = value.U8();
    app.entries.push_back(entry);
  }
  cee.app = std::move(app);
  return "";
}

struct Feature {
  std::uint8_t type;
  std::string_view name;
  std::size_t least_bytes;
  std::string (*decode)(Fields value, LldpCee& cee);
};

constexpr Feature kFeatures[] = {
    {1, "CEE control", 10, Control},
    {2, "CEE priority groups", kFeatureHeadBytes + 13, Groups},
    {3, "CEE PFC", kFeatureHeadBytes + 2, ReadCeePfc},
    {4, "CEE application priorities", kFeatureHeadBytes, App},
};

const Feature* FindFeature(std::uint8_t type) {
  for (const Feature& feature : kFeatures) {
    if (feature.type == type) return &feature;
  }
  return nullptr;
}

// The first thing that is wrong with a feature is told; the others are read all the same.
std::string Cee(Fields value, LldpNeighbour& neighbour) {
  neighbour.dialects.cee = true;
  LldpCee cee;
  std::string why;
  unsigned seen = 0;
  Bytes rest = value.TakeAll();
  while (!rest.empty()) {
    RawTlv raw;
    if (!NextTlv(rest, raw)) {
      if (why.empty()) why = "ends in the middle of a feature";
      break;
    }
    const Feature* feature = FindFeature(raw.type);
    if (feature == nullptr) {
      ++neighbour.unknown_tlvs;
      continue;
    }
    std::string wrong;
    const unsigned bit = 1U << feature->type;
    if ((seen & bit) != 0) {
      wrong = "a second one";
    } else if (raw.information.size() < feature->least_bytes) {
      wrong = fmt::format("{} bytes, not {}", raw.information.size(), feature->least_bytes);
    } else {
      wrong = feature->decode(Fields(raw.information), cee);
    }
    seen |= bit;
    if (!wrong.empty() && why.empty()) why = std::string(feature->name) + ": " + wrong;
  }
  neighbour.cee = std::move(cee);
  return why;
}

std::string Cin(Fields, LldpNeighbour& neighbour) {
  neighbour.dialects.cin = true;
  return "";
}

constexpr std::size_t kEtsBytes = 21;
constexpr std::size_t kMostEntriesBytes = kLongestInformation;

constexpr Tlv kDcbxTlvs[] = {
    {kTypeOrganization, kOui8021, 9, "ETS configuration", kEtsBytes, kEtsBytes, false, EtsConfiguration},
    {kTypeOrganization, kOui8021, 10, "ETS recommendation", kEtsBytes, kEtsBytes, false, EtsRecommendation},
    {kTypeOrganization, kOui8021, 11, "PFC configuration", 2, 2, false, PfcConfiguration},
    {kTypeOrganization, kOui8021, 12, "application priorities", 1, kMostEntriesBytes, false, AppPriorities},
    {kTypeOrganization, kOuiCee, 1, "DCBX of the CIN dialect", 0, kMostEntriesBytes, false, Cin},
    {kTypeOrganization, kOuiCee, 2, "DCBX of the CEE dialect", 0, kMostEntriesBytes, false, Cee},
};

}  // namespace

std::span<const Tlv> DcbxTlvs() { return kDcbxTlvs; }

}  // namespace rdmaready::lldp
