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

#include "api/model/apply_state.h"
#include "api/model/boot.h"
#include "api/model/congestion.h"
#include "api/model/dcb.h"
#include "api/model/devlink.h"
#include "api/model/ethernet_link.h"
#include "api/model/fact.h"
#include "api/model/firewall.h"
#include "api/model/gpu.h"
#include "api/model/infiniband.h"
#include "api/model/memory.h"
#include "api/model/netdev.h"
#include "api/model/network.h"
#include "api/model/nic_statistics.h"
#include "api/model/pci.h"
#include "api/model/services.h"
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

  void Fields(auto& list) { list.Setting("release", release); }

  bool operator==(const Kernel&) const = default;
};

// What os-release(5) says of the file system that the agent sees; in a container that is the image's, and the
// kernel may be another distribution's. Each word consists of a-z, 0-9, '.', '_' and '-'.
struct Distribution {
  std::string id{};                 // "rocky"
  std::vector<std::string> like{};  // "rhel", "centos", "fedora": the nearest one first
  std::string version{};            // "9.4"; empty: it has none

  void Fields(auto& list) { list.Setting("id", id, "like", like, "version", version); }

  bool operator==(const Distribution&) const = default;
};

// An RDMA device that the configuration of a program names, as NCCL_IB_HCA does.
struct NamedDevice {
  std::string device{};    // "mlx5_0"
  bool exact = false;      // else the beginning of a name is enough
  std::string source{};    // the file that says so
  std::string key{};       // "NCCL_IB_HCA"; empty: not told
  std::uint32_t port = 0;  // of the device; 0: every port
  bool excluded = false;   // the program may not use it

  void Fields(auto& list) {
    list.Setting("device", device, "exact", exact, "source", source, "key", key, "port", port, "excluded",
                 excluded);
  }

  bool operator==(const NamedDevice&) const = default;
};

// RLIMIT_NOFILE of the agent.
struct OpenFiles {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;  // up to which a process may raise its own

  void Fields(auto& list) { list.Setting("soft", soft, "hard", hard); }

  bool operator==(const OpenFiles&) const = default;
};

// What the kernel says of its clock, CLOCK_REALTIME; containers share that of their host. Whoever keeps the
// clock (an NTP client, phc2sys) tells it to the kernel.
struct KernelClock {
  // NTP_PHASE_LIMIT: after boot, and after the clock was set.
  static constexpr std::uint64_t kNobodyKnowsUs = 16'000'000;

  // STA_UNSYNC or TIME_ERROR. Some who keep the clock set it too, so that the kernel leaves the RTC alone.
  bool unsynchronised = false;
  // 500 more with each second, up to kNobodyKnowsUs, until somebody corrects the clock.
  std::uint64_t max_error_us = 0;
  std::uint64_t estimated_error_us = 0;  // kNobodyKnowsUs: nobody has told it

  void Fields(auto& list) {
    list.State("unsynchronised", unsynchronised);
    list.Reading("max_error_us", max_error_us, "estimated_error_us", estimated_error_us);
  }

  bool operator==(const KernelClock&) const = default;
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

  void Fields(auto& list) { list.Setting("index", index, "raw", raw, "type", type, "netdev", netdev); }

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

  void Fields(auto& list) {
    list.Setting("netdev", netdev);
    list.Reading("statistics", statistics, "pfc", pfc, "pause_frames", pause_frames, "fec", fec, "fcs_errors",
                 fcs_errors, "carrier_changes", carrier_changes);
  }

  bool operator==(const NetdevReading&) const = default;
};

// What counts on a port, as it was read when a watch began: the same fields of Port were read at its end.
struct EarlierReading {
  std::uint32_t before_ms = 0;  // how long before
  Fact<std::vector<Counter>> hw_counters{};
  Fact<std::vector<Counter>> port_counters{};
  Fact<std::vector<Counter>> pma_counters{};
  std::vector<NetdevReading> netdevs{};  // of the Ethernet ports

  void Fields(auto& list) {
    list.Reading("before_ms", before_ms, "hw_counters", hw_counters, "port_counters", port_counters,
                 "pma_counters", pma_counters, "netdevs", netdevs);
  }

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

  void Fields(auto& list) { list.Passing("qp", qp, "cq", cq, "mr", mr, "pd", pd, "cm_id", cm_id, "ctx", ctx); }

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
  // The Ethernet ports of the RDMA port, where they are others than `netdev`: there DCB is judged. `netdev`
  // stands on them (it is a VLAN, a bond or a bridge), or is one of them: a member of a bond that has one RDMA
  // device for all (RoCE LAG). An empty list: `netdev` is the Ethernet port.
  Fact<std::vector<Netdev>> lowers{};
  // What is built on `netdev`, the nearer ones first. Of InfiniBand the IPoIB netdevs, which stand on the port.
  Fact<std::vector<UpperNetdev>> uppers{};

  Fact<std::uint64_t> node_guid{};
  Fact<std::string> board{};  // board_id, else hca_type, of sysfs
  Fact<PciFunction> pci{};
  Fact<std::vector<Counter>> hw_counters{};       // of the port, and of the device where it has its own
  Fact<std::uint32_t> hw_counters_lifespan_ms{};  // readings closer together than this may be the same one
  Fact<std::vector<Counter>> port_counters{};     // IBTA PMA counters; classic ones saturate
  Fact<RdmaResources> resources{};                // of the whole device
  Fact<DeviceLimits> limits{};                    // the same
  Fact<std::vector<RdmaListener>> listeners{};    // the same, each once
  Fact<std::uint32_t> rate_mbps{};                // by which the RDMA stack reckons; sysfs `rate`
  Fact<std::vector<Subnet>> subnets{};            // of each address but link-local ones
  Fact<std::vector<Neighbour>> neighbours{};      // on the netdev and on what is built on it
  Devlink devlink{};                              // of the device's PCI function
  Fact<CongestionControl> congestion{};
  Fact<std::uint8_t> verbs_traffic_class{};  // forced on every connection by the vendor's driver; 0: none is
  Infiniband ib{};                           // kUnsupported throughout where the port is none
  Fact<bool> verbs_provider{};               // libibverbs has a driver for the device
  Fact<bool> out_of_tree{};                  // the driver does not come from the kernel's own source
  Fact<EarlierReading> earlier{};            // only when a watch was asked for: it takes its time

  void Fields(auto& list) {
    list.Setting("device", device, "number", number, "transport", transport, "software", software, "firmware",
                 firmware, "max_mtu_bytes", max_mtu_bytes, "gids", gids, "cm_default_mode", cm_default_mode,
                 "cm_default_tos", cm_default_tos, "netdev", netdev, "lowers", lowers, "uppers", uppers,
                 "node_guid", node_guid, "board", board, "pci", pci, "hw_counters_lifespan_ms",
                 hw_counters_lifespan_ms, "limits", limits, "subnets", subnets, "devlink", devlink,
                 "congestion", congestion, "verbs_traffic_class", verbs_traffic_class, "ib", ib,
                 "verbs_provider", verbs_provider, "out_of_tree", out_of_tree);
    list.State("state", state, "phys_state", phys_state, "active_mtu_bytes", active_mtu_bytes, "listeners",
               listeners, "rate_mbps", rate_mbps);
    list.Passing("resources", resources, "neighbours", neighbours);
    list.Reading("hw_counters", hw_counters, "port_counters", port_counters, "earlier", earlier);
  }

  bool operator==(const Port&) const = default;
};

// A node of /dev/infiniband.
struct DeviceNode {
  std::string name{};
  std::uint32_t mode = 0;  // permission bits, 0660

  void Fields(auto& list) { list.Setting("name", name, "mode", mode); }

  bool operator==(const DeviceNode&) const = default;
};

// A disk of the network that the firmware booted from: who changes its port may lose the host.
struct BootTarget {
  std::string table{};    // "iBFT", "NBFT"
  std::string mac{};      // of the port; empty: not told
  std::string address{};  // of the host at that port
  std::string target{};   // its iSCSI name or NVMe qualified name

  void Fields(auto& list) { list.Setting("table", table, "mac", mac, "address", address, "target", target); }

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
  Fact<std::uint32_t> agent_user{};                // effective user id of that process; 0 is root
  Fact<std::vector<std::string>> tos_keepers{};    // files that set RDMA-CM's defaults again at boot
  Fact<std::vector<BootTarget>> boot_targets{};    // empty: it booted from no disk of the network
  Fact<std::vector<ConsumerMarking>> markings{};   // by configuration of the software
  Fact<std::vector<std::string>> lldp_agents{};    // those that run here: "lldpad", "lldpd"
  Fact<std::vector<std::string>> cpu_governors{};  // in use, each once: "performance"
  Fact<bool> irqbalance{};                         // it runs
  Fact<KernelClock> clock{};
  Fact<Distribution> distribution{};
  Fact<std::vector<std::string>> dcb_keepers{};  // files that set data centre bridging again at boot
  // Netdevs by which hosts outside of every subnet of this one are reached; empty: there is no default route.
  Fact<std::vector<std::string>> default_routes{};
  Fact<std::vector<MemlockGrant>> memlock_grants{};  // of whom the configuration tells it
  Fact<std::vector<PciDevice>> pci_devices{};        // network adapters and GPUs
  Fact<bool> privileged_qkey{};                    // controlled Q_Keys are for everybody, not CAP_NET_RAW alone
  Fact<GpuSupport> gpu{};                          // kUnsupported: there is no GPU on the bus
  Fact<std::vector<NamedDevice>> named_devices{};  // RDMA devices that the configuration of programs names
  // Interfaces in the configuration of the network managers that run here.
  Fact<std::vector<NamedDevice>> managed_interfaces{};
  // What ARP and IPv4 do on all interfaces, on those of RDMA ports and on those that share a subnet with one.
  // Sorted by name, each once; what could not be read, or is no number of 32 bits, is left out.
  Fact<std::vector<Sysctl>> sysctls{};
  Fact<std::vector<BootWrite>> boot_writes{};  // in the order in which each file has them
  Fact<BootSettings> boot_settings{};
  Fact<std::vector<ClusterAgent>> cluster_agents{};  // empty: no pod is known to set NICs
  Fact<ControlGroup> agent_group{};                  // of the process that looked
  Fact<CmaMemory> cma{};                             // kUnsupported: a kernel without it
  Fact<std::vector<NvmetPort>> nvmet_ports{};        // kUnsupported: the kernel shows no NVMe target
  Fact<std::vector<IscsiPortal>> iscsi_portals{};    // kUnsupported: the kernel shows no iSCSI target
  Fact<std::vector<FabricManager>> fabric_managers{};
  // No collector's: an agent that judges its host asks the applier. kUnsupported: there is none.
  Fact<ApplyState> apply_state{};

  void Fields(auto& list) {
    list.Setting("hostname", hostname, "machine_id", machine_id, "kernel", kernel, "memlock", memlock,
                 "rdma_netns_shared", rdma_netns_shared, "numa_nodes", numa_nodes, "modules", modules,
                 "options", options, "ksmbd", ksmbd, "ports", ports, "firewall", firewall, "routing_rules",
                 routing_rules, "device_nodes", device_nodes, "agent_capabilities", agent_capabilities,
                 "tos_keepers", tos_keepers, "boot_targets", boot_targets, "markings", markings,
                 "cpu_governors", cpu_governors, "distribution", distribution, "dcb_keepers", dcb_keepers,
                 "default_routes", default_routes, "memlock_grants", memlock_grants, "pci_devices", pci_devices,
                 "privileged_qkey", privileged_qkey, "named_devices", named_devices, "managed_interfaces",
                 managed_interfaces, "agent_group", agent_group, "sysctls", sysctls, "boot_writes", boot_writes,
                 "boot_settings", boot_settings, "cma", cma, "nvmet_ports", nvmet_ports, "iscsi_portals",
                 iscsi_portals, "fabric_managers", fabric_managers);
    list.State("rdma_stack", rdma_stack, "rdma_nodes", rdma_nodes, "tcp_listeners", tcp_listeners,
               "agent_process", agent_process, "agent_user", agent_user, "lldp_agents", lldp_agents,
               "irqbalance", irqbalance, "clock", clock, "gpu", gpu, "apply_state", apply_state,
               "cluster_agents", cluster_agents);
    list.Passing("open_files", open_files);  // a process raises its own
    list.Reading("uptime_s", uptime_s);
  }

  bool operator==(const Facts&) const = default;
};

// "rxe0/1", the name of a port everywhere.
inline std::string PortName(const Port& port) { return port.device + "/" + std::to_string(port.number); }

// Compiled once, in facts.cc. A kind of fact that is missing here works too, but each file that uses it
// compiles it.
extern template class Fact<AppSelector>;
extern template class Fact<ApplyState>;
extern template class Fact<BootSettings>;
extern template class Fact<CeeSettings>;
extern template class Fact<Channels>;
extern template class Fact<CmaMemory>;
extern template class Fact<CongestionControl>;
extern template class Fact<ControlGroup>;
extern template class Fact<DcbWrites>;
extern template class Fact<Dcbx>;
extern template class Fact<DeviceLimits>;
extern template class Fact<Distribution>;
extern template class Fact<DownReason>;
extern template class Fact<DriverInfo>;
extern template class Fact<DscpMap>;
extern template class Fact<Duplex>;
extern template class Fact<EarlierReading>;
extern template class Fact<Eee>;
extern template class Fact<Ets>;
extern template class Fact<Fec>;
extern template class Fact<Firewall>;
extern template class Fact<GidType>;
extern template class Fact<GpuSupport>;
extern template class Fact<IbLink>;
extern template class Fact<Interrupts>;
extern template class Fact<IpRoute>;
extern template class Fact<Ipv4Settings>;
extern template class Fact<Kernel>;
extern template class Fact<KernelClock>;
extern template class Fact<KsmbdConfig>;
extern template class Fact<LinkModes>;
extern template class Fact<LldpHeard>;
extern template class Fact<MaxRatesKbps>;
extern template class Fact<Memlock>;
extern template class Fact<ModuleState>;
extern template class Fact<Mqprio>;
extern template class Fact<Netdev>;
extern template class Fact<NvidiaDriver>;
extern template class Fact<OpenFiles>;
extern template class Fact<Pause>;
extern template class Fact<PauseFrames>;
extern template class Fact<PauseThresholds>;
extern template class Fact<PciFunction>;
extern template class Fact<Pfc>;
extern template class Fact<PhysicalFunction>;
extern template class Fact<PortBuffer>;
extern template class Fact<PortState>;
extern template class Fact<RdmaResources>;
extern template class Fact<RdmaStack>;
extern template class Fact<Rings>;
extern template class Fact<Transport>;
extern template class Fact<std::vector<AppEntry>>;
extern template class Fact<std::vector<AppSelector>>;
extern template class Fact<std::vector<BootTarget>>;
extern template class Fact<std::vector<BootWrite>>;
extern template class Fact<std::vector<ClusterAgent>>;
extern template class Fact<std::vector<ConsumerMarking>>;
extern template class Fact<std::vector<Counter>>;
extern template class Fact<std::vector<DeviceNode>>;
extern template class Fact<std::vector<DevlinkParameter>>;
extern template class Fact<std::vector<FabricManager>>;
extern template class Fact<std::vector<FirmwareVersion>>;
extern template class Fact<std::vector<Gid>>;
extern template class Fact<std::vector<HealthReporter>>;
extern template class Fact<std::vector<IpAddress>>;
extern template class Fact<std::vector<IscsiPortal>>;
extern template class Fact<std::vector<KernelModule>>;
extern template class Fact<std::vector<KernelOption>>;
extern template class Fact<std::vector<MemlockGrant>>;
extern template class Fact<std::vector<NamedDevice>>;
extern template class Fact<std::vector<Neighbour>>;
extern template class Fact<std::vector<Netdev>>;
extern template class Fact<std::vector<NicStatistic>>;
extern template class Fact<std::vector<NvmetPort>>;
extern template class Fact<std::vector<PciDevice>>;
extern template class Fact<std::vector<PciHop>>;
extern template class Fact<std::vector<Port>>;
extern template class Fact<std::vector<PrivateFlag>>;
extern template class Fact<std::vector<RdmaListener>>;
extern template class Fact<std::vector<RoutingRule>>;
extern template class Fact<std::vector<Subnet>>;
extern template class Fact<std::vector<Sysctl>>;
extern template class Fact<std::vector<Temperature>>;
extern template class Fact<std::vector<UpperNetdev>>;
extern template class Fact<std::vector<VlanPriority>>;

}  // namespace rdmaready
