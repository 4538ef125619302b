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

#include "api/model/congestion.h"
#include "api/model/dcb.h"
#include "api/model/devlink.h"
#include "api/model/ethernet_link.h"
#include "api/model/fact.h"
#include "api/model/firewall.h"
#include "api/model/infiniband.h"
#include "api/model/lldp.h"
#include "api/model/network.h"
#include "api/model/nic_statistics.h"
#include "api/model/storage.h"

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

// RLIMIT_NOFILE of the agent.
struct OpenFiles {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;  // up to which a process may raise its own

  bool operator==(const OpenFiles&) const = default;
};

// ---- PCI Express ----------------------------------------------------------------------------------------

struct PciLink {
  std::uint32_t speed_mtps = 0;  // megatransfers per second and lane: 2500, 5000, 8000, 16000, 32000, 64000
  std::uint32_t width = 0;       // lanes

  bool operator==(const PciLink&) const = default;
};

// One end of a PCIe link on the way from a device to its root port.
struct PciHop {
  std::string address{};  // "0000:3b:00.0"
  PciLink current{};
  PciLink max{};
  Fact<std::uint32_t> max_payload_bytes{};       // MPS, Device Control bits 7:5
  Fact<std::uint32_t> max_read_request_bytes{};  // MRRS, Device Control bits 14:12
  Fact<bool> acs_redirect{};  // requests of one device to another are sent up to the root complex

  bool operator==(const PciHop&) const = default;
};

// Where a device's interrupts (MSI, MSI-X) arrive.
struct Interrupts {
  std::uint32_t count = 0;  // those that arrive anywhere
  std::uint32_t local = 0;  // those that arrive only at CPUs of the device's own NUMA node
  std::uint32_t cpus = 0;   // at how many different CPUs

  bool operator==(const Interrupts&) const = default;
};

struct PciFunction {
  std::string address{};
  std::uint16_t vendor_id = 0;
  std::uint16_t device_id = 0;
  bool virtual_function = false;
  Fact<std::vector<PciHop>> path{};  // the device first, its root port last
  Fact<std::int32_t> numa_node{};    // -1: the firmware did not say
  Fact<std::uint64_t> aer_fatal{};   // TOTAL_ERR_FATAL of aer_dev_fatal, since boot
  Fact<std::uint64_t> aer_nonfatal{};
  Fact<std::uint64_t> aer_correctable{};
  Fact<Interrupts> interrupts{};
  Fact<std::string> iommu_domain{};  // "identity", "DMA", "DMA-FQ"

  bool operator==(const PciFunction&) const = default;
};

// ---- Ethernet -------------------------------------------------------------------------------------------

// ETHTOOL_GDRVINFO; fields the driver leaves empty are empty.
struct DriverInfo {
  std::string driver{};
  std::string version{};
  std::string firmware{};
  std::string bus{};  // "0000:3b:00.0"

  bool operator==(const DriverInfo&) const = default;
};

// Link-level flow control (IEEE 802.3x), ETHTOOL_GPAUSEPARAM.
struct Pause {
  bool autoneg = false;
  bool rx = false;
  bool tx = false;

  bool operator==(const Pause&) const = default;
};

enum class Duplex { kUnknown, kHalf, kFull };

// IFLA_VLAN_EGRESS_QOS: frames of socket priority `from` leave with `pcp` in their tag.
struct VlanPriority {
  std::uint32_t from = 0;
  std::uint8_t pcp = 0;

  bool operator==(const VlanPriority&) const = default;
};

// A netdev that stands on an RDMA port's netdev, directly or on others that do: VLAN, bond, bridge, macvlan.
struct UpperNetdev {
  std::string name{};
  std::uint32_t ifindex = 0;
  std::string kind{};               // IFLA_INFO_KIND: "vlan", "bond", "bridge"
  std::vector<std::string> over{};  // the netdevs it stands on directly and that lead to the port
  bool admin_up = false;
  bool carrier = false;
  std::uint32_t mtu_bytes = 0;
  Fact<std::uint16_t> vlan_id{};                  // of a VLAN
  Fact<std::vector<VlanPriority>> vlan_egress{};  // of a VLAN
  Fact<std::string> bond_mode{};                  // of a bond: "active-backup", "802.3ad"
  Fact<std::vector<IpAddress>> addresses{};
  Fact<Ipv4Settings> ipv4{};

  bool operator==(const UpperNetdev&) const = default;
};

// The root queueing discipline mqprio: which traffic class of the NIC a socket priority goes to. RDMA-CM takes
// the service level of RoCE from it, before it looks at a VLAN's map (drivers/infiniband/core/cma.c).
struct Mqprio {
  std::uint8_t traffic_classes = 0;
  std::array<std::uint8_t, 16> priority_class{};  // socket priority -> class
  bool offloaded = false;                         // the NIC does it

  bool operator==(const Mqprio&) const = default;
};

struct Netdev {
  std::string name{};
  std::uint32_t ifindex = 0;
  std::string driver{};   // PCI driver, or the link kind of a virtual device ("dcbnic", "vlan"); may be empty
  bool admin_up = false;  // IFF_UP
  bool carrier = false;   // IFF_LOWER_UP
  std::uint32_t mtu_bytes = 0;
  Fact<std::uint32_t> speed_mbps{};
  Fact<std::uint16_t> vlan_id{};                  // known only when the netdev is a VLAN device
  Fact<std::vector<VlanPriority>> vlan_egress{};  // likewise
  Fact<std::vector<IpAddress>> addresses{};
  Dcb dcb{};
  std::string mac{};                      // "02:00:00:00:00:01"; may be empty
  std::string master{};                   // the bond or bridge it is a member of; empty: of none
  Fact<std::uint32_t> max_mtu_bytes{};    // IFLA_MAX_MTU
  Fact<std::uint64_t> carrier_changes{};  // since the netdev was made
  Fact<Duplex> duplex{};
  Fact<DriverInfo> driver_info{};
  Fact<Pause> pause{};
  // Milliseconds after which the NIC stops honouring endless pauses: 0 never, 0xffff the driver's own choice.
  Fact<std::uint16_t> pfc_storm_timeout_ms{};
  Fact<LldpHeard> lldp{};  // only when listening was asked for: it takes its time
  Fact<Ipv4Settings> ipv4{};
  EthernetLink link{};
  Fact<std::vector<NicStatistic>> statistics{};
  Fact<Mqprio> mqprio{};         // kUnsupported: another queueing discipline is in place
  Fact<LldpHeard> lldp_agent{};  // as lldpad of this host keeps it, at once and without listening
  Fact<DcbWrites> dcb_writes{};  // only when listening was asked for; kUnsupported: there is no DCB

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

// What counts on one netdev, as it was read earlier.
struct NetdevReading {
  std::string netdev{};
  Fact<std::vector<NicStatistic>> statistics{};
  Fact<Pfc> pfc{};
  Fact<PauseFrames> pause_frames{};
  Fact<Fec> fec{};
  Fact<std::uint64_t> fcs_errors{};
  Fact<std::uint64_t> carrier_changes{};

  bool operator==(const NetdevReading&) const = default;
};

// What counts on a port, as it was read when a watch began: the same fields of Port were read at its end.
struct EarlierReading {
  std::uint32_t before_ms = 0;  // how long before
  Fact<std::vector<Counter>> hw_counters{};
  Fact<std::vector<Counter>> port_counters{};
  Fact<std::vector<Counter>> pma_counters{};
  std::vector<NetdevReading> netdevs{};  // of the Ethernet ports

  bool operator==(const EarlierReading&) const = default;
};

// RDMA_NLDEV_CMD_RES_GET: how many objects of each kind exist on a device now, the kernel's own included.
struct RdmaResources {
  std::uint64_t qp = 0;
  std::uint64_t cq = 0;
  std::uint64_t mr = 0;
  std::uint64_t pd = 0;
  std::uint64_t cm_id = 0;
  std::uint64_t ctx = 0;

  bool operator==(const RdmaResources&) const = default;
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

  Fact<Netdev> netdev{};  // the one the kernel pairs with the port
  // The Ethernet ports that `netdev` stands on, when it is itself a VLAN, a bond or a bridge: there DCB is
  // judged. An empty list: `netdev` is the Ethernet port.
  Fact<std::vector<Netdev>> lowers{};
  Fact<std::vector<UpperNetdev>> uppers{};  // what stands on `netdev`, the nearer ones first

  Fact<std::uint64_t> node_guid{};
  Fact<std::string> board{};  // board_id, else hca_type, of sysfs
  Fact<PciFunction> pci{};
  Fact<std::vector<Counter>> hw_counters{};       // of the port, and of the device where it has its own
  Fact<std::uint32_t> hw_counters_lifespan_ms{};  // readings closer together than this may be the same one
  Fact<std::vector<Counter>> port_counters{};     // IBTA PMA counters; classic ones saturate
  Fact<RdmaResources> resources{};                // of the whole device
  Fact<DeviceLimits> limits{};                    // likewise
  Fact<std::vector<RdmaListener>> listeners{};    // likewise, each once
  Fact<std::uint32_t> rate_mbps{};                // by which the RDMA stack reckons; sysfs `rate`
  Fact<std::vector<Subnet>> subnets{};            // of each address but link-local ones
  Fact<std::vector<Neighbour>> neighbours{};      // on the netdev and on what stands on it
  Devlink devlink{};                              // of the device's PCI function
  Fact<CongestionControl> congestion{};
  Fact<std::uint8_t> verbs_traffic_class{};  // forced on every connection by the vendor's driver; 0: none is
  Infiniband ib{};                           // kUnsupported throughout where the port is none
  Fact<bool> verbs_provider{};               // libibverbs has a driver for the device
  Fact<bool> out_of_tree{};                  // the driver does not come from the kernel's own source
  Fact<EarlierReading> earlier{};            // only when a watch was asked for: it takes its time

  bool operator==(const Port&) const = default;
};

// A node of /dev/infiniband.
struct DeviceNode {
  std::string name{};
  std::uint32_t mode = 0;  // permission bits, 0660

  bool operator==(const DeviceNode&) const = default;
};

// A disk of the network that the firmware booted from: who changes its port may lose the host.
struct BootTarget {
  std::string table{};    // "iBFT", "NBFT"
  std::string mac{};      // of the port; empty: not told
  std::string address{};  // of the host at that port
  std::string target{};   // its iSCSI name or NVMe qualified name

  bool operator==(const BootTarget&) const = default;
};

struct Facts {
  std::string hostname{};
  std::string machine_id{};  // tells "the same host twice" from two hosts; may be empty
  Fact<Kernel> kernel{};
  Fact<RdmaStack> rdma_stack{};
  Fact<Memlock> memlock{};
  Fact<OpenFiles> open_files{};
  Fact<std::uint64_t> uptime_s{};               // since boot
  Fact<std::vector<std::string>> rdma_nodes{};  // names in /dev/infiniband: "rdma_cm", "uverbs0"
  Fact<bool> rdma_netns_shared{};               // every network namespace sees every RDMA device
  Fact<std::uint32_t> numa_nodes{};             // online
  Fact<std::vector<KernelModule>> modules{};    // those of kStorageModules, in that order
  Fact<std::vector<KernelOption>>
      options{};  // of the kernel's configuration: those that are in it and matter here
  Fact<KsmbdConfig> ksmbd{};
  Fact<std::vector<std::uint16_t>> tcp_listeners{};  // ports, ascending, each once; of this network namespace
  Fact<std::vector<Port>> ports{};  // every port of every RDMA device, in device and port order
  Fact<Firewall> firewall{};
  Fact<std::vector<RoutingRule>> routing_rules{};
  Fact<std::vector<DeviceNode>> device_nodes{};
  Fact<std::uint64_t> agent_capabilities{};        // effective, of the agent: bit N is CAP_ number N
  Fact<std::string> agent_process{};               // name of the process that looked: "rdmaready-agent", or
                                                   // "rdmaready" where a person asked without an agent
  Fact<std::vector<std::string>> tos_keepers{};    // files that set RDMA-CM's defaults anew at boot
  Fact<std::vector<BootTarget>> boot_targets{};    // empty: it booted from no disk of the network
  Fact<std::vector<ConsumerMarking>> markings{};   // by configuration of the software
  Fact<std::vector<std::string>> lldp_agents{};    // those that run here: "lldpad", "lldpd"
  Fact<std::vector<std::string>> cpu_governors{};  // in use, each once: "performance"
  Fact<bool> irqbalance{};                         // it runs

  bool operator==(const Facts&) const = default;
};

// "rxe0/1", the name of a port everywhere.
inline std::string PortName(const Port& port) { return port.device + "/" + std::to_string(port.number); }

}  // namespace rdmaready
