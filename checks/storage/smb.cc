// SPDX-License-Identifier: Apache-2.0
// smb.*: whether the kernel's SMB client and server were built with SMB Direct, and how the server is set up.
#include <algorithm>
#include <array>

#include "checks/families.h"
#include "checks/storage/roles.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Role = Profile::Role;

constexpr std::string_view kConfigSource = "ksmbd.conf";

// A module that carries SMB, and whether it was built to do so over RDMA.
Verdict JudgeBuiltIn(const HostView& view, Role role, std::string_view name) {
  const std::string expected = Cat(name, " with SMB Direct");
  if (auto gap = RoleGap(view.host, view.profile, role, expected, kModulesSource)) return *gap;
  const Fact<ModuleState> state = StateOf(view.host, name);
  if (!state) return NoAnswer(state.missing(), expected, kModulesSource);
  const std::string release = view.host.kernel ? Cat(" (", view.host.kernel->release, ")") : "";
  if (*state == ModuleState::kAbsent)
    return Judged(false, Cat("this kernel", release, " has no ", name), expected, kModulesSource);
  if (auto foreign = ForeignCore(view.host, name, expected)) return *foreign;
  const Fact<bool> uses_rdma = ModuleOf(view.host, name)->uses_rdma;
  if (!uses_rdma) return NoAnswer(uses_rdma.missing(), expected, kModulesSource);
  const std::string observed = *uses_rdma ? Cat(StateText(name, *state), ", with SMB Direct")
                                          : Cat(StateText(name, *state), ", built without SMB Direct", release);
  return Judged(*uses_rdma, observed, expected, kModulesSource);
}

Verdict JudgeSmbClientBuiltIn(const HostView& view) { return JudgeBuiltIn(view, Role::kSmbClient, "cifs"); }
Verdict JudgeSmbServerBuiltIn(const HostView& view) { return JudgeBuiltIn(view, Role::kSmbServer, "ksmbd"); }

Verdict NoConfig(const Missing& why, std::string_view expected) {
  return NoAnswer(why, expected, kConfigSource,
                  Fix()
                      .Do("find the configuration file: ksmbd.mountd takes another one by its option --config")
                      .CheckBy("grep -rn 'multi channel' /etc/ksmbd"));
}

Verdict JudgeSmbMultichannel(const HostView& view) {
  constexpr std::string_view kExpected = "server multi channel support = yes";
  if (auto gap = RoleGap(view.host, view.profile, Role::kSmbServer, kExpected, kConfigSource)) return *gap;
  const Fact<KsmbdConfig>& config = view.host.ksmbd;
  if (!config) return NoConfig(config.missing(), kExpected);
  const bool on = config->multichannel.value_or(false);
  const std::string observed = on                     ? std::string(kExpected)
                               : config->multichannel ? std::string("server multi channel support = no")
                                                      : Cat("not set in ", config->path, ", which means no");
  return Judged(on, observed, kExpected, kConfigSource);
}

// ksmbd-tools: what demands it of every client, beside what only offers it.
bool Demands(std::string_view value) {
  constexpr std::array<std::string_view, 7> kDemanding{"mandatory", "required", "yes",    "true",
                                                       "1",         "enable",   "enabled"};
  return std::ranges::find(kDemanding, value) != kDemanding.end();
}
bool DemandsSigning(std::string_view value) { return value == "mandatory" || value == "required"; }

Verdict JudgeSmbSigning(const HostView& view) {
  constexpr std::string_view kExpected = "neither signing nor encryption demanded of every client";
  if (auto gap = RoleGap(view.host, view.profile, Role::kSmbServer, kExpected, kConfigSource)) return *gap;
  const Fact<KsmbdConfig>& config = view.host.ksmbd;
  if (!config) return NoConfig(config.missing(), kExpected);
  std::string observed;
  if (DemandsSigning(config->signing)) observed = Cat("server signing = ", config->signing);
  if (Demands(config->encryption))
    observed += Cat(observed.empty() ? "" : ", ", "smb3 encryption = ", config->encryption);
  const bool good = observed.empty();
  return Judged(good, good ? std::string("neither is demanded") : observed, kExpected, kConfigSource);
}

Verdict JudgeSmbTcp(const HostView& view) {
  constexpr std::string_view kExpected = "TCP port 445 open";
  constexpr std::string_view kSource = "/proc/net/tcp";
  if (auto gap = RoleGap(view.host, view.profile, Role::kSmbServer, kExpected, kSource)) return *gap;
  const Fact<std::vector<std::uint16_t>>& ports = view.host.tcp_listeners;
  if (!ports) return NoAnswer(ports.missing(), kExpected, kSource);
  const bool open = std::ranges::find(*ports, std::uint16_t{445}) != ports->end();
  return Judged(open, open ? "TCP port 445 open" : "nobody listens on TCP port 445", kExpected, kSource);
}

bool HasTransport(const Facts& host, bool iwarp) {
  return std::ranges::any_of(*host.ports, [iwarp](const Port& port) {
    return port.transport && *port.transport != Transport::kUnknown &&
           (*port.transport == Transport::kIwarp) == iwarp;
  });
}

const Port* UnknownTransport(const Facts& host) {
  const auto found = std::ranges::find_if(*host.ports, [](const Port& port) { return !port.transport; });
  return found == host.ports->end() ? nullptr : &*found;
}

Verdict JudgeSmbMixedTransports(const HostView& view) {
  constexpr std::string_view kExpected = "one of iWARP and RoCE, or Linux 7.0";
  constexpr std::string_view kSource = "RDMA netlink";
  if (auto gap = RoleGap(view.host, view.profile, Role::kSmbServer, kExpected, kSource)) return *gap;
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), kExpected, kSource);
  const bool iwarp = HasTransport(view.host, true);
  const bool other = HasTransport(view.host, false);
  if (iwarp && other) {
    const Fact<KernelVersion> version = VersionOf(view.host.kernel);
    if (!version) return NoAnswer(version.missing(), kExpected, kSource);
    const bool split = *version >= KernelVersion{7, 0};
    return Judged(split, Cat("iWARP and RoCE or InfiniBand on Linux ", version->major, ".", version->minor),
                  kExpected, kSource);
  }
  if (const Port* port = UnknownTransport(view.host))
    return NoAnswer(port->transport.missing(), kExpected, kSource);
  return Judged(true, iwarp ? "iWARP only" : "no iWARP", kExpected, kSource);
}

// Upstream releases; a distribution may have mended its own. [from, to) are those with the fault.
struct KnownFault {
  KernelVersion from;
  KernelVersion to;
  bool iwarp_only;
  std::string_view what;
};

constexpr std::array<KnownFault, 3> kFaults{{
    {{0, 0}, {5, 15}, false, "no SMB Direct in its server, and an early one in its client"},
    {{5, 15}, {6, 1}, true, "SMB Direct asks for 8 scatter-gather elements, which iWARP devices may not have"},
    {{6, 3}, {6, 6}, false, "the client's direct reads and writes were broken by a rewrite"},
}};

// Fixed upstream in this release, and taken over into stable ones and by distributions: not by number.
constexpr KernelVersion kCreditsMended{7, 0};

bool HasFault(const KnownFault& fault, const KernelVersion& version, bool iwarp) {
  return version >= fault.from && version < fault.to && (iwarp || !fault.iwarp_only);
}

// Of a release whose number tells of no fault.
Verdict NoneTold(const KernelVersion& version, std::string_view expected, std::string_view source) {
  const std::string name = Cat("Linux ", version.major, ".", version.minor);
  if (version >= kCreditsMended) return Judged(true, Cat(name, ": none known"), expected, source);
  return {
      .observed = Cat(name,
                      ": connections may run out of credits (fixed in 7.0 and in some older releases: the "
                      "version does not tell)"),
      .expected = std::string(expected),
      .source = std::string(source),
      .fix = Fix()
                 .Do("ask the distribution whether this kernel has the SMB Direct credit repairs of Linux 7.0")
                 .Do("test it: rdmaready check --level share --share //SERVER/SHARE --credentials FILE")
                 .CheckBy("uname -r")};
}

Verdict JudgeSmbKernel(const HostView& view) {
  const RoleAnswer role = SmbRoleOf(view.host, view.profile);
  if (!role.not_applicable.empty()) return NotApplicable(role.not_applicable);
  constexpr std::string_view kExpected = "a kernel without known faults of SMB Direct";
  constexpr std::string_view kSource = "kernel release";
  if (role.unknown) return NoAnswer(*role.unknown, kExpected, kModulesSource);
  const Fact<KernelVersion> version = VersionOf(view.host.kernel);
  if (!version) return NoAnswer(version.missing(), kExpected, kSource);
  const std::string name = Cat("Linux ", version->major, ".", version->minor);
  const auto fault =
      std::ranges::find_if(kFaults, [&](const KnownFault& one) { return HasFault(one, *version, true); });
  if (fault == kFaults.end()) return NoneTold(*version, kExpected, kSource);
  if (fault->iwarp_only) {
    if (!view.host.ports) return NoAnswer(view.host.ports.missing(), kExpected, kSource);
    const Port* port = UnknownTransport(view.host);
    if (!HasTransport(view.host, true) && port != nullptr)
      return NoAnswer(port->transport.missing(), kExpected, kSource);
    if (!HasTransport(view.host, true)) return NoneTold(*version, kExpected, kSource);
  }
  return Judged(false, Cat(name, ": ", fault->what), kExpected, kSource);
}

}  // namespace

std::vector<Check> SmbChecks() {
  return {
      {.id = "smb.client-built-in",
       .title = "The kernel's SMB client was built with SMB Direct",
       .why =
           "Without it mount -o rdma fails, and SMB stays on TCP; Debian's kernels, for one, are built without",
       .fix = Fix()
                  .Because("the kernel was built without CONFIG_CIFS_SMB_DIRECT", Certainty::kCertain)
                  .Do("boot a kernel with CONFIG_CIFS_SMB_DIRECT=y: it needs CIFS and InfiniBand both built "
                      "in, or "
                      "both as modules")
                  .CheckBy("grep SMB_DIRECT /boot/config-$(uname -r)"),
       .blocks_for = &kDemandsSmbClient,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSmbClientBuiltIn},
      {.id = "smb.server-built-in",
       .title = "The kernel's SMB server was built with SMB Direct",
       .why = "Without it ksmbd offers no RDMA interface to its clients, and says nothing about it",
       .fix = Fix()
                  .Because("the kernel was built without CONFIG_SMB_SERVER_SMBDIRECT", Certainty::kCertain)
                  .Do("boot a kernel with CONFIG_SMB_SERVER_SMBDIRECT=y")
                  .CheckBy("grep SMBDIRECT /boot/config-$(uname -r)"),
       .blocks_for = &kDemandsSmbServer,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSmbServerBuiltIn},
      {.id = "smb.multichannel",
       .title = "The SMB server offers multichannel",
       .why = "Windows clients begin on TCP and learn of RDMA by multichannel alone: without it they never use "
              "RDMA",
       .fix =
           Fix("sed -i '/server multi channel support/d; /^\\[global\\]/a server multi channel support = yes' "
               "/etc/ksmbd/ksmbd.conf && systemctl restart ksmbd")
               .Caution("the restart ends all sessions of the server")
               .Do("mount the shares again on the clients")
               .CheckBy("grep -n 'multi channel' /etc/ksmbd/ksmbd.conf"),
       .blocks_for = &kDemandsSmbServer,
       .depends_on = {"inv.rdma-present"},  // a server built without SMB Direct has to be told of both
       .judge = JudgeSmbMultichannel},
      {.id = "smb.signing",
       .title = "The SMB server lets clients place data directly",
       .why = "Linux clients turn RDMA reads and writes off for signed or encrypted connections: data then "
              "goes in "
              "small messages, and costs CPU",
       .fix = Fix()
                  .Caution("without signing and encryption the network can read and change the data")
                  .Do("remove the demand from ksmbd.conf, if the storage network is trusted")
                  .Do("restart ksmbd: all sessions of the server end")
                  .CheckBy("grep -nE 'signing|encryption' /etc/ksmbd/ksmbd.conf"),
       .depends_on = {"inv.rdma-present"},
       .read_with = {"smb.server-built-in"},
       .judge = JudgeSmbSigning},
      {.id = "smb.tcp",
       .title = "The SMB server listens on TCP port 445 too",
       .why = "Windows clients connect by TCP first, and ask there for RDMA",
       .fix = Fix("systemctl restart ksmbd")
                  .Caution("the restart ends all sessions of the server")
                  .CheckBy("ss -ltn sport = 445"),
       .blocks_for = &kDemandsSmbServer,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSmbTcp},
      {.id = "smb.mixed-transports",
       .title = "The SMB server's RDMA devices agree on one port",
       .why = "Before Linux 7.0 ksmbd has one RDMA port for the whole host: with an iWARP device that is 5445, "
              "where "
              "Windows does not look for a RoCE device",
       .fix = Fix()
                  .Do("unload the driver of the transport that storage does not use")
                  .Do("restart ksmbd: all sessions of the server end")
                  .Or("use Linux 7.0 or later, which has a port for each transport")
                  .CheckBy("rdma link show"),
       .depends_on = {"inv.rdma-present"},
       .read_with = {"smb.server-built-in"},
       .judge = JudgeSmbMixedTransports},
      {.id = "smb.kernel",
       .title = "The kernel has no known fault of SMB Direct",
       .why = "Some releases refuse devices, or break direct reads and writes",
       .fix = Fix()
                  .Do("use a newer kernel")
                  .Or("ask the distribution: its older kernel may have the repair, and its number does not "
                      "show that")
                  .CheckBy("uname -r"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSmbKernel},
  };
}

}  // namespace rdmaready
