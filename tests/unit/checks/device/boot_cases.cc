// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts Booted(const char* mac, const char* address) {
  Facts host = WithNetdev([](Netdev& netdev) { netdev.mac = "02:00:00:00:00:01"; });
  host.boot_targets = std::vector<BootTarget>{
      {.table = "NBFT", .mac = mac, .address = address, .target = "nqn.2014-08.org.example:disk"}};
  return host;
}

}  // namespace

std::vector<CheckCase> BootCases() {
  const Profile fabric = VirtualFabricProfile();
  Profile unmarked = fabric;
  unmarked.tos.reset();
  unmarked.dscp.reset();
  Profile tenants = fabric;
  tenants.multi_tenant = true;
  return {DoesNotApply("inv.boot-path", "from a disk of its own", GoodHost(), "no disk of the network",
                       {.profile = fabric}),
          Fails("inv.boot-path", "by this port", Booted("02:00:00:00:00:01", ""),
                "nqn.2014-08.org.example:disk by this port (NBFT)", {.fix = "lsblk", .profile = fabric}),
          Fails("inv.boot-path", "by this port, told by its address", Booted("", "10.0.0.1"), "by this port",
                {.profile = fabric}),
          Passes("inv.boot-path", "by another port", Booted("02:00:00:00:00:99", "10.0.0.1"),
                 "not by this port", {.profile = fabric}),
          IsUnknown("inv.boot-path", "not readable",
                    SecurityWith(&Facts::boot_targets, Fact<std::vector<BootTarget>>(Denied())),
                    "Operation not permitted", {.profile = fabric})};
}

}  // namespace rdmaready
