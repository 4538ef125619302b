// SPDX-License-Identifier: Apache-2.0
// gid.stale, gid.pinned-index: GIDs that no address stands for any more, and numbers of GIDs in configuration.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/roce/gid_choice.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kGidSource = "GID table, rtnetlink addresses";

bool IsLinkLocalGid(const Gid& gid) { return gid.raw[0] == 0xfe && gid.raw[1] == 0x80; }

// The modified EUI-64 of a MAC address (RFC 4291), by which the kernel makes a default GID.
std::optional<std::array<std::uint8_t, 8>> InterfaceIdOf(std::string_view mac) {
  constexpr std::size_t kMacText = 17;
  std::array<std::uint8_t, 6> bytes{};
  if (mac.size() != kMacText) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto digit = [](char c) {
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    const int high = digit(mac[3 * i]);
    const int low = digit(mac[3 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return std::array<std::uint8_t, 8>{
      static_cast<std::uint8_t>(bytes[0] ^ 2U), bytes[1], bytes[2], 0xff, 0xfe, bytes[3], bytes[4], bytes[5]};
}

std::string GidAddressText(const Gid& gid) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, gid.raw.data(), text.data(), text.size()) == nullptr ? "" : text.data();
}

// Made of the MAC address that the port's interface has.
bool IsOfMac(const Gid& gid, const Netdev& netdev) {
  const auto wanted = InterfaceIdOf(netdev.mac);
  return !wanted || std::ranges::equal(*wanted, std::span(gid.raw).subspan(8));
}

bool IsAddressOf(const Gid& gid, const Netdev& netdev) {
  return std::ranges::any_of(
      *netdev.addresses, [text = GidAddressText(gid)](const IpAddress& one) { return one.address == text; });
}

// A software device sends by the kernel's IPv6, which needs the address: a NIC does not. RDMA-CM uses none of
// these GIDs, and a program that names one is gid.pinned-index's.
std::string WithoutAddress(const Gid& gid, const Netdev& netdev) {
  if (!netdev.addresses || IsAddressOf(gid, netdev)) return {};
  return Cat("; GID ", gid.index, " has no address on it, so this software device sends nothing by it");
}

std::string StaleNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!view.port.netdev) return NotOffered(view.port.netdev) ? view.port.netdev.missing().detail : "";
  return view.port.netdev->master.empty() ? "" : "in a bond or a bridge, whose address it may have";
}

Verdict JudgeGidStale(const PortView& view) {
  if (std::string reason = StaleNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "default GIDs of the interface's own address";
  const Port& port = view.port;
  if (!port.netdev) return NoAnswer(port.netdev.missing(), kExpected, kGidSource);
  if (!port.gids) return NoAnswer(port.gids.missing(), kExpected, kGidSource);
  std::string unused;
  for (const Gid& gid : *port.gids) {
    const bool own = gid.netdev == port.netdev->name && IsLinkLocalGid(gid);
    if (own && unused.empty() && IsSoftware(port)) unused = WithoutAddress(gid, *port.netdev);
    if (!own || IsOfMac(gid, *port.netdev)) continue;
    if (!port.netdev->addresses) return NoAnswer(port.netdev->addresses.missing(), kExpected, kGidSource);
    if (IsAddressOf(gid, *port.netdev)) continue;
    return Judged(false,
                  Cat("GID ", gid.index, " ", GidAddressText(gid), " is of another address than ",
                      port.netdev->name, " has (", Printable(port.netdev->mac), ")"),
                  kExpected, kGidSource);
  }
  return Judged(true, Cat("all of ", port.netdev->name, unused), kExpected, kGidSource);
}

// ---- gid.pinned-index ----

std::string PinnedNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  const Fact<std::vector<ConsumerMarking>>& all = view.host.markings;
  const auto pins = [](const ConsumerMarking& one) { return one.gid_index.has_value(); };
  return all && std::ranges::none_of(*all, pins) ? "no software here names a GID by its number" : "";
}

// Whether a netdev of this host has the address of the GID. RoCE v1 is judged by gid.no-v1-traffic.
bool StandsForAddress(const Gid& gid, const Port& port) {
  const std::string address = AddressOfGid(gid.raw);
  if (address.empty()) return false;
  return std::ranges::any_of(AddressesOf(port),
                             [&](const PlacedAddress& placed) { return placed.ip.address == address; });
}

bool Fits(const Port& port, std::uint32_t index) {
  const auto gid = std::ranges::find(*port.gids, index, &Gid::index);
  return gid != port.gids->end() && gid->type == GidType::kRoceV2 && StandsForAddress(*gid, port);
}

// Whether the index may be made for another port of the host: it fits that one, or that one belongs to another
// profile and is not among the ports here. Missing where it is not known.
Fact<bool> IsForAnotherPort(const PortView& view, std::uint32_t index) {
  const std::vector<Port>& ports = *view.host.ports;
  std::optional<Missing> gap;
  for (const Port& port : ports) {
    if (port.device == view.port.device || IsInfiniBand(port)) continue;
    if (!port.gids || !port.netdev || !AddressesKnown(port)) {
      const bool offered = !NotOffered(port.gids) && !NotOffered(port.netdev);
      if (offered) gap = !port.gids ? port.gids.missing() : WhyAddressesUnknown(port);
    } else if (Fits(port, index)) {
      return true;
    }
  }
  if (view.host.pci_devices) {
    for (const PciDevice& function : *view.host.pci_devices) {
      for (const std::string& device : function.rdma_devices) {
        if (std::ranges::find(ports, device, &Port::device) == ports.end()) return true;
      }
    }
  } else if (!NotOffered(view.host.pci_devices)) {
    gap = view.host.pci_devices.missing();
  }
  if (gap) return *gap;
  return false;
}

Verdict JudgeGidPinnedIndex(const PortView& view) {
  if (std::string reason = PinnedNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kPinnedSource = "configuration files, GID table";
  constexpr std::string_view kExpected = "none, or that of an address of the port's own interface";
  const Port& port = view.port;
  if (!view.host.markings) return NoAnswer(view.host.markings.missing(), kExpected, kPinnedSource);
  if (!port.gids) return NoAnswer(port.gids.missing(), kExpected, kPinnedSource);
  if (!port.netdev) return NoAnswer(port.netdev.missing(), kExpected, kPinnedSource);
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), kExpected, kPinnedSource);
  std::string observed;
  for (const ConsumerMarking& marking : *view.host.markings) {
    if (!marking.gid_index) continue;
    const auto gid = std::ranges::find(*port.gids, *marking.gid_index, &Gid::index);
    const std::string text = Cat("GID ", *marking.gid_index, " by ", Printable(marking.source));
    if (gid == port.gids->end() || !StandsForAddress(*gid, port)) {
      const std::string_view why = gid == port.gids->end() ? ": the port has no such GID"
                                   : IsLinkLocalGid(*gid)  ? ": link-local, no IP address of this host"
                                                           : ": this host does not have its IP address";
      const Fix fix = AnotherIndexFix(marking, port, *port.gids);
      const Fact<bool> for_another = IsForAnotherPort(view, *marking.gid_index);
      if (!for_another) return NoAnswer(for_another.missing(), kExpected, kPinnedSource);
      if (*for_another) return Warned(Cat(text, why), kExpected, kPinnedSource, fix);
      return Judged(false, Cat(text, why), kExpected, kPinnedSource, fix);
    }
    observed += Cat(observed.empty() ? "" : ", ", text, ": ", AddressOfGid(gid->raw));
  }
  return Judged(true, observed, kExpected, kPinnedSource);
}

}  // namespace

Fix AnotherIndexFix(const ConsumerMarking& marking, const Port& port, const std::vector<Gid>& gids) {
  const auto good = std::ranges::find_if(
      gids, [](const Gid& gid) { return gid.type == GidType::kRoceV2 && !AddressOfGid(gid.raw).empty(); });
  const std::string file = ShellWord(marking.source);
  const std::string own = good == gids.end()
                              ? std::string("the index of a RoCE v2 GID with an IP address")
                              : Cat("index ", good->index, ", which is RoCE v2 with an IP address");
  const std::string number = good == gids.end() ? "" : Cat("=", good->index);
  Fix fix = Fix().Because("each NIC numbers its GIDs in its own way, and numbers move with the addresses");
  if (marking.consumer == MarkingConsumer::kNccl)
    fix = std::move(fix)
              .Do(Cat("set NCCL_IB_GID_INDEX", number, " in ", file, ": ", own))
              .Or(Cat("remove NCCL_IB_GID_INDEX from ", file, ": NCCL 2.21 and later finds the GID by itself"))
              .Caution("only jobs that start later read the file");
  else
    fix = std::move(fix).Do(Cat("name ", own, " in ", file));
  return std::move(fix).CheckBy(
      Cat("cat /sys/class/infiniband/", ShellWord(port.device), "/ports/", port.number, "/gid_attrs/types/*"));
}

std::vector<Check> GidIndexChecks() {
  return {
      {.id = "gid.stale",
       .title = "The port's default GIDs are of the address that it has",
       .why = "A GID that was made of an earlier address is offered to peers, and answers for nobody",
       .fix = Fix("ip link set dev {netdev} down && ip link set dev {netdev} up")
                  .Because("the kernel made the GID of a MAC address that the interface had before")
                  .Caution("the link goes down for a moment; IPv6 addresses and static routes are lost")
                  .Or("bind the driver of a virtual function again")
                  .CheckBy("ibv_devinfo -v -d {device}"),
       .depends_on = {"link.state"},
       .read_with = {"gid.ip-match"},
       .judge = JudgeGidStale},
      {.id = "gid.pinned-index",
       .title = "A GID that software names by its number stands for an address",
       .why = "Numbers move when addresses come and go, and differ between hosts: the job then times out",
       .fix = Fix()
                  .Do("name the index of a RoCE v2 GID with an IP address in the configuration")
                  .CheckBy("ibv_devinfo -v -d {device}"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"gid.v2-present", "gid.no-v1-traffic"},
       .judge = JudgeGidPinnedIndex},
  };
}

}  // namespace rdmaready
