// SPDX-License-Identifier: Apache-2.0
// Facts: everything we know of one host, as values. Collectors fill it, checks judge it.
//
// Units are in the names. Lists inside a Fact may be empty: that is an answer, not a gap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// ---- the host -------------------------------------------------------------------------------------------

// How far the kernel's InfiniBand stack got. Told apart, because the fix differs.
enum class RdmaStack {
  kUnknown,
  kAbsent,     // this kernel was built without InfiniBand, or its modules are not installed
  kNotLoaded,  // ib_core is available as a module but not loaded
  kLoaded,     // ib_core is there; whether there are devices is another question
};

struct Kernel {
  std::string release{};  // "6.12.117+deb12-amd64"
  bool operator==(const Kernel&) const = default;
};

// RLIMIT_MEMLOCK of the process that registers memory (the agent), soft limit.
struct Memlock {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t limit_bytes = 0;
  bool cap_ipc_lock = false;  // the kernel does not enforce the limit on this process
  std::int64_t pid = 0;       // whose limit it is

  bool operator==(const Memlock&) const = default;
};

// ---- data centre bridging -------------------------------------------------------------------------------

inline constexpr std::size_t kPriorities = 8;  // IEEE 802.1Q priorities, and dcbnl's traffic classes

// Transmission selection algorithm of a traffic class: IEEE_8021QAZ_TSA_* of linux/dcbnl.h.
enum class Tsa : std::uint8_t { kStrict = 0, kCbShaper = 1, kEts = 2, kVendor = 255 };

struct Ets {  // struct ieee_ets
  bool willing = false;
  std::uint8_t traffic_classes = 0;                    // ets_cap
  std::array<std::uint8_t, kPriorities> tx_percent{};  // by traffic class
  std::array<Tsa, kPriorities> tsa{};                  // by traffic class
  std::array<std::uint8_t, kPriorities> prio_tc{};     // priority -> traffic class

  bool operator==(const Ets&) const = default;
};

struct Pfc {                                             // struct ieee_pfc
  std::uint8_t capability = 0;                           // classes that may be lossless at once
  std::uint8_t enabled = 0;                              // bitmap by priority
  std::uint16_t delay = 0;                               // driver's unit: bit times, or metres of cable on mlx5
  std::array<std::uint64_t, kPriorities> pauses_sent{};  // requests
  std::array<std::uint64_t, kPriorities> pauses_received{};  // indications

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

  bool operator==(const AppEntry&) const = default;
};

// DCB_CAP_DCBX_* of linux/dcbnl.h.
struct Dcbx {
  bool host = false;         // the operating system runs DCBX
  bool lld_managed = false;  // firmware, or another agent below the driver, runs it
  bool cee = false;
  bool ieee = false;
  bool static_mode = false;

  bool operator==(const Dcbx&) const = default;
};

struct Dcb {
  Fact<Ets> ets{};
  Fact<Pfc> pfc{};
  Fact<std::vector<AppEntry>> app{};
  Fact<std::vector<AppSelector>> app_trust{};  // highest precedence first; few drivers have it (kernel 6.2)
  Fact<Dcbx> dcbx{};

  bool operator==(const Dcb&) const = default;
};

// ---- Ethernet -------------------------------------------------------------------------------------------

struct IpAddress {
  std::string address{};  // "10.0.0.1", "fe80::1"
  std::uint8_t prefix_length = 0;

  bool operator==(const IpAddress&) const = default;
};

struct Netdev {
  std::string name{};
  std::uint32_t ifindex = 0;
  std::string driver{};   // PCI driver, or the link kind of a virtual device ("dcbnic", "vlan"); may be empty
  bool admin_up = false;  // IFF_UP
  bool carrier = false;   // IFF_LOWER_UP
  std::uint32_t mtu_bytes = 0;
  Fact<std::uint32_t> speed_mbps{};
  Fact<std::uint16_t> vlan_id{};  // known only when the netdev is a VLAN device
  Fact<std::vector<IpAddress>> addresses{};
  Dcb dcb{};

  bool operator==(const Netdev&) const = default;
};

// ---- RDMA -----------------------------------------------------------------------------------------------

enum class Transport { kUnknown, kInfiniBand, kRoce, kIwarp };

enum class PortState { kUnknown, kDown, kInit, kArmed, kActive, kActiveDefer };  // enum ib_port_state

enum class GidType { kUnknown, kIb, kRoceV1, kRoceV2 };

struct Gid {
  std::uint32_t index = 0;
  std::array<std::uint8_t, 16> raw{};
  GidType type = GidType::kUnknown;
  std::string netdev{};  // may be empty (InfiniBand, or the netdev lives in another namespace)

  bool operator==(const Gid&) const = default;
};

struct Port {
  std::string device{};      // "rxe0"
  std::uint32_t number = 0;  // from 1

  Fact<Transport> transport{};
  Fact<bool> software{};  // rxe, siw: no firmware, no PCIe; functional verdict only
  Fact<std::string> firmware{};

  Fact<PortState> state{};
  Fact<std::uint8_t> phys_state{};         // enum ib_port_phys_state; 5 is LinkUp
  Fact<std::uint32_t> active_mtu_bytes{};  // RoCE/IB path MTU: 256 .. 4096
  Fact<std::uint32_t> max_mtu_bytes{};
  Fact<std::vector<Gid>> gids{};        // filled slots only
  Fact<GidType> cm_default_mode{};      // RDMA-CM's default RoCE mode
  Fact<std::uint8_t> cm_default_tos{};  // RDMA-CM's default ToS

  Fact<Netdev> netdev{};

  bool operator==(const Port&) const = default;
};

struct Facts {
  std::string hostname{};
  std::string machine_id{};  // tells "the same host twice" from two hosts; may be empty
  Fact<Kernel> kernel{};
  Fact<RdmaStack> rdma_stack{};
  Fact<Memlock> memlock{};
  Fact<std::vector<Port>> ports{};  // every port of every RDMA device, in device and port order

  bool operator==(const Facts&) const = default;
};

// "rxe0/1", the name of a port everywhere.
inline std::string PortName(const Port& port) { return port.device + "/" + std::to_string(port.number); }

}  // namespace rdmaready
