// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

// A NIC of hardware that was set, with what sets it at boot and a change.
template <class Change>
Facts Kept(Fact<std::vector<std::string>> keepers, Change change) {
  Facts host = WithHardware([&change](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.driver = "mlx5_core";
    change(netdev);
    port.netdev = netdev;
  });
  host.dcb_keepers = std::move(keepers);
  return host;
}

void AsItIs(Netdev&) {}

// As a driver comes up.
void Untouched(Netdev& netdev) {
  netdev.dcb.pfc = Pfc{.capability = 8};
  netdev.dcb.ets = Ets{.traffic_classes = 8};
  netdev.dcb.app = std::vector<AppEntry>{};
}

}  // namespace

std::vector<CheckCase> DcbAtBootCases() {
  using Names = std::vector<std::string>;
  const char* id = "dcb.at-boot";
  const Names none{};
  return {
      Passes(id, "a unit", Kept(Names{"/etc/systemd/system/roce-qos.service"}, AsItIs), "roce-qos.service"),
      Passes(id, "two", Kept(Names{"/etc/rc.local", "/etc/crontab"}, AsItIs), "/etc/rc.local and others"),
      IsUnknown(id, "perhaps a software device", WithPort([](Port& port) {
                  port.software = Missing{Missing::Kind::kFailed, "read link device: Input/output error"};
                }),
                "Input/output error"),
      Fails(id, "by hand", Kept(none, AsItIs),
            "PFC on 3, shares of the link, rows of the APP table: set by hand",
            {.fix = "systemctl edit --force --full rdma-dcb.service"}),
      Fails(id, "trust by hand",
            Kept(none,
                 [](Netdev& netdev) {
                   Untouched(netdev);
                   netdev.dcb.nic_trust = AppSelector::kDscp;
                   netdev.dcb.app = Denied();
                 }),
            "trust of DSCP: set by hand"),
      IsUnknown(id, "denied", Kept(Denied(), AsItIs), "not permitted"),
      IsUnknown(id, "what is set is not known",
                Kept(none,
                     [](Netdev& netdev) {
                       Untouched(netdev);
                       netdev.dcb.app = Denied();
                     }),
                "not permitted"),
      IsUnknown(id, "who runs DCBX is not known",
                Kept(none, [](Netdev& netdev) { netdev.dcb.dcbx = Denied(); }), "not permitted"),
      DoesNotApply(id, "nothing set", Kept(none, Untouched), "nothing of it is set"),
      DoesNotApply(id, "firmware sets it",
                   Kept(none, [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.ieee = true}; }),
                   "firmware runs DCBX"),
      DoesNotApply(id, "a software device", SecurityWith(&Facts::dcb_keepers, Fact<Names>(none)),
                   "a software device"),
      DoesNotApply(id, "not asked", Kept(none, AsItIs), "does not ask", {.profile = Profile{.name = "any"}})};
}

}  // namespace rdmaready
