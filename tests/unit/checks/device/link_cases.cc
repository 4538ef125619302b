// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// The interface of erdma's port is one of virtio_net, on a function of its own.
Facts OnErdma(const char* driver) {
  Facts host = HardwareNic([driver](Port& port, PciFunction& pci) {
    port.device = std::string(driver) == "erdma" ? "rocep59s0" : "erdma_0";
    port.state = PortState::kDown;
    Netdev netdev = *port.netdev;
    netdev.driver = std::string(driver) == "erdma" ? "virtio_net" : driver;
    port.netdev = netdev;
    pci.address = "0000:3b:00.0";
  });
  host.pci_devices = std::vector<PciDevice>{{.address = "0000:3b:00.0", .driver = driver}};
  return host;
}

std::vector<CheckCase> LinkBasicsRows() {
  const auto no_speed = [](Netdev& netdev) { netdev.speed_mbps = kUnsupported; };
  Facts hardware = WithNetdev(no_speed);
  hardware.ports = [&hardware] {
    std::vector<Port> ports = *hardware.ports;
    ports.front().software = false;
    return ports;
  }();
  const auto modes = [](std::vector<std::string> supported, std::uint32_t speed_mbps) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = speed_mbps;
      netdev.link.modes = LinkModes{.supported = supported};
    });
  };
  // Both ends have a mode of 50 Gb/s.
  const auto both = [](std::uint32_t speed_mbps, std::uint32_t lanes, const char* mode = "50000baseCR/Full") {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = speed_mbps;
      netdev.link.modes =
          LinkModes{.autoneg = true, .supported = {"Autoneg", mode}, .peer = {mode}, .lanes = lanes};
    });
  };
  const auto offered = [](const char* peer) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = 10'000;
      netdev.link.modes = LinkModes{
          .autoneg = true, .supported = {"Autoneg", "10000baseCR/Full", "25000baseCR/Full"}, .peer = {peer}};
    });
  };
  return {Passes("link.state", "good", GoodHost(), "rxe0/1 active, dcb0 up at 25 Gb/s"),
          Fails("link.state", "port down", WithPort([](Port& port) { port.state = PortState::kDown; }),
                "rxe0/1 down", {.fix = "ip link set dev dcb0 down && ip link set dev dcb0 up"}),
          Fails("link.state", "a driver that asks its interface each time", WithPort([](Port& port) {
                  port.state = PortState::kDown;
                  port.software = false;
                }),
                "rxe0/1 down", {.fix = "unload the RDMA module of rxe0"}),
          Fails("link.state", "erdma, whatever its device is called", OnErdma("erdma"), "down",
                {.fix = "ip link set dev dcb0 down"}),
          Fails("link.state", "another driver with such a name", OnErdma("mlx5_core"), "down",
                {.fix = "rdma link show erdma_0/1"}),
          Fails("link.state", "cxgb4 without an IPv4 address", WithPort([](Port& port) {
                  port.state = PortState::kInit;
                  port.software = false;
                  Netdev netdev = *port.netdev;
                  netdev.driver = "cxgb4";
                  port.netdev = netdev;
                }),
                "rxe0/1 init", {.fix = "ip address add ADDRESS dev dcb0"}),
          Fails("link.state", "admin down",
                WithNetdev([](Netdev& netdev) { netdev.admin_up = netdev.carrier = false; }),
                "administratively down", {.fix = "ip link set dev dcb0 up"}),
          Fails("link.state", "no carrier", WithNetdev([](Netdev& netdev) { netdev.carrier = false; }),
                "no carrier", {.fix = "reseat the cable"}),
          IsUnknown("link.state", "state denied", WithPort([](Port& port) { port.state = Denied(); }),
                    "not permitted"),
          IsUnknown("link.state", "state of a newer kernel",
                    WithPort([](Port& port) { port.state = PortState::kUnknown; }), "do not know"),
          Passes("link.speed", "good", GoodHost(), "25 Gb/s"),
          Fails("link.speed", "too slow", WithNetdev([](Netdev& netdev) { netdev.speed_mbps = 10'000; }),
                "10 Gb/s", {.fix = "ethtool -s dcb0 speed 25000"}),
          Fails("link.speed", "too slow, and it negotiates", modes({"Autoneg", "25000baseCR/Full"}, 10'000),
                "10 Gb/s", {.fix = "ethtool -s dcb0 autoneg on"}),
          Fails("link.speed", "too slow for a fast link", modes({"100000baseCR4/Full"}, 10'000), "10 Gb/s",
                {.fix = "ethtool -s dcb0 speed 100000 duplex full autoneg off"}),
          Fails("link.speed", "the far end offers less", offered("10000baseCR/Full"), "10 Gb/s",
                {.fix = "set the switch port of dcb0 to 25 Gb/s"}),
          Fails("link.speed", "the port has less", modes({"10000baseCR/Full"}, 10'000), "10 Gb/s",
                {.fix = "use a faster NIC"}),
          Warns("link.speed", "both ends have more", both(25'000, 1), "25 Gb/s, both ends have 50 Gb/s",
                {.fix = "ethtool -s dcb0 autoneg on"}),
          Passes("link.speed", "both ends have no more", both(50'000, 1), "50 Gb/s"),
          Passes("link.speed", "it lost lanes", both(25'000, 1, "50000baseCR2/Full"), "25 Gb/s"),
          Warns("link.speed", "both ends have more, nothing asked", both(25'000, 1), "both ends have",
                {.profile = Without([](Profile& profile) { profile.min_speed_mbps.reset(); })}),
          IsUnknown("link.speed", "speed denied",
                    WithNetdev([](Netdev& netdev) { netdev.speed_mbps = Denied(); }), "not permitted"),
          DoesNotApply("link.speed", "software device without a speed", WithNetdev(no_speed),
                       "functional verdict only"),
          IsUnknown("link.speed", "hardware without a speed", hardware, "not offered"),
          DoesNotApply("link.speed", "not asked", GoodHost(), "does not ask",
                       {.profile = Without([](Profile& profile) { profile.min_speed_mbps.reset(); })})};
}

std::vector<CheckCase> LinkBusRows() {
  const auto slow = [](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.speed_mbps = 10'000;
    port.netdev = netdev;
  };
  // Of two InfiniBand ports, one at 200 Gb/s.
  const auto two_rates = [](Fact<std::uint32_t> rate_mbps) {
    Facts host = OnInfiniband();
    std::vector<Port> ports = *host.ports;
    ports.push_back(ports.front());
    ports.back().device = "mlx5_1";
    ports.front().rate_mbps = rate_mbps;
    host.ports = ports;
    return host;
  };
  return {Passes("link.phys-state", "up", GoodHost(), "link up"),
          Fails("link.phys-state", "polling", WithPort([](Port& port) { port.phys_state = std::uint8_t{2}; }),
                "polling", {.fix = "ip -s link show dev dcb0"}),
          Fails("link.phys-state", "of a newer kernel",
                WithPort([](Port& port) { port.phys_state = std::uint8_t{9}; }), "in state 9"),
          IsUnknown("link.phys-state", "denied", WithPort([](Port& port) { port.phys_state = Denied(); }),
                    "not permitted"),
          Passes("link.duplex", "full", GoodHost(), "full duplex"),
          Fails("link.duplex", "half", WithNetdev([](Netdev& netdev) { netdev.duplex = Duplex::kHalf; }),
                "half duplex", {.fix = "ethtool -s dcb0 duplex full"}),
          Fails("link.duplex", "half, and it negotiates", WithNetdev([](Netdev& netdev) {
                  netdev.duplex = Duplex::kHalf;
                  netdev.link.modes = LinkModes{.autoneg = true};
                }),
                "half duplex", {.fix = "ethtool -s dcb0 autoneg on"}),
          IsUnknown("link.duplex", "driver does not say",
                    WithNetdev([](Netdev& netdev) { netdev.duplex = Duplex::kUnknown; }), "does not say"),
          IsUnknown("link.duplex", "denied", WithNetdev([](Netdev& netdev) { netdev.duplex = Denied(); }),
                    "not permitted"),
          DoesNotApply("link.duplex", "software without one",
                       WithNetdev([](Netdev& netdev) { netdev.duplex = kUnsupported; }), "no duplex"),
          Passes("link.speed-consistent", "two alike", WithSecond(GoodHost(), [](Port&) {}), "25 Gb/s"),
          Fails("link.speed-consistent", "the slower one", WithSecond(GoodHost(), slow),
                "10 Gb/s, another port has 25 Gb/s", {.fix = "ethtool -s dcb1 speed 25000", .port = 1}),
          Passes("link.speed-consistent", "the faster one", WithSecond(GoodHost(), slow), "25 Gb/s"),
          IsUnknown("link.speed-consistent", "not known",
                    WithSecond(GoodHost(),
                               [](Port& port) {
                                 Netdev netdev = *port.netdev;
                                 netdev.speed_mbps = Denied();
                                 port.netdev = netdev;
                               }),
                    "not permitted", {.port = 1}),
          Passes("link.speed-consistent", "InfiniBand ports alike", two_rates(200'000), "200 Gb/s"),
          Fails("link.speed-consistent", "the slower InfiniBand port", two_rates(100'000),
                "100 Gb/s, another port has 200 Gb/s", {.fix = "iblinkinfo -l"}),
          IsUnknown("link.speed-consistent", "InfiniBand, rate denied", two_rates(Denied()), "not permitted"),
          DoesNotApply("link.speed-consistent", "one port", GoodHost(), "nothing to compare")};
}

std::vector<CheckCase> LinkRateRows() {
  std::vector<CheckCase> cases;
  Profile asks = InfinibandProfile();
  asks.min_speed_mbps = 200'000;
  const auto at = [](Fact<std::uint32_t> rate_mbps) {
    return OnInfiniband([&rate_mbps](Port& port) { port.rate_mbps = rate_mbps; });
  };
  cases.push_back(Passes("link.speed", "InfiniBand", at(200'000), "200 Gb/s", {.profile = asks}));
  cases.push_back(
      Fails("link.speed", "slow InfiniBand", at(50'000), "50 Gb/s", {.fix = "iblinkinfo -l", .profile = asks}));
  cases.push_back(
      IsUnknown("link.speed", "InfiniBand, denied", at(Denied()), "not permitted", {.profile = asks}));

  return cases;
}

// Somebody took the physical function down; the second port is a virtual function of it.
Facts BelowAPhysicalFunction() {
  Facts host = WithHardware([](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.admin_up = netdev.carrier = false;
    port.netdev = netdev;
  });
  return WithSecond(std::move(host), [](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.name = "dcb0v0";
    netdev.admin_up = true;
    port.netdev = netdev;
    PciFunction pci{.address = "0000:3b:00.2", .virtual_function = true};
    pci.physical = PhysicalFunction{.address = "0000:3b:00.0", .netdev = "dcb0", .number = std::uint32_t{0}};
    port.pci = pci;
    port.state = PortState::kDown;
  });
}

Facts Disabled(std::uint16_t lid) {
  return OnInfiniband([lid](Port& port) {
    port.state = PortState::kDown;
    port.phys_state = std::uint8_t{3};
    port.ib.lid = lid;
  });
}

std::vector<CheckCase> LinkModuleRows() {
  return {Fails("link.state", "a virtual function follows its physical one", BelowAPhysicalFunction(),
                "dcb0v0 has no carrier", {.fix = "ip link set dev dcb0 up", .port = 1}),
          Fails("link.state", "disabled, and it was in use", Disabled(38), "disabled",
                {.fix = "ibportstate -C mlx5_0 -P 1 -D 0 1 enable  # the port may be off"}),
          Fails("link.state", "disabled, and it was never in use", Disabled(0), "disabled",
                {.fix = "plug in the cable"}),
          Fails("link.state", "down for a reason", WithNetdev([](Netdev& netdev) {
                  netdev.carrier = false;
                  netdev.link.down_reason = DownReason{.state = 4};
                }),
                "dcb0 has no carrier: no cable")};
}

}  // namespace

std::vector<CheckCase> LinkCases() {
  return Joined({LinkBasicsRows(), LinkBusRows(), LinkRateRows(), LinkModuleRows()});
}

}  // namespace rdmaready
