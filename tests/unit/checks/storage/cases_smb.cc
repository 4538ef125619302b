// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

Facts WithoutSmbDirect(Facts host, std::string_view name) {
  return WithModule(std::move(host), name, [](KernelModule& module) { module.uses_rdma = false; });
}

Facts NotKnown(Facts host, std::string_view name) {
  return WithModule(std::move(host), name, [](KernelModule& module) { module.uses_rdma = Denied(); });
}

Facts Absent(Facts host, std::string_view name) {
  return WithModule(std::move(host), name, [](KernelModule& module) { module.state = ModuleState::kAbsent; });
}

template <class Change>
Facts WithConfig(Change change) {
  return SmbServerWith([&change](Facts& host, Port&) {
    KsmbdConfig config = *host.ksmbd;
    change(config);
    host.ksmbd = config;
  });
}

Facts ConfigDenied() {
  return SmbServerWith([](Facts& host, Port&) { host.ksmbd = Denied(); });
}

Facts OnKernel(Facts host, std::string_view release) {
  host.kernel = Kernel{.release = std::string(release)};
  return host;
}

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

Facts Iwarp(std::vector<RdmaListener> listeners, std::vector<std::uint16_t> tcp) {
  return SmbServerWith([&](Facts& host, Port& port) {
    port.transport = Transport::kIwarp;
    port.listeners = listeners;
    host.tcp_listeners = tcp;
  });
}

Facts Mixed(std::string_view release) {
  return OnKernel(WithSecond(SmbServer(), [](Port& port) { port.transport = Transport::kIwarp; }), release);
}

Profile Naming(Profile::Role role) {
  Profile profile = VirtualFabricProfile();
  profile.roles = std::vector<Profile::Role>{role};
  return profile;
}

void AddModules(std::vector<CheckCase>& cases) {
  const Profile server = Naming(Profile::Role::kSmbServer);
  Facts nothing_said = GoodHost();
  nothing_said.modules = Missing{};
  cases.insert(
      cases.end(),
      {{"smb.client-built-in", "good", GoodHost(), kPass, "cifs loaded, with SMB Direct"},
       {"smb.client-built-in", "built without", WithoutSmbDirect(GoodHost(), "cifs"), kFail,
        "built without SMB Direct (7.0.3", "CONFIG_CIFS_SMB_DIRECT"},
       {"smb.client-built-in", "no cifs", Absent(GoodHost(), "cifs"), kFail, "has no cifs", "",
        Naming(Profile::Role::kSmbClient)},
       {"smb.client-built-in", "no cifs, and nobody asked", Absent(GoodHost(), "cifs"), kNotApplicable,
        "does not name the role smb-client"},
       {"smb.client-built-in", "not known", NotKnown(GoodHost(), "cifs"), kUnknown, "not permitted"},
       {"smb.client-built-in", "of an old recording", nothing_said, kUnknown, "not collected"},
       {"smb.client-built-in", "a server",
        WithModule(SmbServer(), "cifs", [](KernelModule& module) { module.state = ModuleState::kInstalled; }),
        kNotApplicable, "an SMB server"},
       {"smb.client-built-in", "only a server is asked for", GoodHost(), kNotApplicable, "smb-client", "",
        server},
       {"smb.server-built-in", "good", SmbServer(), kPass, "ksmbd loaded, with SMB Direct"},
       {"smb.server-built-in", "built without", WithoutSmbDirect(SmbServer(), "ksmbd"), kFail,
        "built without SMB Direct", "CONFIG_SMB_SERVER_SMBDIRECT"},
       {"smb.server-built-in", "not known", NotKnown(SmbServer(), "ksmbd"), kUnknown, "not permitted"},
       {"smb.server-built-in", "no server", GoodHost(), kNotApplicable, "ksmbd is not loaded"},
       {"smb.server-built-in", "asked for, and none", Absent(GoodHost(), "ksmbd"), kFail, "has no ksmbd", "",
        server},
       {"smb.kernel", "good", GoodHost(), kPass, "Linux 7.0: none known"},
       {"smb.kernel", "maybe mended", OnKernel(GoodHost(), "6.12.117+deb12-amd64"), kUnknown,
        "Linux 6.12: connections may run out of credits (mended in 7.0 and in some older releases: the version "
        "does not tell)",
        "--level share"},
       {"smb.kernel", "before SMB Direct", OnKernel(GoodHost(), "5.10.0-1"), kFail,
        "Linux 5.10: no SMB Direct"},
       {"smb.kernel", "the client's rewrite", OnKernel(GoodHost(), "6.4.1"), kFail, "Linux 6.4: the client's"},
       {"smb.kernel", "8 elements", OnKernel(Iwarp({}, {}), "5.19"), kFail, "8 scatter-gather"},
       {"smb.kernel", "8 elements without iWARP", OnKernel(GoodHost(), "5.19"), kUnknown,
        "Linux 5.19: connections may run out of credits"},
       {"smb.kernel", "no number", OnKernel(GoodHost(), "linux"), kUnknown, "no kernel release"}});
}

void AddHostWide(std::vector<CheckCase>& cases) {
  const auto tcp = [](Fact<std::vector<std::uint16_t>> ports) {
    return SmbServerWith([&ports](Facts& host, Port&) { host.tcp_listeners = ports; });
  };
  cases.insert(
      cases.end(),
      {{"smb.multichannel", "good", SmbServer(), kPass, "support = yes"},
       {"smb.multichannel", "no", WithConfig([](KsmbdConfig& config) { config.multichannel = false; }), kFail,
        "support = no", "systemctl restart ksmbd"},
       {"smb.multichannel", "not set", WithConfig([](KsmbdConfig& config) { config.multichannel.reset(); }),
        kFail, "not set in /etc/ksmbd/ksmbd.conf, which means no"},
       {"smb.multichannel", "denied", ConfigDenied(), kUnknown, "not permitted"},
       {"smb.multichannel", "no server", GoodHost(), kNotApplicable, "ksmbd is not loaded"},
       {"smb.signing", "good", SmbServer(), kPass, "neither is demanded"},
       {"smb.signing", "offered", WithConfig([](KsmbdConfig& config) {
          config.signing = "auto";
          config.encryption = "auto";
        }),
        kPass, "neither is demanded"},
       {"smb.signing", "both demanded", WithConfig([](KsmbdConfig& config) {
          config.signing = "mandatory";
          config.encryption = "yes";
        }),
        kFail, "server signing = mandatory, smb3 encryption = yes"},
       {"smb.signing", "denied", ConfigDenied(), kUnknown, "not permitted"},
       {"smb.tcp", "good", SmbServer(), kPass, "TCP port 445 open"},
       {"smb.tcp", "nobody", tcp(std::vector<std::uint16_t>{22, 4450}), kFail,
        "nobody listens on TCP port 445"},
       {"smb.tcp", "denied", tcp(Denied()), kUnknown, "not permitted"},
       {"smb.mixed-transports", "good", SmbServer(), kPass, "no iWARP"},
       {"smb.mixed-transports", "iWARP only", Iwarp({}, {}), kPass, "iWARP only"},
       {"smb.mixed-transports", "both", Mixed("6.12.1"), kFail, "iWARP and RoCE or InfiniBand on Linux 6.12"},
       {"smb.mixed-transports", "both on a kernel that tells them apart", Mixed("7.0.0-rc1"), kPass,
        "Linux 7.0"},
       {"smb.mixed-transports", "one not known",
        WithSecond(SmbServer(), [](Port& port) { port.transport = Denied(); }), kUnknown, "not permitted"}});
}

void AddPorts(std::vector<CheckCase>& cases) {
  const auto listeners = [](Fact<std::vector<RdmaListener>> all) {
    return SmbServerWith([&all](Facts&, Port& port) { port.listeners = all; });
  };
  const auto bound_to = [](std::string_view name) {
    return WithConfig([name](KsmbdConfig& config) { config.interfaces = {std::string(name)}; });
  };
  cases.insert(
      cases.end(),
      {{"smb.listener", "good", SmbServer(), kPass, "ksmbd on 445"},
       {"smb.listener", "a process", listeners(std::vector<RdmaListener>{{.port = 445, .pid = 42}}), kPass,
        "process 42 on 445"},
       {"smb.listener", "nobody", listeners(std::vector<RdmaListener>{}), kFail, "nobody", "cm_id link rxe0"},
       {"smb.listener", "on the port of iWARP",
        listeners(std::vector<RdmaListener>{{.port = 5445, .kernel_name = "ksmbd"}}), kFail, "ksmbd on 5445"},
       {"smb.listener", "iWARP", Iwarp({{.port = 5445, .kernel_name = "ksmbd"}}, {445}), kPass,
        "ksmbd on 5445"},
       {"smb.listener", "denied", listeners(Denied()), kUnknown, "not permitted"},
       {"smb.listener", "no server", GoodHost(), kNotApplicable, "ksmbd is not loaded"},
       {"iw.port-5445", "good", Iwarp({{.port = 5445, .kernel_name = "ksmbd"}}, {445, 5445}), kPass,
        "SMB Direct has it"},
       {"iw.port-5445", "free", Iwarp({}, {445}), kPass, "free"},
       {"iw.port-5445", "taken", Iwarp({}, {445, 5445}), kFail, "a TCP listener has port 5445", "ss -ltnp"},
       {"iw.port-5445", "denied", SmbServerWith([](Facts& host, Port& port) {
          port.transport = Transport::kIwarp;
          port.listeners = std::vector<RdmaListener>{};
          host.tcp_listeners = Denied();
        }),
        kUnknown, "not permitted"},
       {"iw.port-5445", "RoCE", SmbServer(), kNotApplicable, "not iWARP"},
       {"smb.server-address", "good", SmbServer(), kPass, "10.0.0.1 on dcb0"},
       {"smb.server-address", "on a bridge", OnKernel(AddressOn("bridge"), "6.12.1"), kFail,
        "10.0.0.1 on up0 (bridge): not told to clients as RDMA by Linux 6.12",
        "ip address add ADDRESS dev dcb0"},
       {"smb.server-address", "on a bond, newer kernel", OnKernel(AddressOn("bond"), "6.18.1"), kFail,
        "up0 (bond)"},
       {"smb.server-address", "on a VLAN, newer kernel", OnKernel(AddressOn("vlan"), "6.18.1"), kPass,
        "up0 (vlan)"},
       {"smb.server-address", "on both", OnKernel(AddressOn("vlan", true), "6.12.1"), kWarn, "up0 (vlan)"},
       {"smb.server-address", "kernel not known", OnKernel(AddressOn("vlan"), "?"), kUnknown,
        "no kernel release"},
       {"smb.server-address", "InfiniBand",
        SmbServerWith([](Facts&, Port& port) { port.transport = Transport::kInfiniBand; }), kNotApplicable,
        "IPoIB"},
       {"smb.interfaces", "good", bound_to("dcb0"), kPass, "interfaces = dcb0"},
       {"smb.interfaces", "another one", bound_to("eth0"), kFail, "interfaces = eth0", "add dcb0"},
       {"smb.interfaces", "all", SmbServer(), kNotApplicable, "all interfaces"},
       {"smb.interfaces", "denied", ConfigDenied(), kUnknown, "not permitted"}});
  Profile client = VirtualFabricProfile();
  client.roles = std::vector<Profile::Role>{Profile::Role::kSmbClient};
  Facts unlisted = GoodHost();
  unlisted.ports = Denied();
  cases.insert(cases.end(),
               {{"smb.multichannel-ports", "two", WithSecond(GoodHost(), [](Port&) {}), kPass, "2 RDMA ports",
                 "", client},
                {"smb.multichannel-ports", "one", GoodHost(), kFail, "1 RDMA port", "rdma link show", client},
                {"smb.multichannel-ports", "denied", unlisted, kUnknown, "not permitted", "", client},
                {"smb.multichannel-ports", "no role named", GoodHost(), kNotApplicable,
                 "does not ask for a role of SMB"}});
}

}  // namespace

void AddSmbCases(std::vector<CheckCase>& cases) {
  AddModules(cases);
  AddHostWide(cases);
  AddPorts(cases);
}

}  // namespace rdmaready
