// SPDX-License-Identifier: Apache-2.0
// What ethtool's generic netlink family and hwmon tell of an Ethernet port. What a driver does not offer is
// Missing and never 0. Counters count since the driver was loaded, or since somebody reset them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// Modes by the kernel's names: "100000baseCR4/Full", and among them "Autoneg", "FIBRE", "Pause", "FEC_RS".
struct LinkModes {
  bool autoneg = false;
  std::vector<std::string> supported{};
  std::vector<std::string> advertised{};
  std::vector<std::string> peer{};  // empty: the peer tells none, or the driver does not
  std::uint32_t lanes = 0;          // in use; 0: the driver does not tell

  void Fields(auto& list) {
    list.Setting("autoneg", autoneg, "supported", supported, "advertised", advertised);
    list.State("peer", peer, "lanes", lanes);
  }

  bool operator==(const LinkModes&) const = default;
};

// Forward error correction. Modes are "None", "RS", "BASER", "LLRS".
struct Fec {
  bool automatic = false;
  std::vector<std::string> configured{};
  std::string active{};  // empty: the driver does not tell, or no link
  std::optional<std::uint64_t> corrected_blocks{};
  std::optional<std::uint64_t> uncorrectable_blocks{};

  void Fields(auto& list) {
    list.Setting("automatic", automatic, "configured", configured);
    list.State("active", active);
    list.Reading("corrected_blocks", corrected_blocks, "uncorrectable_blocks", uncorrectable_blocks);
  }

  bool operator==(const Fec&) const = default;
};

// Frames of 802.3x, of all priorities.
struct PauseFrames {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  void Fields(auto& list) { list.Reading("sent", sent, "received", received); }

  bool operator==(const PauseFrames&) const = default;
};

// Energy-efficient Ethernet (802.3az).
struct Eee {
  bool enabled = false;
  bool active = false;  // both ends do it

  void Fields(auto& list) {
    list.Setting("enabled", enabled);
    list.State("active", active);
  }

  bool operator==(const Eee&) const = default;
};

// Descriptors per ring.
struct Rings {
  std::uint32_t rx = 0;
  std::uint32_t rx_max = 0;
  std::uint32_t tx = 0;
  std::uint32_t tx_max = 0;

  void Fields(auto& list) { list.Setting("rx", rx, "rx_max", rx_max, "tx", tx, "tx_max", tx_max); }

  bool operator==(const Rings&) const = default;
};

struct Channels {
  std::uint32_t rx = 0;
  std::uint32_t tx = 0;
  std::uint32_t combined = 0;
  std::uint32_t combined_max = 0;

  void Fields(auto& list) {
    list.Setting("rx", rx, "tx", tx, "combined", combined, "combined_max", combined_max);
  }

  bool operator==(const Channels&) const = default;
};

// A switch of the driver's own, like ice's fw-lldp-agent.
struct PrivateFlag {
  std::string name{};
  bool on = false;

  void Fields(auto& list) { list.Setting("name", name, "on", on); }

  bool operator==(const PrivateFlag&) const = default;
};

// Why a link is down, as the driver knows it: ETHTOOL_LINK_EXT_STATE_* of linux/ethtool.h.
struct DownReason {
  std::uint8_t state = 0;
  std::uint8_t substate = 0;  // 0: none told

  void Fields(auto& list) { list.State("state", state, "substate", substate); }

  bool operator==(const DownReason&) const = default;
};

// A temperature of hwmon, in thousandths of a degree Celsius.
struct Temperature {
  std::string label{};  // "asic", "front port 0"; may be empty
  std::int32_t now_mc = 0;
  std::optional<std::int32_t> warn_mc{};      // tempN_max
  std::optional<std::int32_t> critical_mc{};  // tempN_crit

  void Fields(auto& list) {
    list.Setting("label", label, "warn_mc", warn_mc, "critical_mc", critical_mc);
    list.Reading("now_mc", now_mc);
  }

  bool operator==(const Temperature&) const = default;
};

struct EthernetLink {
  Fact<LinkModes> modes{};
  Fact<Fec> fec{};
  Fact<PauseFrames> pause_frames{};
  Fact<Eee> eee{};
  Fact<Rings> rings{};
  Fact<Channels> channels{};
  Fact<std::vector<PrivateFlag>> private_flags{};
  Fact<std::uint64_t> fcs_errors{};     // FrameCheckSequenceErrors of 802.3
  Fact<std::uint64_t> symbol_errors{};  // SymbolErrorDuringCarrier of 802.3
  Fact<DownReason> down_reason{};
  Fact<std::vector<Temperature>> temperatures{};

  void Fields(auto& list) {
    list.Setting("modes", modes, "fec", fec, "eee", eee, "rings", rings, "channels", channels, "private_flags",
                 private_flags);
    list.State("down_reason", down_reason);
    list.Reading("pause_frames", pause_frames, "fcs_errors", fcs_errors, "symbol_errors", symbol_errors,
                 "temperatures", temperatures);
  }

  bool operator==(const EthernetLink&) const = default;
};

}  // namespace rdmaready
