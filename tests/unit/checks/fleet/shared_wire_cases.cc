// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/fleet/wired_host.h"

namespace rdmaready {
namespace {

Facts Untagged() { return WiredHost({"b", "10.0.0.2"}); }
Facts OnVlan712() { return WiredHost({"b", "10.0.0.2", 24, 712}); }
Facts WithOneAddress() { return WiredHost({"b", "10.0.0.1"}); }
Facts WithOneAddressOnVlan712() { return WiredHost({"b", "10.0.0.1", 24, 712}); }

Facts OnBondOver(const std::string& name, const std::string& kind, std::uint16_t vlan) {
  Facts host = WiredHost({"a", "10.0.0.1", 24, vlan == 0 ? std::uint16_t{9} : vlan});
  std::vector<Port> ports = *host.ports;
  std::vector<UpperNetdev> uppers = *ports.front().uppers;
  UpperNetdev top = uppers.front();
  top.name = name;
  top.kind = kind;
  top.vlan_id = Missing{.kind = Missing::Kind::kUnsupported, .detail = "not a VLAN"};
  top.vlan_egress = top.vlan_id.missing();
  if (vlan == 0) {
    uppers = {top};
  } else {
    top.over = {uppers.front().name};
    uppers.front().addresses = std::vector<IpAddress>{};
    uppers.push_back(top);
  }
  ports.front().uppers = uppers;
  host.ports = ports;
  return host;
}

Facts Clone(const std::string& name, std::uint64_t guid) {
  Facts host = WiredHost({name, "10.0.0.1"});
  std::vector<Port> ports = *host.ports;
  ports.front().node_guid = guid;
  host.ports = ports;
  return host;
}

Facts OtherClone() { return Clone("b", 2); }

Facts OnUnknownVlan(const std::string& address) {
  Facts host = WiredHost({"a", address, 24, 711});
  std::vector<Port> ports = *host.ports;
  std::vector<UpperNetdev> uppers = *ports.front().uppers;
  uppers.front().vlan_id = Denied();
  ports.front().uppers = uppers;
  host.ports = ports;
  return host;
}

Facts InfiniBandPort() {
  return WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
}

std::vector<CheckCase> VlanRows() {
  return {
      Passes("agree.vlan", "both untagged", WiredHost({"a", "10.0.0.1"}),
             "untagged, like all 2 ports of 2 hosts", {.other = Untagged}),
      Passes("agree.vlan", "both on one VLAN", WiredHost({"a", "10.0.0.1", 24, 712}), "VLAN 712, like all 2",
             {.other = OnVlan712}),
      Fails(
          "agree.vlan", "another VLAN", WiredHost({"a", "10.0.0.1", 24, 711}), "VLAN 711; VLAN 712 at b rxe0/1",
          {.fix = "ip link add link dcb0 name dcb0.712 mtu 9000 type vlan id 712 egress-qos-map 4:3 && ip link "
                  "set dev dcb0.712 up && ip address del 10.0.0.1/24 dev dcb0.711 && ip address add "
                  "10.0.0.1/24 dev dcb0.712",
           .other = OnVlan712}),
      Warns("agree.vlan", "untagged beside a VLAN: the switch may put it there", WiredHost({"a", "10.0.0.1"}),
            "untagged; VLAN 712 at b rxe0/1",
            {.fix = "ip address del 10.0.0.1/24 dev dcb0 && ip address add 10.0.0.1/24 dev dcb0.712",
             .other = OnVlan712}),
      Warns("agree.vlan", "a VLAN beside an untagged one", WiredHost({"a", "10.0.0.1", 24, 711}),
            "VLAN 711; untagged at b rxe0/1",
            {.fix = "ip address del 10.0.0.1/24 dev dcb0.711 && ip address add 10.0.0.1/24 dev dcb0",
             .other = Untagged}),
      Warns("agree.vlan", "a bond beside a VLAN", OnBondOver("bond0", "bond", 0), "untagged; VLAN 712",
            {.fix = "ip link add link bond0 name bond0.712 mtu 9000 type vlan id 712 egress-qos-map 4:3 && ip "
                    "link set dev bond0.712 up && ip address del 10.0.0.1/24 dev bond0 && ip address add "
                    "10.0.0.1/24 dev bond0.712",
             .other = OnVlan712}),
      Warns("agree.vlan", "a bridge beside a VLAN", OnBondOver("br0", "bridge", 0), "untagged; VLAN 712",
            {.fix = "ip -d link show dev br0", .other = OnVlan712}),
      Fails("agree.vlan", "a bridge on another VLAN", OnBondOver("br0", "bridge", 711), "VLAN 711; VLAN 712",
            {.fix = "ip -d link show dev br0", .other = OnVlan712}),
      DoesNotApply("agree.vlan", "another subnet", WiredHost({"a", "10.0.7.1", 24, 711}),
                   "no port of another host", {.other = OnVlan712}),
      IsUnknown("agree.vlan", "denied", OnUnknownVlan("10.0.0.1"), "not permitted", {.other = OnVlan712}),
      DoesNotApply("agree.vlan", "InfiniBand", InfiniBandPort(), "InfiniBand has partitions")};
}

std::vector<CheckCase> AddressRows() {
  return {Passes("agree.address", "another address", WiredHost({"a", "10.0.0.1"}),
                 "10.0.0.1 is on no other host", {.other = Untagged}),
          Fails("agree.address", "the address of the other host", WiredHost({"a", "10.0.0.1"}),
                "10.0.0.1 is on dcb0 at a and on dcb0 at b",
                {.fix = "ip address del 10.0.0.1/24 dev dcb0", .other = WithOneAddress}),
          Passes("agree.address", "on two VLANs: two networks", WiredHost({"a", "10.0.0.1", 24, 711}),
                 "is on no other host", {.other = WithOneAddressOnVlan712}),
          DoesNotApply("agree.address", "an address that routing gave to several hosts",
                       WiredHost({"a", "10.0.0.1", 32}), "routing may give such ones to several hosts",
                       {.other = WithOneAddress}),
          Fails("agree.address", "a clone with the name and the address of the other host", Clone("b", 1),
                "10.0.0.1 is on dcb0 at a and on dcb0 at b", {.other = OtherClone}),
          Passes("agree.address", "the same machine, recorded twice", WiredHost({"b", "10.0.0.1"}),
                 "is on no other host", {.other = WithOneAddress}),
          IsUnknown("agree.address", "denied", WithNetdev([](Netdev& netdev) { netdev.addresses = Denied(); }),
                    "not permitted", {.other = Untagged}),
          IsUnknown("agree.address", "on a VLAN that is not known", OnUnknownVlan("10.0.0.1"),
                    "10.0.0.1 is on another host too, and its VLAN is not known", {.other = WithOneAddress})};
}

}  // namespace

std::vector<CheckCase> SharedWireCases() { return Joined({VlanRows(), AddressRows()}); }

}  // namespace rdmaready
