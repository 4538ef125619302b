// SPDX-License-Identifier: Apache-2.0
// Data centre bridging of a netdev, as dcbnl tells it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

inline constexpr std::size_t kPriorities = 8;  // IEEE 802.1Q priorities, and dcbnl's traffic classes

// Transmission selection algorithm of a traffic class: IEEE_8021QAZ_TSA_* of linux/dcbnl.h.
enum class Tsa : std::uint8_t { kStrict = 0, kCbShaper = 1, kEts = 2, kVendor = 255 };

struct Ets {  // struct ieee_ets
  bool willing = false;
  std::uint8_t traffic_classes = 0;                    // ets_cap
  std::array<std::uint8_t, kPriorities> tx_percent{};  // by traffic class
  std::array<Tsa, kPriorities> tsa{};                  // by traffic class
  std::array<std::uint8_t, kPriorities> prio_tc{};     // priority -> traffic class

  void Fields(auto& list) {
    list.Setting("willing", willing, "traffic_classes", traffic_classes, "tx_percent", tx_percent, "tsa", tsa,
                 "prio_tc", prio_tc);
  }

  bool operator==(const Ets&) const = default;
};

struct Pfc {                                             // struct ieee_pfc
  std::uint8_t capability = 0;                           // classes that may be lossless at once
  std::uint8_t enabled = 0;                              // bitmap by priority
  std::uint16_t delay = 0;                               // driver's unit: bit times, or metres of cable on mlx5
  std::array<std::uint64_t, kPriorities> pauses_sent{};  // requests
  std::array<std::uint64_t, kPriorities> pauses_received{};  // indications

  void Fields(auto& list) {
    list.Setting("capability", capability, "enabled", enabled, "delay", delay);
    list.Reading("pauses_sent", pauses_sent, "pauses_received", pauses_received);
  }

  bool operator==(const Pfc&) const = default;
};

// Selectors of the APP table: IEEE_8021QAZ_APP_SEL_* and DCB_APP_SEL_PCP of linux/dcbnl.h.
enum class AppSelector : std::uint8_t {
  kNone = 0,
  kEthertype = 1,  // protocol 0 means the default priority
  kStream = 2,     // TCP, SCTP port
  kDgram = 3,      // UDP, DCCP port
  kAny = 4,        // any layer 4 port
  kDscp = 5,
  kPcp = 255,
};

struct AppEntry {  // struct dcb_app
  AppSelector selector = AppSelector::kNone;
  std::uint8_t priority = 0;
  std::uint16_t protocol = 0;

  void Fields(auto& list) { list.Setting("selector", selector, "priority", priority, "protocol", protocol); }

  bool operator==(const AppEntry&) const = default;
};

// DCB_CAP_DCBX_* of linux/dcbnl.h.
struct Dcbx {
  bool host = false;         // the operating system runs DCBX
  bool lld_managed = false;  // firmware, or another agent below the driver, runs it
  bool cee = false;
  bool ieee = false;
  bool static_mode = false;

  void Fields(auto& list) {
    list.Setting("host", host, "lld_managed", lld_managed, "cee", cee, "ieee", ieee, "static_mode",
                 static_mode);
  }

  bool operator==(const Dcbx&) const = default;
};

struct PortBuffer {                                     // struct dcbnl_buffer
  std::array<std::uint8_t, kPriorities> prio_buffer{};  // priority -> buffer
  std::array<std::uint32_t, kPriorities> size_bytes{};  // by buffer
  std::uint32_t total_bytes = 0;

  void Fields(auto& list) {
    list.Setting("prio_buffer", prio_buffer, "size_bytes", size_bytes, "total_bytes", total_bytes);
  }

  bool operator==(const PortBuffer&) const = default;
};

// By buffer. 0: none, which a buffer has that no lossless priority uses.
struct PauseThresholds {
  std::array<std::uint32_t, kPriorities> xoff_bytes{};  // of its filling, from which on it asks for a pause
  std::array<std::uint32_t, kPriorities> xon_bytes{};   // down to which the pause lasts

  void Fields(auto& list) { list.Setting("xoff_bytes", xoff_bytes, "xon_bytes", xon_bytes); }

  bool operator==(const PauseThresholds&) const = default;
};

// The priority of each DSCP, as the NIC has it.
using DscpMap = std::array<std::uint8_t, 64>;

// struct ieee_maxrate, by traffic class. 0: no limit.
using MaxRatesKbps = std::array<std::uint64_t, kPriorities>;

// What DCBX of the NIC's firmware has heard from the other end.
struct DcbPeer {
  Fact<Ets> ets{};
  Fact<Pfc> pfc{};
  Fact<std::vector<AppEntry>> app{};

  void Fields(auto& list) { list.State("ets", ets, "pfc", pfc, "app", app); }

  bool operator==(const DcbPeer&) const = default;
};

// The older dialect (CEE), where the driver speaks it.
struct CeeSettings {                                      // DCB_CMD_CEE_GET
  std::array<std::uint8_t, kPriorities> prio_group{};     // priority -> group
  std::array<std::uint8_t, kPriorities> group_percent{};  // by group
  std::uint8_t pfc_enabled = 0;                           // bitmap by priority

  void Fields(auto& list) {
    list.Setting("prio_group", prio_group, "group_percent", group_percent, "pfc_enabled", pfc_enabled);
  }

  bool operator==(const CeeSettings&) const = default;
};

struct Dcb {
  Fact<Ets> ets{};
  Fact<Pfc> pfc{};
  Fact<std::vector<AppEntry>> app{};
  Fact<std::vector<AppSelector>> app_trust{};  // highest precedence first; few drivers have it (kernel 6.2)
  Fact<Dcbx> dcbx{};
  Fact<PortBuffer> buffer{};
  Fact<MaxRatesKbps> max_rate_kbps{};
  Fact<std::vector<AppEntry>> rewrite{};  // marking on the way out: priority -> protocol (kernel 6.3)
  DcbPeer peer{};
  Fact<CeeSettings> cee{};
  Fact<PauseThresholds> thresholds{};  // of `buffer`; not of dcbnl
  // The NIC's own, where its vendor's driver shows them beside dcbnl: what is set by them is in no APP row.
  Fact<AppSelector> nic_trust{};  // kDscp or kPcp
  Fact<DscpMap> nic_dscp_map{};

  void Fields(auto& list) {
    list.Setting("ets", ets, "pfc", pfc, "app", app, "app_trust", app_trust, "dcbx", dcbx, "buffer", buffer,
                 "max_rate_kbps", max_rate_kbps, "rewrite", rewrite, "cee", cee, "thresholds", thresholds,
                 "nic_trust", nic_trust, "nic_dscp_map", nic_dscp_map);
    list.State("peer", peer);
  }

  bool operator==(const Dcb&) const = default;
};

// The kernel announces that somebody wrote, and not who. What it passes on is the number of the request.
enum class DcbWriter {
  kUnknown,
  kDriver,   // there was no request: the driver, for the firmware's DCBX
  kProcess,  // dcb, lldpad
};

// Writes of one kind in a row.
struct DcbWrite {
  DcbWriter writer = DcbWriter::kUnknown;
  std::vector<std::string> suspects{};  // processes that it may have been: "dcb (process 712)"
  std::vector<std::string> changed{};   // "PFC 3 -> 4", "ETS"; empty: the settings stayed as they were
  std::uint32_t times = 1;
  std::uint32_t first_ms = 0;  // since listening began
  std::uint32_t last_ms = 0;

  void Fields(auto& list) {
    list.Reading("writer", writer, "suspects", suspects, "changed", changed, "times", times, "first_ms",
                 first_ms, "last_ms", last_ms);
  }

  bool operator==(const DcbWrite&) const = default;
};

// What was written to a netdev's DCB settings while somebody listened.
struct DcbWrites {
  std::uint32_t listened_ms = 0;
  bool lost = false;                       // the kernel announced more than could be kept
  std::vector<DcbWrite> writes{};          // in their order
  std::vector<std::string> unannounced{};  // differs between two readings, and nobody announced it

  void Fields(auto& list) {
    list.Reading("listened_ms", listened_ms, "lost", lost, "writes", writes, "unannounced", unannounced);
  }

  bool operator==(const DcbWrites&) const = default;
};

}  // namespace rdmaready
