// SPDX-License-Identifier: Apache-2.0
// The good host with hardware in place of the software device: of RoCE, and of InfiniBand.
#pragma once

#include "tests/unit/checks/good_host.h"

namespace rdmaready {

// A NIC of hardware in place of the software device: an x8 card of 16 GT/s in a slot like it.
template <class Change>
Facts WithHardware(Change change) {
  Facts host = WithPort([&change](Port& port) {
    port.software = false;
    port.firmware = std::string("16.35.4030");
    port.board = std::string("MT_0000000080");
    const PciLink link{.speed_mtps = 16'000, .width = 8};
    PciFunction pci{.address = "0000:3b:00.0", .vendor_id = 0x15b3, .device_id = 0x1017};
    pci.physical = Missing{.kind = Missing::Kind::kUnsupported, .detail = "no physical function of it"};
    const auto hop = [&link](const char* address) {
      return PciHop{.address = address,
                    .current = link,
                    .max = link,
                    .max_payload_bytes = std::uint32_t{256},
                    .max_read_request_bytes = std::uint32_t{4096},
                    .acs_redirect = false};
    };
    pci.path = std::vector<PciHop>{hop("0000:3b:00.0"), hop("0000:3a:00.0")};
    pci.iommu_domain = std::string("identity");
    pci.numa_node = 0;
    pci.aer_fatal = std::uint64_t{0};
    pci.aer_nonfatal = std::uint64_t{0};
    pci.aer_correctable = std::uint64_t{0};
    pci.interrupts = Interrupts{.count = 64, .local = 64, .cpus = 32};
    port.port_counters =
        std::vector<Counter>{{"symbol_error", 0}, {"link_error_recovery", 0}, {"link_downed", 1}};
    change(port, pci);
    port.pci = pci;
  });
  return host;
}

inline Facts Hardware() {
  return WithHardware([](Port&, PciFunction&) {});
}

inline Profile InfinibandProfile() {
  Profile profile;
  profile.name = "infiniband";
  profile.transport = Profile::Transport::kInfiniBand;
  return profile;
}

// A host with one adapter on an InfiniBand fabric, and a good one under InfinibandProfile().
template <class Change>
Facts OnInfiniband(Change change) {
  Facts host = WithHardware([&change](Port& port, PciFunction& pci) {
    const Missing none{.kind = Missing::Kind::kUnsupported,
                       .detail = "an InfiniBand port has no Ethernet netdev"};
    port.device = "mlx5_0";
    port.transport = Transport::kInfiniBand;
    port.netdev = none;
    port.lowers = none;
    port.uppers = std::vector<UpperNetdev>{};
    port.subnets = none;
    port.neighbours = none;
    port.cm_default_mode = none;
    port.cm_default_tos = none;
    port.congestion = none;
    port.gids = std::vector<Gid>{{.index = 0, .raw = {0xfe, 0x80}, .type = GidType::kIb}};
    port.rate_mbps = 200'000;
    std::vector<PciHop> path = *pci.path;
    for (PciHop& hop : path) hop.current = hop.max = PciLink{.speed_mtps = 16'000, .width = 16};
    pci.path = path;
    port.ib.lid = std::uint16_t{4};
    port.ib.sm_lid = std::uint16_t{1};
    port.ib.pkeys = std::vector<std::uint16_t>{0xffff};
    port.ib.pkey_slots = std::vector<std::uint16_t>{0};
    port.ib.link = IbLink{.lanes = 4,
                          .lanes_supported = 4,
                          .lanes_enabled = 4,
                          .lane_mbps = 53'125,
                          .lane_mbps_supported = 53'125,
                          .lane_mbps_enabled = 53'125,
                          .mtu_bytes = 4096,
                          .mtu_bytes_supported = 4096};
    port.port_counters =
        std::vector<Counter>{{"symbol_error", 0},    {"link_error_recovery", 0}, {"link_downed", 1},
                             {"port_rcv_errors", 0}, {"port_xmit_discards", 0},  {"port_xmit_wait", 5}};
    port.ib.pma_counters = port.port_counters;
    change(port);
  });
  return host;
}

inline Facts OnInfiniband() {
  return OnInfiniband([](Port&) {});
}

}  // namespace rdmaready
