// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// The address on something that stands on the port's netdev.
Facts AddressOn(std::string_view kind, bool also_below = false) {
  return SmbServerWith([&](Facts&, Port& port) {
    UpperNetdev upper{.name = "up0", .ifindex = 9, .kind = std::string(kind), .over = {"dcb0"}};
    upper.addresses = port.netdev->addresses;
    Netdev netdev = *port.netdev;
    if (!also_below) netdev.addresses = std::vector<IpAddress>{};
    port.netdev = netdev;
    port.uppers = std::vector<UpperNetdev>{upper};
  });
}

}  // namespace

std::vector<CheckCase> SmbServingCases() {
  std::vector<CheckCase> cases;
  const auto listeners = [](Fact<std::vector<RdmaListener>> all) {
    return SmbServerWith([&all](Facts&, Port& port) { port.listeners = all; });
  };
  const auto bound_to = [](std::string_view name) {
    return WithConfig([name](KsmbdConfig& config) { config.interfaces = {std::string(name)}; });
  };
  cases.insert(
      cases.end(),
      {Passes("smb.listener", "good", SmbServer(), "ksmbd on 445"),
       Passes("smb.listener", "a process", listeners(std::vector<RdmaListener>{{.port = 445, .pid = 42}}),
              "process 42 on 445"),
       Fails("smb.listener", "nobody", listeners(std::vector<RdmaListener>{}), "nobody",
             {.fix = "systemctl restart ksmbd  # the restart ends"}),
       Fails("smb.listener", "on the port of iWARP",
             listeners(std::vector<RdmaListener>{{.port = 5445, .kernel_name = "ksmbd"}}), "ksmbd on 5445"),
       Passes("smb.listener", "iWARP", Iwarp({{.port = 5445, .kernel_name = "ksmbd"}}, {445}), "ksmbd on 5445"),
       IsUnknown("smb.listener", "denied", listeners(Denied()), "not permitted"),
       DoesNotApply("smb.listener", "no server", GoodHost(), "ksmbd is not loaded"),
       Passes("iw.port-5445", "good", Iwarp({{.port = 5445, .kernel_name = "ksmbd"}}, {445, 5445}),
              "SMB Direct has it"),
       Passes("iw.port-5445", "free", Iwarp({}, {445}), "free"),
       Fails("iw.port-5445", "taken", Iwarp({}, {445, 5445}), "a TCP listener has port 5445",
             {.fix = "stop the program that has TCP port 5445"}),
       IsUnknown("iw.port-5445", "denied", SmbServerWith([](Facts& host, Port& port) {
                   port.transport = Transport::kIwarp;
                   port.listeners = std::vector<RdmaListener>{};
                   host.tcp_listeners = Denied();
                 }),
                 "not permitted"),
       DoesNotApply("iw.port-5445", "RoCE", SmbServer(), "not iWARP"),
       Passes("smb.server-address", "good", SmbServer(), "10.0.0.1 on dcb0"),
       Fails("smb.server-address", "on a bridge", OnKernel(AddressOn("bridge"), "6.12.1"),
             "10.0.0.1 on up0 (bridge): not told to clients as RDMA by Linux 6.12",
             {.fix = "put an address of the storage network on dcb0"}),
       Fails("smb.server-address", "on a bond, newer kernel", OnKernel(AddressOn("bond"), "6.18.1"),
             "up0 (bond)"),
       Passes("smb.server-address", "on a VLAN, newer kernel", OnKernel(AddressOn("vlan"), "6.18.1"),
              "up0 (vlan)"),
       Warns("smb.server-address", "on both", OnKernel(AddressOn("vlan", true), "6.12.1"), "up0 (vlan)"),
       IsUnknown("smb.server-address", "kernel not known", OnKernel(AddressOn("vlan"), "?"),
                 "no kernel release"),
       DoesNotApply("smb.server-address", "InfiniBand",
                    SmbServerWith([](Facts&, Port& port) { port.transport = Transport::kInfiniBand; }),
                    "IPoIB"),
       Passes("smb.interfaces", "good", bound_to("dcb0"), "interfaces = dcb0"),
       Fails("smb.interfaces", "another one", bound_to("eth0"), "interfaces = eth0", {.fix = "add dcb0"}),
       DoesNotApply("smb.interfaces", "all", SmbServer(), "all interfaces"),
       IsUnknown("smb.interfaces", "denied", ConfigDenied(), "not permitted")});
  Profile client = VirtualFabricProfile();
  client.roles = std::vector<Profile::Role>{Profile::Role::kSmbClient};
  Facts unlisted = GoodHost();
  unlisted.ports = Denied();
  cases.insert(
      cases.end(),
      {Passes("smb.multichannel-ports", "two", WithSecond(GoodHost(), [](Port&) {}), "2 RDMA ports",
              {.profile = client}),
       Fails("smb.multichannel-ports", "one", GoodHost(), "1 RDMA port",
             {.fix = "add a second port", .profile = client}),
       IsUnknown("smb.multichannel-ports", "denied", unlisted, "not permitted", {.profile = client}),
       DoesNotApply("smb.multichannel-ports", "no role named", GoodHost(), "does not ask for a role of SMB")});

  return cases;
}

}  // namespace rdmaready
