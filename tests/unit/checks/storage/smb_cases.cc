// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts WithoutSmbDirect(Facts host, std::string_view name) {
  return WithModule(std::move(host), name, [](KernelModule& module) { module.uses_rdma = false; });
}

Facts NotKnown(Facts host, std::string_view name) {
  return WithModule(std::move(host), name, [](KernelModule& module) { module.uses_rdma = Denied(); });
}

Facts Absent(Facts host, std::string_view name) {
  return WithModule(std::move(host), name, [](KernelModule& module) { module.state = ModuleState::kAbsent; });
}

Facts OnDisk(Facts host) {
  return WithModule(std::move(host), "cifs",
                    [](KernelModule& module) { module.state = ModuleState::kInstalled; });
}

Facts Mixed(std::string_view release) {
  return OnKernel(WithSecond(SmbServer(), [](Port& port) { port.transport = Transport::kIwarp; }), release);
}

Profile SmbNaming(Profile::Role role) {
  Profile profile = VirtualFabricProfile();
  profile.roles = std::vector<Profile::Role>{role};
  return profile;
}

std::vector<CheckCase> SmbModulesRows() {
  const Profile server = SmbNaming(Profile::Role::kSmbServer);
  Facts nothing_said = GoodHost();
  nothing_said.modules = Missing{};
  return {
      Passes("smb.client-built-in", "good", GoodHost(), "cifs loaded, with SMB Direct"),
      Fails("smb.client-built-in", "built without", WithoutSmbDirect(GoodHost(), "cifs"),
            "built without SMB Direct (7.0.3", {.fix = "CONFIG_CIFS_SMB_DIRECT"}),
      Fails("smb.client-built-in", "no cifs", Absent(GoodHost(), "cifs"), "has no cifs",
            {.profile = SmbNaming(Profile::Role::kSmbClient)}),
      DoesNotApply("smb.client-built-in", "no cifs, and nobody asked", Absent(GoodHost(), "cifs"),
                   "does not name the role smb-client"),
      DoesNotApply("smb.client-built-in", "on disk, and nobody asked",
                   OnDisk(WithoutSmbDirect(GoodHost(), "cifs")), "cifs is not loaded"),
      Fails("smb.client-built-in", "on disk, under a profile of SMB Direct",
            OnDisk(WithoutSmbDirect(GoodHost(), "cifs")), "built without SMB Direct",
            {.profile = Asking([](Profile& p) { p.name = "smb-direct-roce"; })}),
      DoesNotApply("smb.kernel", "only on disk", OnKernel(OnDisk(GoodHost()), "6.12.1"), "cifs is not loaded"),
      IsUnknown("smb.client-built-in", "not known", NotKnown(GoodHost(), "cifs"), "not permitted"),
      IsUnknown("smb.client-built-in", "of an old recording", nothing_said, "not collected"),
      DoesNotApply(
          "smb.client-built-in", "a server",
          WithModule(SmbServer(), "cifs", [](KernelModule& module) { module.state = ModuleState::kInstalled; }),
          "an SMB server"),
      DoesNotApply("smb.client-built-in", "only a server is asked for", GoodHost(), "smb-client",
                   {.profile = server}),
      Passes("smb.server-built-in", "good", SmbServer(), "ksmbd loaded, with SMB Direct"),
      Fails("smb.server-built-in", "built without", WithoutSmbDirect(SmbServer(), "ksmbd"),
            "built without SMB Direct", {.fix = "CONFIG_SMB_SERVER_SMBDIRECT"}),
      IsUnknown("smb.server-built-in", "not known", NotKnown(SmbServer(), "ksmbd"), "not permitted"),
      DoesNotApply("smb.server-built-in", "no server", GoodHost(), "ksmbd is not loaded"),
      Fails("smb.server-built-in", "asked for, and none", Absent(GoodHost(), "ksmbd"), "has no ksmbd",
            {.profile = server}),
      Passes("smb.kernel", "good", GoodHost(), "Linux 7.0: none known"),
      IsUnknown("smb.kernel", "maybe mended", OnKernel(GoodHost(), "6.12.117+deb12-amd64"),
                "Linux 6.12: connections may run out of credits (fixed in 7.0 and in some older releases: the "
                "version "
                "does not tell)",
                {.fix = "--level share"}),
      Fails("smb.kernel", "before SMB Direct", OnKernel(GoodHost(), "5.10.0-1"), "Linux 5.10: no SMB Direct"),
      Fails("smb.kernel", "the client's rewrite", OnKernel(GoodHost(), "6.4.1"), "Linux 6.4: the client's"),
      Fails("smb.kernel", "8 elements", OnKernel(Iwarp({}, {}), "5.19"), "8 scatter-gather"),
      IsUnknown("smb.kernel", "8 elements without iWARP", OnKernel(GoodHost(), "5.19"),
                "Linux 5.19: connections may run out of credits"),
      IsUnknown("smb.kernel", "whether there is SMB is not known", ModulesDenied(), "not permitted"),
      IsUnknown("smb.kernel", "no number", OnKernel(GoodHost(), "linux"), "no kernel release")};
}

std::vector<CheckCase> SmbHostWideRows() {
  const auto tcp = [](Fact<std::vector<std::uint16_t>> ports) {
    return SmbServerWith([&ports](Facts& host, Port&) { host.tcp_listeners = ports; });
  };
  return {
      Passes("smb.multichannel", "good", SmbServer(), "support = yes"),
      Fails("smb.multichannel", "no", WithConfig([](KsmbdConfig& config) { config.multichannel = false; }),
            "support = no", {.fix = "systemctl restart ksmbd"}),
      Fails("smb.multichannel", "not set", WithConfig([](KsmbdConfig& config) { config.multichannel.reset(); }),
            "not set in /etc/ksmbd/ksmbd.conf, which means no"),
      IsUnknown("smb.multichannel", "denied", ConfigDenied(), "not permitted"),
      DoesNotApply("smb.multichannel", "no server", GoodHost(), "ksmbd is not loaded"),
      Passes("smb.signing", "good", SmbServer(), "neither is demanded"),
      Passes("smb.signing", "offered", WithConfig([](KsmbdConfig& config) {
               config.signing = "auto";
               config.encryption = "auto";
             }),
             "neither is demanded"),
      Fails("smb.signing", "both demanded", WithConfig([](KsmbdConfig& config) {
              config.signing = "mandatory";
              config.encryption = "yes";
            }),
            "server signing = mandatory, smb3 encryption = yes"),
      IsUnknown("smb.signing", "denied", ConfigDenied(), "not permitted"),
      Passes("smb.tcp", "good", SmbServer(), "TCP port 445 open"),
      Fails("smb.tcp", "nobody", tcp(std::vector<std::uint16_t>{22, 4450}), "nobody listens on TCP port 445"),
      IsUnknown("smb.tcp", "denied", tcp(Denied()), "not permitted"),
      Passes("smb.mixed-transports", "good", SmbServer(), "no iWARP"),
      Passes("smb.mixed-transports", "iWARP only", Iwarp({}, {}), "iWARP only"),
      Fails("smb.mixed-transports", "both", Mixed("6.12.1"), "iWARP and RoCE or InfiniBand on Linux 6.12"),
      Passes("smb.mixed-transports", "both on a kernel that tells them apart", Mixed("7.0.0-rc1"), "Linux 7.0"),
      IsUnknown("smb.mixed-transports", "one not known",
                WithSecond(SmbServer(), [](Port& port) { port.transport = Denied(); }), "not permitted")};
}

}  // namespace

std::vector<CheckCase> SmbCases() { return Joined({SmbModulesRows(), SmbHostWideRows()}); }

}  // namespace rdmaready
