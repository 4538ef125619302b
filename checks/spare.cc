// SPDX-License-Identifier: Apache-2.0
#include "checks/spare.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "checks/words/addresses.h"
#include "checks/words/plane_device.h"
#include "checks/words/second_function.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kPhysicalLinkUp = 5;  // enum ib_port_phys_state

// What of the host uses the port; the first thing that is not known where nothing is known to.
Fact<bool> IsUnused(const Port& port) {
  if (port.uppers && !IsInfiniBand(port) && !port.uppers->empty()) return false;
  if (!AddressesOf(port).empty()) return false;
  if (!port.uppers) return port.uppers.missing();
  if (!AddressesKnown(port)) return WhyAddressesUnknown(port);
  return true;
}

bool OnOneAdapter(const Port& port, const Port& other) {
  if (port.device == other.device) return true;
  if (!port.pci || !other.pci) return false;
  const std::string& one = port.pci->address;
  const std::string& two = other.pci->address;
  return one.substr(0, one.rfind('.')) == two.substr(0, two.rfind('.'));
}

Fact<std::uint64_t> CounterOf(const Port& port, std::string_view name) {
  if (!port.port_counters) return port.port_counters.missing();
  const auto found = std::ranges::find(*port.port_counters, name, &Counter::name);
  if (found == port.port_counters->end())
    return Missing{Missing::Kind::kUnsupported, Cat(name, " is not counted")};
  return found->value;
}

// Empty: no counter of data is above zero.
Fact<std::string> MovedData(const Port& port) {
  for (const std::string_view name : {"port_xmit_data", "port_rcv_data"}) {
    const Fact<std::uint64_t> counted = CounterOf(port, name);
    if (counted && *counted > 0) return std::string("it moved data");
    if (!counted && !NotOffered(counted)) return counted.missing();
  }
  return std::string();
}

// By the port's state: that of its IPoIB interfaces follows it. One that somebody brought up on a virtual
// function waits for its link.
Fact<bool> IdleInfiniBand(const Port& port) {
  if (port.state && *port.state != PortState::kDown) return false;
  if (port.phys_state && *port.phys_state == kPhysicalLinkUp) return false;
  const Fact<bool> unused = IsUnused(port);
  if (!unused || !*unused) return unused;
  const bool wanted = std::ranges::any_of(*port.uppers, &UpperNetdev::admin_up);
  if (wanted && !port.pci && !NotOffered(port.pci)) return port.pci.missing();
  if (wanted && IsVirtualFunction(port)) return false;
  if (wanted && port.pci && !port.pci->physical && !NotOffered(port.pci->physical))
    return port.pci->physical.missing();
  if (!port.state) return port.state.missing();
  if (!port.phys_state) return port.phys_state.missing();
  const Fact<std::string> use = EarlierUse(port);
  if (!use) return use.missing();
  return use->empty();
}

Fact<bool> Idle(const Port& port) {
  if (IsInfiniBand(port)) return IdleInfiniBand(port);
  if ((port.netdev && port.netdev->carrier) || NotOffered(port.netdev)) return false;
  if (port.state && *port.state == PortState::kActive) return false;
  const Fact<bool> unused = IsUnused(port);
  if (unused && !*unused) return false;
  if (!port.netdev) return port.netdev.missing();
  return unused;
}

// InfiniBand is used without an address too.
bool Carries(const Port& port) {
  const bool active = port.state && *port.state == PortState::kActive;
  if (IsInfiniBand(port)) return active;
  return active && port.netdev && port.netdev->admin_up && port.netdev->carrier && !AddressesOf(port).empty();
}

// Why it is not known whether the port carries; nothing where it is.
std::optional<Missing> CarryingGap(const Port& port) {
  if (Carries(port) || (port.state && *port.state != PortState::kActive)) return std::nullopt;
  if (!port.state) return port.state.missing();
  if (NotOffered(port.netdev)) return std::nullopt;
  if (!port.netdev) return port.netdev.missing();
  if (!port.netdev->admin_up || !port.netdev->carrier || AddressesKnown(port)) return std::nullopt;
  return WhyAddressesUnknown(port);
}

}  // namespace

Fact<bool> SpareOf(const Facts& host, const Port& port, const Profile& profile) {
  if (!host.ports) return false;
  const Fact<bool> idle = Idle(port);
  if (idle && !*idle) return false;
  const auto wanted = std::max<std::ptrdiff_t>(1, profile.min_ports.value_or(1));
  const auto carries = [&host](const Port& other) {
    const Fact<std::string> whole = PlanesOf(host, other);
    return Carries(other) && whole && whole->empty();
  };
  if (std::ranges::count_if(*host.ports, carries) >= wanted) return idle;
  std::optional<Missing> gap;
  std::ptrdiff_t perhaps = 0;
  for (const Port& other : *host.ports) {
    const Fact<std::string> whole = PlanesOf(host, other);
    if (whole && !whole->empty()) continue;
    const std::optional<Missing> unknown = whole ? CarryingGap(other) : whole.missing();
    perhaps += Carries(other) || unknown ? 1 : 0;
    if (!gap) gap = unknown;
  }
  if (perhaps >= wanted && gap) return *gap;
  return false;
}

Fact<std::string> EarlierUse(const Port& port) {
  constexpr std::uint16_t kNoLid = 0xffff;
  const Fact<std::uint16_t>& lid = port.ib.lid;
  if (lid && *lid != 0 && *lid != kNoLid) return Cat("it has LID ", *lid);
  const Fact<std::string> moved = MovedData(port);
  if (!moved || !moved->empty()) return moved;
  if (!lid && !NotOffered(lid)) return lid.missing();
  return std::string();
}

Fact<std::size_t> EqualsInUse(const Facts& host, const Port& port) {
  if (!host.ports || NotOffered(port.board)) return std::size_t{0};
  if (!port.board) return port.board.missing();
  std::size_t equals = 0;
  for (const Port& other : *host.ports) {
    if (other.device == port.device && other.number == port.number) continue;
    if (NotOffered(other.board) || IsVirtualFunction(other) || IsPlane(host, other)) continue;
    if (const Fact<std::string> whole = PlanesOf(host, other); !whole) return whole.missing();
    if (!other.board) return other.board.missing();
    if (*other.board != *port.board || IsInfiniBand(other) != IsInfiniBand(port)) continue;
    if (!other.pci && !NotOffered(other.pci)) return other.pci.missing();
    if (OnOneAdapter(port, other)) return std::size_t{0};
    if (const std::optional<Missing> gap = CarryingGap(other)) return *gap;
    if (!Carries(other)) return std::size_t{0};
    ++equals;
  }
  return equals;
}

bool IsSpare(const Facts& host, const Port& port, const Profile& profile) {
  const Fact<bool> spare = SpareOf(host, port, profile);
  return spare && *spare;
}

bool IsUntested(const Facts& host, const Port& port, const Profile& profile) {
  return IsLent(port) || IsPlane(host, port) || IsPerhapsSecondFunction(host, port) ||
         IsSpare(host, port, profile);
}

Fact<bool> NeverHadLink(const Port& port) {
  if (!IsInfiniBand(port)) {
    const FactRef<std::uint64_t> changes = NetdevFact(port.netdev, &Netdev::carrier_changes);
    if (!changes && !NotOffered(changes)) return changes.missing();
    if (!changes || *changes > 1) return false;
    // The driver counts changes of the carrier from its start, and the adapter counts data from its reset.
    const Fact<std::string> use = MovedData(port);
    if (!use) return use.missing();
    return use->empty();
  }
  const Fact<std::vector<Counter>>& counters = port.port_counters;
  if (NotOffered(counters)) return false;
  if (!counters) return counters.missing();
  const auto downed = std::ranges::find(*counters, "link_downed", &Counter::name);
  if (downed == counters->end()) return Missing{Missing::Kind::kFailed, "link_downed was not told"};
  return downed->value == 0;
}

}  // namespace rdmaready
