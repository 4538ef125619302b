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

constexpr const char* kBootScript = "/usr/local/sbin/qos.sh";
constexpr const char* kBootUnit = "/etc/systemd/system/qos.service";

// The same with a script that a unit starts.
Facts KeptBy(std::vector<BootWrite> writes, void (*change)(Netdev&) = AsItIs) {
  Facts host = Kept(std::vector<std::string>{kBootScript}, change);
  for (BootWrite& write : writes) {
    write.file = kBootScript;
    write.started = kBootUnit;
  }
  host.boot_writes = std::move(writes);
  return host;
}

// The same beside a script that could not be read.
Facts BesideUnread(Facts host) {
  std::vector<BootWrite> writes = *host.boot_writes;
  writes.push_back({.file = "/opt/site.sh", .started = "/opt/site.sh", .setting = "unread", .value = "denied"});
  host.boot_writes = writes;
  return host;
}

// A script sets the value of the profile, and the NIC has another one now.
Facts WrittenLater(std::vector<std::string> lldp_agents) {
  Facts host = KeptBy({{.setting = "pfc", .object = "dcb0", .value = "3"}},
                      [](Netdev& netdev) { netdev.dcb.pfc = Pfc{.capability = 8}; });
  host.lldp_agents = std::move(lldp_agents);
  return host;
}

Facts InCluster(std::string by) {
  Facts host = Kept(std::vector<std::string>{}, AsItIs);
  host.cluster_agents =
      std::vector<ClusterAgent>{{.process = "bash", .pid = 7712, .pod = "net/qos-7tq2m", .by = std::move(by)}};
  return host;
}

template <class Value>
Facts WithoutFact(Fact<Value> Facts::*fact, Facts host) {
  host.*fact = Denied();
  return host;
}

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
      Passes(id, "a script that sets the same", KeptBy({{.setting = "pfc", .object = "dcb0", .value = "3"}}),
             kBootScript),
      Passes(id, "a script for whatever interface it is called with",
             KeptBy({{.setting = "pfc", .value = "4"}, {.setting = "trust", .value = "dscp"}}), kBootScript),
      Passes(id, "the last line of a script counts",
             KeptBy({{.setting = "pfc", .object = "dcb0", .value = "4"},
                     {.setting = "pfc", .object = "dcb0", .value = "3"}}),
             kBootScript),
      Fails(id, "a script that sets another priority",
            KeptBy({{.setting = "pfc", .object = "dcb0", .value = "4"}}),
            "/usr/local/sbin/qos.sh (by /etc/systemd/system/qos.service) sets PFC on 4 at boot, and now it is "
            "PFC on "
            "3"),
      Fails(id, "a script sets it, and nobody is known to write it later", WrittenLater({}),
            "sets PFC on 3 at boot, and now it is PFC off", {.fix = "find what changed dcb0, then run"}),
      Fails(id, "a script sets it, and lldpad writes it later", WrittenLater({"lldpad"}),
            "and now it is PFC off: lldpad runs and writes its own PFC, ETS and APP rows to dcb0",
            {.fix = "let one of the two set it, lldpad or /usr/local/sbin/qos.sh"}),
      Fails(id, "a script that names an interface of the past",
            KeptBy({{.setting = "pfc", .object = "ens7f0", .value = "3"}}, Untouched),
            "sets ens7f0 at boot, an interface that no RDMA port here has; nothing sets dcb0"),
      Passes(id, "a script that sets the same, beside one that is not readable",
             BesideUnread(KeptBy({{.setting = "pfc", .object = "dcb0", .value = "3"}})), kBootScript),
      IsUnknown(id, "a script that sets another priority, beside one that is not readable",
                BesideUnread(KeptBy({{.setting = "pfc", .object = "dcb0", .value = "4"}})),
                "/opt/site.sh could not be read"),
      IsUnknown(id, "a script that names another interface, beside one that is not readable",
                BesideUnread(KeptBy({{.setting = "pfc", .object = "ens7f0", .value = "3"}}, Untouched)),
                "/opt/site.sh could not be read"),
      IsUnknown(id, "what the files set is not known",
                WithoutFact(&Facts::boot_writes, Kept(std::vector<std::string>{kBootUnit}, AsItIs)),
                "not permitted"),
      IsUnknown(id, "whether a pod sets it is not known",
                WithoutFact(&Facts::cluster_agents, Kept(none, AsItIs)), "not permitted"),
      DoesNotApply(id, "a pod sets it", InCluster("mlnx_qos"),
                   "the pod net/qos-7tq2m (process 7712, bash) sets it"),
      Fails(id, "a pod sets MTU and functions alone", InCluster("sriov-network-c"), "set by hand"),
      DoesNotApply(id, "nothing set", Kept(none, Untouched), "nothing of it is set"),
      DoesNotApply(id, "firmware sets it",
                   Kept(none, [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.ieee = true}; }),
                   "firmware runs DCBX"),
      DoesNotApply(id, "a software device", SecurityWith(&Facts::dcb_keepers, Fact<Names>(none)),
                   "a software device"),
      DoesNotApply(id, "not asked", Kept(none, AsItIs), "does not ask", {.profile = Profile{.name = "any"}})};
}

}  // namespace rdmaready
