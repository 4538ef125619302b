// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp/lldp.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "api/base/text.h"
#include "collectors/attributes.h"
#include "collectors/lldp/lldp_tlv.h"

namespace rdmaready {
namespace lldp {
namespace {

constexpr std::size_t kMacBytes = 6;
constexpr std::size_t kMostListed = 64;  // of one kind in a neighbour; a frame cannot hold many more
constexpr std::size_t kMostOddities = 16;
constexpr std::uint8_t kTypeEnd = 0;
constexpr std::uint8_t kTypeChassis = 1;
constexpr std::uint8_t kTypePort = 2;
constexpr std::uint8_t kTypeTtl = 3;
constexpr std::uint8_t kFamilyIpv4 = 1;  // IANA address family numbers
constexpr std::uint8_t kFamilyIpv6 = 2;

// Address family, then the address.
std::string NetworkAddressText(Bytes bytes) {
  if (bytes.empty()) return "";
  const auto family = std::to_integer<std::uint8_t>(bytes.front());
  const Bytes address = bytes.subspan(1);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family == kFamilyIpv4 && address.size() == sizeof(in_addr))
    return ::inet_ntop(AF_INET, address.data(), text.data(), text.size());
  if (family == kFamilyIpv6 && address.size() == sizeof(in6_addr))
    return ::inet_ntop(AF_INET6, address.data(), text.data(), text.size());
  return Hex(bytes);
}

bool IsText(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) {
    const auto letter = static_cast<char>(byte);
    return letter >= ' ' && letter <= '~';
  });
}

// Which subtypes hold what: 802.1AB tables 8-2 and 8-3.
struct IdSubtypes {
  std::uint8_t mac;
  std::uint8_t network_address;
};
constexpr IdSubtypes kChassisSubtypes{.mac = 4, .network_address = 5};
constexpr IdSubtypes kPortSubtypes{.mac = 3, .network_address = 4};

std::string IdText(Bytes bytes, std::uint8_t subtype, const IdSubtypes& subtypes) {
  if (subtype == subtypes.mac && bytes.size() == kMacBytes) return Hex(bytes, ":");
  if (subtype == subtypes.network_address) return NetworkAddressText(bytes);
  return IsText(bytes) ? TextOf(bytes) : Hex(bytes);
}

LldpId IdOf(Fields& value, const IdSubtypes& subtypes) {
  LldpId id;
  id.subtype = value.U8();
  id.text = IdText(value.TakeAll(), id.subtype, subtypes);
  return id;
}

// ---- 802.1AB clause 8.5 ----

std::string Chassis(Fields value, LldpNeighbour& neighbour) {
  neighbour.chassis = IdOf(value, kChassisSubtypes);
  return "";
}

std::string PortId(Fields value, LldpNeighbour& neighbour) {
  neighbour.port = IdOf(value, kPortSubtypes);
  return "";
}

std::string Ttl(Fields value, LldpNeighbour& neighbour) {
  neighbour.ttl_s = value.U16();
  return "";
}

template <std::string LldpNeighbour::*kMember>
std::string Text(Fields value, LldpNeighbour& neighbour) {
  neighbour.*kMember = TextOf(value.TakeAll());
  return "";
}

std::string Capabilities(Fields value, LldpNeighbour& neighbour) {
  neighbour.capabilities = value.U16();
  neighbour.capabilities_enabled = value.U16();
  return "";
}

// Length of family and address, both, interface numbering subtype, interface number, length of the OID, OID.
std::string Management(Fields value, LldpNeighbour& neighbour) {
  const std::size_t address_bytes = value.U8();
  if (address_bytes < 2 || address_bytes > 32) return fmt::format("an address of {} bytes", address_bytes);
  const Bytes address = value.Take(address_bytes);
  constexpr std::size_t kAfterAddress = 6;
  if (address.size() < address_bytes || value.left() < kAfterAddress) return "ends in the middle";
  value.U8();
  const std::uint32_t number = value.U32();
  const std::size_t oid_bytes = value.U8();
  if (value.left() < oid_bytes) return "ends in the middle of its object identifier";
  if (neighbour.management.size() >= kMostListed) return "too many";
  neighbour.management.push_back({NetworkAddressText(address), number});
  return "";
}

// ---- 802.1Q annex D.2, 802.1AX ----

std::string PortVlan(Fields value, LldpNeighbour& neighbour) {
  neighbour.port_vlan_id = value.U16();
  return "";
}

std::string VlanName(Fields value, LldpNeighbour& neighbour) {
  const std::uint16_t id = value.U16();
  const std::size_t name_bytes = value.U8();
  if (value.left() < name_bytes) return "ends in the middle of the name";
  if (neighbour.vlans.size() >= kMostListed) return "too many";
  neighbour.vlans.push_back({id, TextOf(value.Take(name_bytes))});
  return "";
}

// The same bits in 802.1AX and in the older one of 802.3 (79.3.3); the newer one counts.
LldpAggregation AggregationOf(Fields& value) {
  const std::uint8_t status = value.U8();
  return {.capable = (status & 1U) != 0, .enabled = (status & 2U) != 0, .port_id = value.U32()};
}

std::string Aggregation(Fields value, LldpNeighbour& neighbour) {
  neighbour.aggregation = AggregationOf(value);
  return "";
}

std::string OldAggregation(Fields value, LldpNeighbour& neighbour) {
  if (!neighbour.aggregation) neighbour.aggregation = AggregationOf(value);
  return "";
}

std::string Congestion(Fields value, LldpNeighbour& neighbour) {
  neighbour.congestion = {.enabled = value.U8(), .ready = value.U8()};
  return "";
}

// ---- 802.3 clause 79.3 ----

std::string MacPhy(Fields value, LldpNeighbour& neighbour) {
  const std::uint8_t status = value.U8();
  neighbour.mac_phy = {.autoneg_supported = (status & 1U) != 0,
                       .autoneg_enabled = (status & 2U) != 0,
                       .advertised = value.U16(),
                       .mau_type = value.U16()};
  return "";
}

std::string MaxFrame(Fields value, LldpNeighbour& neighbour) {
  neighbour.max_frame_bytes = value.U16();
  return "";
}

constexpr std::size_t kLongestId = 256;  // subtype and 255 bytes
constexpr std::size_t kLongestText = 255;
constexpr std::size_t kAny = kLongestInformation;
constexpr std::uint8_t kOrg = kTypeOrganization;

constexpr Tlv kTlvs[] = {
    {kTypeChassis, 0, 0, "chassis ID", 2, kLongestId, false, Chassis},
    {kTypePort, 0, 0, "port ID", 2, kLongestId, false, PortId},
    {kTypeTtl, 0, 0, "time to live", 2, 2, false, Ttl},
    {4, 0, 0, "port description", 0, kLongestText, false, Text<&LldpNeighbour::port_description>},
    {5, 0, 0, "system name", 0, kLongestText, false, Text<&LldpNeighbour::system_name>},
    {6, 0, 0, "system description", 0, kLongestText, false, Text<&LldpNeighbour::system_description>},
    {7, 0, 0, "system capabilities", 4, 4, false, Capabilities},
    {8, 0, 0, "management address", 9, 167, true, Management},
    {kOrg, kOui8021, 1, "port VLAN ID", 2, 2, false, PortVlan},
    {kOrg, kOui8021, 3, "VLAN name", 3, 3 + 32, true, VlanName},
    {kOrg, kOui8021, 7, "link aggregation", 5, 5, false, Aggregation},
    {kOrg, kOui8021, 8, "congestion notification", 2, 2, false, Congestion},
    {kOrg, kOui8023, 1, "MAC/PHY status", 5, 5, false, MacPhy},
    {kOrg, kOui8023, 3, "link aggregation of 802.3", 5, 5, false, OldAggregation},
    {kOrg, kOui8023, 4, "maximum frame size", 2, 2, false, MaxFrame},
};

// ---- a whole frame ----

constexpr std::size_t kEthernetHeaderBytes = 14;
constexpr std::uint16_t kEtherType = 0x88cc;

class FrameDecoder {
 public:
  explicit FrameDecoder(Bytes frame) : frame_(frame) {}

  absl::StatusOr<LldpNeighbour> Decode() {
    Fields header(frame_);
    neighbour_.destination_mac = Hex(header.Take(kMacBytes), ":");
    neighbour_.source_mac = Hex(header.Take(kMacBytes), ":");
    if (frame_.size() < kEthernetHeaderBytes || header.U16() != kEtherType)
      return Discard("not of LLDP's EtherType");
    return DecodeTlvs(frame_.subspan(kEthernetHeaderBytes));
  }

  // `rest` ends where the frame does.
  absl::StatusOr<LldpNeighbour> DecodeTlvs(Bytes rest) {
    for (const std::uint8_t type : {kTypeChassis, kTypePort, kTypeTtl}) {
      const std::size_t at = At(rest);
      RawTlv raw;
      if (!NextTlv(rest, raw)) return Discard(fmt::format("ends at byte {}", at));
      const std::string why = Mandatory(raw, type);
      if (!why.empty()) return Discard(fmt::format("at byte {}: {}", at, why));
    }
    while (!rest.empty()) {
      const std::size_t at = At(rest);
      RawTlv raw;
      if (!NextTlv(rest, raw)) {
        AddOddity(neighbour_, "the frame", at, "ends in the middle of a TLV");
        break;
      }
      if (raw.type == kTypeEnd) break;  // what follows fills up the shortest Ethernet frame
      if (raw.type >= kTypeChassis && raw.type <= kTypeTtl)
        return Discard(fmt::format("at byte {}: a second {}", at, kTlvs[raw.type - 1].name));
      Optional(raw, at);
    }
    return std::move(neighbour_);
  }

 private:
  static absl::Status Discard(const std::string& why) { return Malformed("LLDP", why); }

  std::size_t At(Bytes rest) const { return frame_.size() - rest.size(); }

  std::string Mandatory(const RawTlv& raw, std::uint8_t type) {
    const Tlv& tlv = kTlvs[type - 1];
    if (raw.type != type) return fmt::format("TLV {}, not the {}", raw.type, tlv.name);
    const std::size_t bytes = raw.information.size();
    if (bytes < tlv.least_bytes || bytes > tlv.most_bytes) {
      return fmt::format("{} of {} bytes", tlv.name, bytes);
    }
    return tlv.decode(Fields(raw.information), neighbour_);
  }

  void Optional(const RawTlv& raw, std::size_t at) {
    Fields value(raw.information);
    std::uint32_t oui = 0;
    std::uint8_t subtype = 0;
    if (raw.type == kTypeOrganization) {
      constexpr std::size_t kOuiAndSubtype = 4;
      if (value.left() < kOuiAndSubtype)
        return AddOddity(neighbour_, "a TLV of an organization", at, "too short");
      const std::uint32_t both = value.U32();
      oui = both >> 8U;
      subtype = static_cast<std::uint8_t>(both);
    }
    const Tlv* tlv = Find(raw.type, oui, subtype);
    if (tlv == nullptr) {
      ++neighbour_.unknown_tlvs;
      return;
    }
    if (!tlv->repeats && !seen_.insert(tlv).second) return AddOddity(neighbour_, tlv->name, at, "a second one");
    if (value.left() < tlv->least_bytes) {
      return AddOddity(neighbour_, tlv->name, at,
                       fmt::format("{} bytes, not {}", value.left(), tlv->least_bytes));
    }
    if (value.left() > tlv->most_bytes) {
      AddOddity(neighbour_, tlv->name, at,
                fmt::format("{} bytes, more than {}", value.left(), tlv->most_bytes));
    }
    const std::string why = tlv->decode(value, neighbour_);
    if (!why.empty()) AddOddity(neighbour_, tlv->name, at, why);
  }

  static const Tlv* Find(std::uint8_t type, std::uint32_t oui, std::uint8_t subtype) {
    for (const std::span<const Tlv> table : {BasicTlvs(), DcbxTlvs()}) {
      for (const Tlv& tlv : table) {
        if (tlv.type == type && tlv.oui == oui && tlv.subtype == subtype) return &tlv;
      }
    }
    return nullptr;
  }

  Bytes frame_;
  LldpNeighbour neighbour_{};
  std::set<const Tlv*> seen_{};
};

}  // namespace

std::span<const Tlv> BasicTlvs() { return kTlvs; }

std::uint8_t Fields::U8() {
  const Bytes one = Take(1);
  return one.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(one.front());
}

std::uint16_t Fields::U16() {
  const unsigned high = U8();
  return static_cast<std::uint16_t>(high << 8U | U8());
}

std::uint32_t Fields::U32() {
  const std::uint32_t high = U16();
  return high << 16U | U16();
}

Bytes Fields::Take(std::size_t count) {
  const Bytes taken = rest_.first(std::min(count, rest_.size()));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

std::string TextOf(Bytes bytes) {
  // Agents end texts in a NUL that the standard does not have.
  while (!bytes.empty() && bytes.back() == std::byte{0}) bytes = bytes.first(bytes.size() - 1);
  return SafeLine({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, kLongestInformation);
}

void AddOddity(LldpNeighbour& neighbour, std::string_view name, std::size_t at, std::string_view why) {
  if (neighbour.oddities.size() >= kMostOddities) return;
  neighbour.oddities.push_back(fmt::format("{} at byte {}: {}", name, at, why));
}

bool NextTlv(Bytes& rest, RawTlv& tlv) {
  Fields fields(rest);
  if (fields.left() < 2) return false;
  const std::uint16_t head = fields.U16();
  const std::size_t bytes = head & kLongestInformation;
  if (fields.left() < bytes) return false;
  tlv.type = static_cast<std::uint8_t>(head >> 9U);
  tlv.information = fields.Take(bytes);
  rest = fields.TakeAll();
  return true;
}

}  // namespace lldp

absl::StatusOr<LldpNeighbour> DecodeLldpFrame(std::span<const std::byte> frame) {
  return lldp::FrameDecoder(frame).Decode();
}

absl::StatusOr<LldpNeighbour> DecodeLldpUnit(std::span<const std::byte> unit) {
  return lldp::FrameDecoder(unit).DecodeTlvs(unit);
}

}  // namespace rdmaready
