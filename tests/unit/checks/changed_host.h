// SPDX-License-Identifier: Apache-2.0
// The good host with one thing changed: what the cases of several families start from.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {

inline Profile Without(void (*change)(Profile&)) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

// The NIC of hardware as mlx5's, with a change.
template <class Change>
Facts HardwareNic(Change change) {
  return WithHardware([&change](Port& port, PciFunction& pci) {
    Netdev netdev = *port.netdev;
    netdev.driver = "mlx5_core";
    netdev.driver_info = DriverInfo{.driver = "mlx5_core", .firmware = "16.35.4030 (MT_0000000080)"};
    port.netdev = netdev;
    port.devlink.versions =
        std::vector<FirmwareVersion>{{.name = "fw", .running = "16.35.4030", .stored = "16.35.4030"}};
    port.devlink.health =
        std::vector<HealthReporter>{{.name = "fw", .healthy = true}, {.name = "tx", .healthy = true}};
    port.devlink.parameters = std::vector<DevlinkParameter>{{.name = "enable_roce", .driverinit = "true"}};
    change(port, pci);
  });
}

inline Facts GoodNic() {
  return HardwareNic([](Port&, PciFunction&) {});
}

// The PCI function of the first port, changed.
template <class Change>
Facts WithFunction(Facts host, Change change) {
  std::vector<Port> ports = *host.ports;
  PciFunction pci = *ports.front().pci;
  change(pci);
  ports.front().pci = pci;
  host.ports = ports;
  return host;
}

inline Facts AppDenied() {
  return WithDcb([](Dcb& dcb) { dcb.app = Denied(); });
}

template <class Change>
Facts On(std::string_view driver, Change change) {
  return WithNetdev([&](Netdev& netdev) {
    netdev.driver = driver;
    change(netdev);
  });
}

inline Facts EtsDenied() {
  return WithDcb([](Dcb& dcb) { dcb.ets = Denied(); });
}

inline Profile EtsWithHeartbeat() {
  return Asking([](Profile& profile) {
    profile.heartbeat =
        Profile::Heartbeat{.priority = 7, .percent = std::uint8_t{1}, .percent_up_to_10g = std::uint8_t{2}};
  });
}

// Three classes: 49 % for the rest, 50 % for RDMA, 1 % for the heartbeat; then a change.
template <class Change>
Facts ThreeClasses(Change change) {
  return WithEts([&change](Ets& ets) {
    ets.tsa[7] = Tsa::kEts;
    ets.tx_percent = {49, 0, 0, 50, 0, 0, 0, 1};
    ets.prio_tc[7] = 7;
    change(ets);
  });
}

inline Profile PfcLossy() {
  return Asking([](Profile& profile) { profile.pfc.emplace(); });
}

template <class Change>
Facts WithHost(Change change) {
  Facts host = GoodHost();
  change(host);
  return host;
}

template <class Change>
Facts LinkWithLink(Change change) {
  return WithNetdev([&change](Netdev& netdev) { change(netdev.link); });
}

template <class T>
Facts SecurityWith(Fact<T> Facts::*part, Fact<T> value) {
  Facts host = GoodHost();
  host.*part = std::move(value);
  return host;
}

inline Facts Mode(Fact<bool> shared) { return SecurityWith(&Facts::rdma_netns_shared, std::move(shared)); }

inline Profile Tagged() {
  Profile profile = PcpProfile();
  profile.name = "tagged";
  profile.vlan = Profile::Vlan::kTagged;
  return profile;
}

inline Profile OnlyVlan(std::uint16_t id) {
  Profile profile = Tagged();
  profile.vlan_ids = std::vector<std::uint16_t>{id};
  return profile;
}

inline Facts WithoutAddress() {
  return WithNetdev([](Netdev& netdev) {
    netdev.addresses = std::vector<IpAddress>{{.address = "fe80::1", .prefix_length = 64}};
  });
}

inline Facts AddressesDenied() {
  return WithNetdev([](Netdev& netdev) { netdev.addresses = Denied(); });
}

inline Facts UppersDenied() {
  return WithVlan([](Port&, UpperNetdev& vlan) { vlan.addresses = Denied(); });
}

// Management on VLAN 10 of the same port, without a row for RDMA, with an MTU of its own, and first.
template <class Change>
Facts ConvergedWith(Change change) {
  Facts host = OnVlan();
  std::vector<Port> ports = *host.ports;
  std::vector<UpperNetdev> uppers = *ports.front().uppers;
  UpperNetdev management = uppers.front();
  management.name = "dcb0.10";
  management.vlan_id = std::uint16_t{10};
  management.vlan_egress = std::vector<VlanPriority>{};
  management.mtu_bytes = 1500;
  management.addresses = std::vector<IpAddress>{{.address = "192.168.10.1", .prefix_length = 24}};
  uppers.insert(uppers.begin(), management);
  change(ports.front(), uppers);
  ports.front().uppers = uppers;
  host.ports = ports;
  return host;
}

inline Facts Converged() {
  return ConvergedWith([](Port&, std::vector<UpperNetdev>&) {});
}

template <class Change>
Facts WithSubnet(Change change) {
  return WithPort([&change](Port& port) {
    std::vector<Subnet> subnets = *port.subnets;
    change(port, subnets.front());
    port.subnets = subnets;
  });
}

inline Facts SubnetsDenied() {
  return WithPort([](Port& port) { port.subnets = Denied(); });
}

inline Facts TransportDenied() {
  return WithPort([](Port& port) { port.transport = Denied(); });
}

inline Facts ModulesDenied() {
  return WithHost([](Facts& host) { host.modules = Denied(); });
}

inline Facts PathsOnInfiniBand() {
  return WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
}

template <class Change>
Facts WithConfig(Change change) {
  return SmbServerWith([&change](Facts& host, Port&) {
    KsmbdConfig config = *host.ksmbd;
    change(config);
    host.ksmbd = config;
  });
}

inline Facts ConfigDenied() {
  return SmbServerWith([](Facts& host, Port&) { host.ksmbd = Denied(); });
}

inline Facts OnKernel(Facts host, std::string_view release) {
  host.kernel = Kernel{.release = std::string(release)};
  return host;
}

inline Facts Iwarp(std::vector<RdmaListener> listeners, std::vector<std::uint16_t> tcp) {
  return SmbServerWith([&](Facts& host, Port& port) {
    port.transport = Transport::kIwarp;
    port.listeners = listeners;
    host.tcp_listeners = tcp;
  });
}

}  // namespace rdmaready
