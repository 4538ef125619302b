// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Profile For(const Profile::PortSelector& port, bool expected = false) {
  return Asking([&](Profile& profile) {
    profile.ports = {port};
    profile.ports_expected = expected;
  });
}

}  // namespace

std::vector<CheckCase> SelectionCases() {
  const auto ends_unseen = WithPort([](Port& port) { port.pci = Denied(); });
  Facts unread = GoodHost();
  unread.ports = Denied();
  return {Passes("inv.ports-selected", "by its netdev", GoodHost(), "1 of 1 port: rxe0/1 dcb0",
                 {.profile = For({.netdev = "dcb*"})}),
          Fails("inv.ports-selected", "of a host that ought to have it", GoodHost(), "0 of 1 port",
                {.fix = "rdmaready facts", .profile = For({.netdev = "ens*"}, true)}),
          IsUnknown("inv.ports-selected", "of a host that may do without", GoodHost(), "0 of 1 port",
                    {.profile = For({.netdev = "ens*"})}),
          IsUnknown("inv.ports-selected", "by what cannot be read", ends_unseen,
                    "perhaps rxe0/1 dcb0, of which its PCI address cannot be read",
                    {.profile = For({.pci = "0000:3b:00.*"})}),
          IsUnknown("inv.ports-selected", "without ports to choose from", unread, "Operation not permitted",
                    {.profile = For({.netdev = "dcb*"})}),
          DoesNotApply("inv.ports-selected", "of a profile for every port", GoodHost(), "is for every port")};
}

}  // namespace rdmaready
