// SPDX-License-Identifier: Apache-2.0
// What LLDP (IEEE 802.1AB) and DCBX inside of it announce on a link. std::optional is a TLV that need not be
// there; what a frame does not say is not a gap in our picture. Texts are foreign: printable ASCII, '?'
// for else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/dcb.h"

namespace rdmaready {

// Chassis or port. `subtype` is the standard's number (802.1AB tables 8-2 and 8-3; 0 is none): what a number
// means differs between the two.
struct LldpId {
  std::uint8_t subtype = 0;
  std::string text{};  // "02:00:00:00:00:01", "10.0.0.1", "Ethernet1/1"; hexadecimal when it is no text

  void Fields(auto& list) { list.Setting("subtype", subtype, "text", text); }

  bool operator==(const LldpId&) const = default;
};

struct LldpManagementAddress {
  std::string address{};
  std::uint32_t interface_number = 0;

  void Fields(auto& list) { list.Setting("address", address, "interface_number", interface_number); }

  bool operator==(const LldpManagementAddress&) const = default;
};

struct LldpVlan {
  std::uint16_t id = 0;
  std::string name{};

  void Fields(auto& list) { list.Setting("id", id, "name", name); }

  bool operator==(const LldpVlan&) const = default;
};

struct LldpAggregation {
  bool capable = false;
  bool enabled = false;
  std::uint32_t port_id = 0;  // of the aggregated port; 0: none

  void Fields(auto& list) { list.Setting("capable", capable, "enabled", enabled, "port_id", port_id); }

  bool operator==(const LldpAggregation&) const = default;
};

struct LldpMacPhy {
  bool autoneg_supported = false;
  bool autoneg_enabled = false;
  std::uint16_t advertised = 0;  // IANAifMauAutoNegCapBits
  std::uint16_t mau_type = 0;    // IANAifMauType

  void Fields(auto& list) {
    list.Setting("autoneg_supported", autoneg_supported, "autoneg_enabled", autoneg_enabled, "advertised",
                 advertised, "mau_type", mau_type);
  }

  bool operator==(const LldpMacPhy&) const = default;
};

// Congestion notification (802.1Qau), bitmaps by priority.
struct LldpCongestion {
  std::uint8_t enabled = 0;  // CNPV indicators
  std::uint8_t ready = 0;

  void Fields(auto& list) { list.Setting("enabled", enabled, "ready", ready); }

  bool operator==(const LldpCongestion&) const = default;
};

// Both ETS TLVs of the IEEE dialect. A recommendation is for the receiver, and says nothing of the first three.
struct LldpEts {
  bool willing = false;
  bool credit_based_shaper = false;
  std::uint8_t traffic_classes = 0;                 // 1 to 8; 0 in a recommendation
  std::array<std::uint8_t, kPriorities> prio_tc{};  // priority -> traffic class
  std::array<std::uint8_t, kPriorities> percent{};  // by traffic class
  std::array<Tsa, kPriorities> tsa{};               // by traffic class

  void Fields(auto& list) {
    list.Setting("willing", willing, "credit_based_shaper", credit_based_shaper, "traffic_classes",
                 traffic_classes, "prio_tc", prio_tc, "percent", percent, "tsa", tsa);
  }

  bool operator==(const LldpEts&) const = default;
};

struct LldpPfc {
  bool willing = false;
  bool macsec_bypass = false;
  std::uint8_t capability = 0;  // classes that may be lossless at once
  std::uint8_t enabled = 0;     // bitmap by priority

  void Fields(auto& list) {
    list.Setting("willing", willing, "macsec_bypass", macsec_bypass, "capability", capability, "enabled",
                 enabled);
  }

  bool operator==(const LldpPfc&) const = default;
};

// The head of each feature of the CEE dialect.
struct CeeFeature {
  bool enabled = false;
  bool willing = false;
  bool error = false;

  void Fields(auto& list) {
    list.Setting("enabled", enabled, "willing", willing);
    list.State("error", error);
  }

  bool operator==(const CeeFeature&) const = default;
};

struct CeeGroups {
  static constexpr std::uint8_t kNoLimit = 15;  // the group that the percentages do not hold

  CeeFeature feature{};
  std::array<std::uint8_t, kPriorities> prio_group{};  // priority -> group, 0 to 7 or kNoLimit
  std::array<std::uint8_t, kPriorities> percent{};     // by group
  std::uint8_t traffic_classes = 0;

  void Fields(auto& list) {
    list.Setting("feature", feature, "prio_group", prio_group, "percent", percent, "traffic_classes",
                 traffic_classes);
  }

  bool operator==(const CeeGroups&) const = default;
};

struct CeePfc {
  CeeFeature feature{};
  std::uint8_t enabled = 0;  // bitmap by priority
  std::uint8_t traffic_classes = 0;

  void Fields(auto& list) {
    list.Setting("feature", feature, "enabled", enabled, "traffic_classes", traffic_classes);
  }

  bool operator==(const CeePfc&) const = default;
};

struct CeeAppEntry {
  std::uint8_t selector = 0;  // 0: EtherType, 1: TCP or UDP port
  std::uint16_t protocol = 0;
  std::uint8_t priorities = 0;  // bitmap

  void Fields(auto& list) {
    list.Setting("selector", selector, "protocol", protocol, "priorities", priorities);
  }

  bool operator==(const CeeAppEntry&) const = default;
};

struct CeeApp {
  CeeFeature feature{};
  std::vector<CeeAppEntry> entries{};

  void Fields(auto& list) { list.Setting("feature", feature, "entries", entries); }

  bool operator==(const CeeApp&) const = default;
};

struct CeeControl {
  std::uint8_t operating_version = 0;
  std::uint8_t max_version = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledged = 0;

  void Fields(auto& list) {
    list.Setting("operating_version", operating_version, "max_version", max_version);
    list.Reading("sequence", sequence, "acknowledged", acknowledged);
  }

  bool operator==(const CeeControl&) const = default;
};

struct LldpCee {
  std::optional<CeeControl> control{};
  std::optional<CeeGroups> groups{};
  std::optional<CeePfc> pfc{};
  std::optional<CeeApp> app{};

  void Fields(auto& list) { list.Setting("control", control, "groups", groups, "pfc", pfc, "app", app); }

  bool operator==(const LldpCee&) const = default;
};

// The dialects of DCBX that an agent speaks. More than one is a fault of its own.
struct LldpDialects {
  bool ieee = false;  // 802.1Qaz
  bool cee = false;   // OUI 00-1B-21, subtype 2
  bool cin = false;   // OUI 00-1B-21, subtype 1: the older one; named, not read

  bool operator==(const LldpDialects&) const = default;
};

// One LLDP agent, by the last frame of its that was heard.
struct LldpNeighbour {
  std::string source_mac{};
  std::string destination_mac{};  // the group tells how far the frame may go
  std::uint32_t frames = 0;       // heard, this one and those before it
  std::uint32_t first_ms =
      0;  // since listening began. Agents that take turns overlap; one that changed does not
  std::uint32_t last_ms = 0;

  LldpId chassis{};
  LldpId port{};
  std::uint16_t ttl_s = 0;
  std::string port_description{};
  std::string system_name{};
  std::string system_description{};
  std::uint16_t capabilities = 0;  // 802.1AB table 8-4: 0x04 bridge, 0x10 router, 0x80 station
  std::uint16_t capabilities_enabled = 0;
  std::vector<LldpManagementAddress> management{};

  std::optional<std::uint16_t> port_vlan_id{};  // 0: the port has none
  std::vector<LldpVlan> vlans{};
  std::optional<LldpAggregation> aggregation{};
  std::optional<LldpCongestion> congestion{};
  std::optional<LldpMacPhy> mac_phy{};
  std::optional<std::uint16_t> max_frame_bytes{};  // with Ethernet header and FCS, without VLAN tags

  LldpDialects dialects{};
  std::optional<LldpEts> ets{};
  std::optional<LldpEts> ets_recommended{};
  std::optional<LldpPfc> pfc{};
  std::optional<std::vector<AppEntry>> app{};
  std::optional<LldpCee> cee{};

  std::uint32_t unknown_tlvs = 0;
  // What is wrong with TLVs of it, and where: "PFC configuration at byte 71: 3 bytes, not 6". Such a TLV is
  // left out.
  std::vector<std::string> oddities{};

  void Fields(auto& list) {
    list.Setting("source_mac", source_mac, "destination_mac", destination_mac, "chassis", chassis, "port", port,
                 "ttl_s", ttl_s, "port_description", port_description, "system_name", system_name,
                 "system_description", system_description, "capabilities", capabilities, "capabilities_enabled",
                 capabilities_enabled, "management", management, "port_vlan_id", port_vlan_id, "vlans", vlans,
                 "aggregation", aggregation, "congestion", congestion, "mac_phy", mac_phy, "max_frame_bytes",
                 max_frame_bytes, "dcbx_ieee", dialects.ieee, "dcbx_cee", dialects.cee, "dcbx_cin",
                 dialects.cin, "ets", ets, "ets_recommended", ets_recommended, "pfc", pfc, "app", app, "cee",
                 cee);
    list.State("unknown_tlvs", unknown_tlvs, "oddities", oddities);
    list.Reading("frames", frames, "first_ms", first_ms, "last_ms", last_ms);
  }

  bool operator==(const LldpNeighbour&) const = default;
};

// What was heard on one netdev. Frames that the NIC's firmware keeps to itself never get here.
struct LldpHeard {
  std::uint32_t listened_ms = 0;
  std::vector<LldpNeighbour>
      peers{};                       // more than one: several agents at the other end, or something in between
  std::vector<LldpNeighbour> own{};  // what agents on this host announce
  std::vector<std::string> notes{};  // frames that are no LLDP, that were left out, an agent that said goodbye

  void Fields(auto& list) {
    list.State("peers", peers, "own", own);
    list.Reading("listened_ms", listened_ms, "notes", notes);
  }

  bool operator==(const LldpHeard&) const = default;
};

}  // namespace rdmaready
