// SPDX-License-Identifier: Apache-2.0
// Profile: what a site wants of its RDMA fabric. Read from YAML (api/profile), compared with Facts by checks.
//
// An absent optional means "this profile does not ask": the checks that compare with it are not applicable.
// A host may follow several profiles, each for ports of its own: checks/host_parts.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/waiver.h"

namespace rdmaready {

struct Profile {
  enum class Transport { kAny, kRoceV2, kIwarp, kInfiniBand };
  enum class Trust { kAny, kDscp, kPcp };  // what the NIC classifies received frames by
  enum class Dcbx { kAny, kStatic };       // static: host controlled, willing off
  enum class Vlan { kAny, kTagged };       // tagged: RDMA is only used over a VLAN

  // What LLDP of a switch can announce (IEEE 802.1Q annex D, 802.3 clause 79).
  enum class LldpTlv {
    kUnknown,
    kPortVlan,
    kVlanName,
    kLinkAggregation,
    kEtsConfiguration,
    kEtsRecommendation,
    kPfc,
    kApplication,
    kMaxFrameSize,
  };

  // What a host does with its RDMA, in the kernel.
  enum class Role {
    kUnknown,
    kSmbServer,
    kSmbClient,
    kNvmeTarget,
    kNvmeHost,
    kIserTarget,
    kIserInitiator,
    kNfsServer,
    kNfsClient,
  };

  // Traffic that must always get through: of a cluster whose members decide by it who is alive.
  struct Heartbeat {
    std::uint8_t priority = 0;                        // 0..7
    std::optional<std::uint8_t> percent{};            // its share of the link
    std::optional<std::uint8_t> percent_up_to_10g{};  // where 10 Gb/s or slower; absent: `percent`

    bool operator==(const Heartbeat&) const = default;
    void Fields(auto& list) const {
      list("priority", priority, "percent", percent, "percent_up_to_10g", percent_up_to_10g);
    }
  };

  // Congestion notification packets of RoCE v2.
  struct Cnp {
    std::uint8_t dscp = 0;                   // 0..63
    std::optional<std::uint8_t> priority{};  // 0..7

    bool operator==(const Cnp&) const = default;
    void Fields(auto& list) const { list("dscp", dscp, "priority", priority); }
  };

  // A traffic class of ETS, known by its priorities.
  struct EtsClass {
    std::vector<std::uint8_t> priorities{};  // 0..7, not empty
    std::optional<std::uint8_t> percent{};   // 1..100; absent: strict priority

    bool operator==(const EtsClass&) const = default;
  };

  // The oldest firmware of a driver's NICs that will do.
  struct FirmwareFloor {
    std::string driver{};  // of the netdev: "mlx5_core"
    std::string min{};     // "16.35.4030": compared number by number

    bool operator==(const FirmwareFloor&) const = default;
    void Fields(auto& list) const { list("driver", driver, "min", min); }
  };

  // Ports of a host: those that everything said here is true of. Patterns are of `*` and `?`.
  struct PortSelector {
    std::string device{};  // pattern: "mlx5_*", or with the port "mlx5_0/1"
    std::string netdev{};  // pattern, of the port's netdev, of those below it, or of one built on it
    std::string driver{};  // of the netdev's hardware, "mlx5_core"
    std::string pci{};     // pattern of the PCI address, "0000:3b:00.*"
    Transport transport = Transport::kAny;
    std::string subnet{};                 // the port has an address in it: "10.1.0.0/16"
    std::optional<std::uint16_t> vlan{};  // a VLAN of that number is built on the port, or is the port's netdev

    bool operator==(const PortSelector&) const = default;
    void Fields(auto& list) const {
      list("device", device, "netdev", netdev, "driver", driver, "pci", pci, "transport", transport, "subnet",
           subnet, "vlan", vlan);
    }
  };

  // Marking by the switch in the class of RDMA. Absent figures are the switch's own.
  struct Ecn {
    std::optional<std::uint32_t> min_bytes{};  // of the queue
    std::optional<std::uint32_t> max_bytes{};
    std::optional<std::uint8_t> probability_percent{};

    bool operator==(const Ecn&) const = default;
    void Fields(auto& list) const {
      list("min_bytes", min_bytes, "max_bytes", max_bytes, "probability_percent", probability_percent);
    }
  };

  // Keys whose values may be advice.
  enum class Key {
    kUnknown,
    kTrust,
    kTos,
    kPfc,
    kEts,
    kDcbx,
    kCnp,
    kHeartbeat,
    kVlan,
    kMtuBytes,
    kRoceMtuBytes,
    kMinSpeedMbps,
    kMinMemlockBytes,
    kMinPorts,
  };

  // Who sets data centre bridging of ports whose driver has none for the host: their virtual functions' parent,
  // the processors on the NIC, the vendor's own tool.
  enum class DcbSetBy { kHost, kElsewhere };

  // Whose mark RDMA has. kConsumers: they say it themselves (NCCL_IB_TC), and RDMA-CM's default is nobody's.
  enum class Marking { kRdmaCm, kConsumers };

  std::string name{};
  std::string summary{};
  std::string digest{};  // SHA-256, hex, of its content: ProfileContentDigest of api/profile

  Transport transport = Transport::kAny;
  std::optional<std::uint8_t> rdma_priority{};  // 0..7
  Trust trust = Trust::kAny;
  std::optional<std::uint8_t> dscp{};              // 0..63, of RDMA traffic
  std::optional<std::uint8_t> tos{};               // 0..255, RDMA-CM default; its upper six bits are a DSCP
  std::optional<std::vector<std::uint8_t>> pfc{};  // lossless priorities; an empty list: PFC must be off
  std::optional<std::uint8_t> ets_rdma_percent{};  // bandwidth share of the RDMA traffic class
  std::uint8_t ets_tolerance_percent = 5;
  bool ets_at_least = false;            // more than ets_rdma_percent is as good
  std::vector<EtsClass> ets_classes{};  // all, or none: then ets_rdma_percent and heartbeat say what there is
  Dcbx dcbx = Dcbx::kAny;
  std::optional<std::uint32_t> mtu_bytes{};       // of the netdev, at least
  std::optional<std::uint32_t> roce_mtu_bytes{};  // active RDMA MTU, exactly
  std::optional<std::uint32_t> min_speed_mbps{};
  std::optional<std::uint32_t> rdma_max_rate_mbps{};  // the NIC's limit of RDMA's class; absent: none
  std::optional<std::uint32_t> cable_metres{};        // the longest: what still arrives after a pause
  // Of RDMA itself between two hosts, on one queue pair with every byte compared: writes and reads of 512 KiB,
  // and 99 of 100 messages of 1 KiB (half the round trip). Not judged of software devices.
  std::optional<std::uint32_t> min_throughput_mbps{};
  std::optional<std::uint32_t> min_worst_mbps{};  // the same in each 100 ms of it
  std::optional<std::uint32_t> max_latency_us{};
  // In each case of `rdmaready compare`: how much of RDMA's figure TCP reaches, of latencies the other way
  // round.
  std::optional<std::uint32_t> max_tcp_percent{};
  // In `rdmaready failover` no write may be missing or unanswered for longer.
  std::optional<std::uint32_t> max_outage_ms{};
  std::optional<std::uint64_t> min_memlock_bytes{};
  std::optional<Heartbeat> heartbeat{};
  std::optional<Cnp> cnp{};
  Vlan vlan = Vlan::kAny;
  std::optional<std::vector<std::uint16_t>> vlan_ids{};  // the storage VLANs: no other carries RDMA
  std::optional<std::vector<Role>> roles{};              // of every host; not empty
  std::optional<std::uint8_t> min_ports{};               // Ethernet ports with RDMA of a host
  std::optional<Ecn> ecn{};
  bool share_priority = false;            // roles of several protocols on one lossless priority are wished
  std::vector<FirmwareFloor> firmware{};  // each driver once
  bool gpu_direct = false;                // NICs read and write the memory of GPUs
  bool multi_tenant = false;              // containers of several owners: none may see another's RDMA devices
  std::optional<std::vector<std::uint16_t>> pkeys{};  // InfiniBand partitions that every port is in:
                                                      // 1..0x7fff, without the bit of membership
  std::optional<std::vector<LldpTlv>> lldp_tlvs{};    // every switch port announces them; not empty
  std::vector<PortSelector> ports{};  // the ports that the profile is for: any selector will do; empty: all
  bool ports_expected = false;        // a host without such a port is not ready
  bool direct_link = false;           // two hosts on one cable, without a switch

  std::vector<Waiver> waivers{};  // of what is judged by it

  std::optional<std::vector<Key>> advice{};  // their values are judged, and keep no host from being ready
  DcbSetBy dcb_set_by = DcbSetBy::kHost;
  Marking marking = Marking::kRdmaCm;

  bool operator==(const Profile&) const = default;
  void Fields(auto& list) const {
    list("name", name, "summary", summary, "digest", digest, "transport", transport, "rdma_priority",
         rdma_priority, "trust", trust, "dscp", dscp, "tos", tos, "pfc", pfc, "dcbx", dcbx, "mtu_bytes",
         mtu_bytes, "roce_mtu_bytes", roce_mtu_bytes, "min_speed_mbps", min_speed_mbps, "rdma_max_rate_mbps",
         rdma_max_rate_mbps, "cable_metres", cable_metres, "min_throughput_mbps", min_throughput_mbps,
         "min_worst_mbps", min_worst_mbps, "max_latency_us", max_latency_us, "max_tcp_percent", max_tcp_percent,
         "max_outage_ms", max_outage_ms, "min_memlock_bytes", min_memlock_bytes, "heartbeat", heartbeat, "cnp",
         cnp, "vlan", vlan, "vlan_ids", vlan_ids, "roles", roles, "min_ports", min_ports, "ecn", ecn,
         "share_priority", share_priority, "firmware", firmware, "gpu_direct", gpu_direct, "multi_tenant",
         multi_tenant, "pkeys", pkeys, "lldp_tlvs", lldp_tlvs, "ports", ports, "ports_expected", ports_expected,
         "direct_link", direct_link, "waivers", waivers, "advice", advice, "dcb_set_by", dcb_set_by, "marking",
         marking);
  }
};

}  // namespace rdmaready
