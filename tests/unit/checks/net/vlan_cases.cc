// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {

std::vector<CheckCase> VlanCases() {
  return {Passes("vlan.present", "good", OnVlan(), "10.0.0.1 on dcb0.711 (VLAN 711)", {.profile = Tagged()}),
          Fails("vlan.present", "untagged", GoodHost(), "10.0.0.1 on dcb0, untagged",
                {.fix = "ip link add link dcb0 name dcb0.VLAN type vlan id VLAN egress-qos-map 2:3",
                 .profile = Tagged()}),
          Fails("vlan.present", "untagged, one id named", GoodHost(), "untagged",
                {.fix = "name dcb0.712 type vlan id 712", .profile = OnlyVlan(712)}),
          Passes("vlan.present", "the interface is a VLAN",
                 WithNetdev([](Netdev& netdev) { netdev.vlan_id = std::uint16_t{711}; }), "VLAN 711",
                 {.profile = Tagged()}),
          IsUnknown("vlan.present", "denied", AddressesDenied(), "not permitted", {.profile = Tagged()}),
          IsUnknown("vlan.present", "uppers denied", WithPort([](Port& port) { port.uppers = Denied(); }),
                    "not permitted", {.profile = Tagged()}),
          DoesNotApply("vlan.present", "not asked", GoodHost(), "does not ask"),
          Passes("vlan.id", "any", OnVlan(), "VLAN 711", {.profile = Tagged()}),
          Passes("vlan.id", "the right one", OnVlan(), "VLAN 711", {.profile = OnlyVlan(711)}),
          Fails("vlan.id", "another one", OnVlan(), "VLAN 711",
                {.fix = "type vlan id 712", .profile = OnlyVlan(712)}),
          Fails("vlan.id", "0", WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_id = std::uint16_t{0}; }),
                "VLAN 0", {.profile = Tagged()}),
          IsUnknown("vlan.id", "denied", AddressesDenied(), "not permitted", {.profile = Tagged()}),
          DoesNotApply("vlan.id", "not asked", GoodHost(), "does not ask")};
}

}  // namespace rdmaready
