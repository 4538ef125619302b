// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {

namespace {

// The only VLAN leads to everybody else, and RDMA's address is on no VLAN.
Facts BesideManagement(Fact<std::vector<std::string>> routes = std::vector<std::string>{"dcb0.711"}) {
  Facts host = WithVlan([](Port& port, UpperNetdev&) {
    Netdev netdev = *port.netdev;
    netdev.addresses = std::vector<IpAddress>{{.address = "10.0.0.9", .prefix_length = 24}};
    port.netdev = netdev;
  });
  host.default_routes = std::move(routes);
  return host;
}

}  // namespace

std::vector<CheckCase> VlanCases() {
  return {Passes("vlan.present", "good", OnVlan(), "10.0.0.1 on dcb0.711 (VLAN 711)", {.profile = Tagged()}),
          Fails("vlan.present", "untagged", GoodHost(), "10.0.0.1 on dcb0, untagged",
                {.fix = "ip link add link dcb0 name dcb0.VLAN type vlan id VLAN egress-qos-map 2:3",
                 .profile = Tagged()}),
          Fails("vlan.present", "untagged, one id named", GoodHost(), "untagged",
                {.fix = "up && ip address del 10.0.0.1/24 dev dcb0 && ip address add 10.0.0.1/24 dev dcb0.712",
                 .profile = OnlyVlan(712)}),
          Passes("vlan.present", "the interface is a VLAN",
                 WithNetdev([](Netdev& netdev) { netdev.vlan_id = std::uint16_t{711}; }), "VLAN 711",
                 {.profile = Tagged()}),
          IsUnknown("vlan.present", "denied", AddressesDenied(), "not permitted", {.profile = Tagged()}),
          IsUnknown("vlan.present", "uppers denied", WithPort([](Port& port) { port.uppers = Denied(); }),
                    "not permitted", {.profile = Tagged()}),
          IsUnknown("vlan.present", "whether it is RoCE is not known", TransportDenied(), "not permitted",
                    {.profile = Tagged()}),
          IsUnknown("vlan.id", "whether it is RoCE is not known", TransportDenied(), "not permitted",
                    {.profile = Tagged()}),
          DoesNotApply("vlan.present", "not asked", GoodHost(), "does not ask"),
          Passes("vlan.id", "any", OnVlan(), "VLAN 711", {.profile = Tagged()}),
          Passes("vlan.id", "the right one", OnVlan(), "VLAN 711", {.profile = OnlyVlan(711)}),
          Fails("vlan.id", "another one", OnVlan(), "VLAN 711",
                {.fix = "ip address del 10.0.0.1/24 dev dcb0.711 && ip address add 10.0.0.1/24 dev dcb0.712",
                 .profile = OnlyVlan(712)}),
          Fails("vlan.id", "0", WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_id = std::uint16_t{0}; }),
                "VLAN 0", {.profile = Tagged()}),
          IsUnknown("vlan.id", "denied", AddressesDenied(), "not permitted", {.profile = Tagged()}),
          DoesNotApply("vlan.id", "not asked", GoodHost(), "does not ask"),
          Fails("vlan.present", "the storage address beside a management VLAN", BesideManagement(),
                "10.0.0.9 on dcb0, untagged; dcb0.711 has the default route", {.profile = Tagged()}),
          IsUnknown("vlan.present", "beside a VLAN, and the default route is not known",
                    BesideManagement(Denied()), "not permitted", {.profile = Tagged()}),
          IsUnknown("vlan.id", "0 beside another", ConvergedWith([](Port&, std::vector<UpperNetdev>& uppers) {
                      uppers.back().vlan_id = std::uint16_t{0};
                    }),
                    "which of them carries RDMA is not known", {.profile = Tagged()}),
          Passes("vlan.reorder", "on", OnVlan(), "reorder_hdr on"),
          Fails("vlan.reorder", "off", WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_reorder = false; }),
                "dcb0.711: reorder_hdr off", {.fix = "ip link set dev dcb0.711 type vlan reorder_hdr on"}),
          IsUnknown("vlan.reorder", "denied",
                    WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_reorder = Denied(); }), "not permitted"),
          IsUnknown("vlan.reorder", "addresses denied", AddressesDenied(), "not permitted"),
          DoesNotApply("vlan.reorder", "no VLAN", GoodHost(), "no VLAN")};
}

}  // namespace rdmaready
