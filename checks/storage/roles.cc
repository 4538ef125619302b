// SPDX-License-Identifier: Apache-2.0
#include "checks/storage/roles.h"

#include <algorithm>

#include "api/base/number.h"
#include "api/model/recorded_gap.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Role = Profile::Role;

bool IsInUse(ModuleState state) { return state == ModuleState::kLoaded || state == ModuleState::kBuiltIn; }

RoleAnswer Yes() { return {}; }
bool IsYes(const RoleAnswer& answer) { return answer.not_applicable.empty() && !answer.unknown; }
RoleAnswer No(std::string why) { return {.not_applicable = std::move(why)}; }
RoleAnswer Unknown(Missing why) { return {.unknown = std::move(why)}; }

RoleAnswer ByModule(const Facts& host, std::string_view module) {
  const Fact<ModuleState> state = StateOf(host, module);
  if (!state) return Unknown(state.missing());
  return IsInUse(*state) ? Yes() : No(Cat(module, " is not loaded: no such server here"));
}

// The built-in profiles of a protocol ask for its clients, although they name no role.
bool IsMadeFor(const Profile& profile, Role role) {
  if (role == Role::kSmbClient) return profile.name.starts_with("smb-direct");
  return role == Role::kNvmeHost && profile.name.starts_with("nvme-roce");
}

// Distributions install the modules of all clients: only a module that is in use shows a client.
RoleAnswer ClientByModule(const Facts& host, const Profile& profile, std::string_view module, Role role) {
  const Fact<ModuleState> state = StateOf(host, module);
  if (!state) return Unknown(state.missing());
  if (IsInUse(*state)) return Yes();
  const bool installed = *state != ModuleState::kAbsent;
  if (installed && IsMadeFor(profile, role)) return Yes();
  const std::string here = installed ? Cat(module, " is not loaded") : Cat("no ", module, " here");
  return No(Cat(here, ", and the profile does not name the role ", Name(role)));
}

RoleAnswer SmbServer(const Facts& host) {
  if (host.ksmbd) return Yes();
  const RoleAnswer loaded = ByModule(host, "ksmbd");
  if (loaded.not_applicable.empty() || NotOffered(host.ksmbd)) return loaded;
  return Unknown(host.ksmbd.missing());  // not loaded, and whether it is configured is not known
}

RoleAnswer SmbClient(const Facts& host, const Profile& profile) {
  const Fact<ModuleState> cifs = StateOf(host, "cifs");
  if (cifs && IsInUse(*cifs)) return Yes();
  const RoleAnswer server = SmbServer(host);
  if (!server.not_applicable.empty()) return ClientByModule(host, profile, "cifs", Role::kSmbClient);
  if (server.unknown) return server;
  if (!cifs) return Unknown(cifs.missing());
  return No("an SMB server, and cifs is not loaded");
}

// An NFS server without rpcrdma is one over TCP, and means to be.
RoleAnswer NfsServer(const Facts& host) {
  RoleAnswer server = ByModule(host, "nfsd");
  return IsYes(server) ? ByModule(host, "rpcrdma") : server;
}

// MLNX_OFED and DOCA build some of these modules, where their installer is asked to, and none of SMB.
Fix OtherTreeFix(std::string_view name) {
  constexpr std::string_view kOwnCore =
      "remove the vendor's RDMA packages, so that the kernel's own core is used";
  const std::string check = Cat("modinfo -F filename ", name);
  Fix fix = Fix().Because("a module of one tree does not fit the RDMA core of another", Certainty::kCertain);
  std::string_view option;
  if (name.starts_with("nvme")) option = " (--with-nvmf of its installer)";
  if (name == "rpcrdma") option = " (--with-nfsrdma of its installer)";
  if (name == "cifs" || name == "ksmbd") return std::move(fix).Do(kOwnCore).CheckBy(check);
  return std::move(fix).Do(Cat("install the vendor's own build of ", name, option)).Or(kOwnCore).CheckBy(check);
}

// Every driver of an adapter is the kernel's own, as the core that they run on is then.
bool DriversAreKernels(const Facts& host) {
  if (!host.ports) return false;
  bool any = false;
  for (const Port& port : *host.ports) {
    if (IsSoftware(port)) continue;
    if (!port.out_of_tree || *port.out_of_tree) return false;
    any = true;
  }
  return any;
}

// A vendor's core lies on disk, and the kernel's own runs: no boot came since its packages were installed, or
// the boot image holds the kernel's.
Fix OldCoreFix(std::string_view name) {
  return Fix("dracut -f || update-initramfs -u")
      .Because("a vendor's RDMA core (OFED or DOCA) was installed, and the kernel's own still runs")
      .Caution("the vendor's drivers replace the kernel's at the next boot")
      .Do("reboot, so that the vendor's core runs")
      .Or("remove the vendor's RDMA packages, so that the kernel's own core is used")
      .CheckBy(Cat("modinfo -F filename ib_core ", name));
}

}  // namespace

bool AsksFor(const Profile& profile, Role role) {
  return profile.roles && std::ranges::find(*profile.roles, role) != profile.roles->end();
}

RoleAnswer RoleOf(const Facts& host, const Profile& profile, Role role) {
  if (AsksFor(profile, role)) return Yes();
  if (profile.roles) return No(NotAsked(profile, Cat("the role ", Name(role))));
  switch (role) {
    case Role::kSmbServer:
      return SmbServer(host);
    case Role::kSmbClient:
      return SmbClient(host, profile);
    case Role::kNvmeTarget:
      return ByModule(host, "nvmet_rdma");
    case Role::kIserTarget:
      return ByModule(host, "ib_isert");
    case Role::kNfsServer:
      return NfsServer(host);
    case Role::kNvmeHost:
      return ClientByModule(host, profile, "nvme_rdma", role);
    case Role::kIserInitiator:
      return ClientByModule(host, profile, "ib_iser", role);
    case Role::kNfsClient:
      return ClientByModule(host, profile, "rpcrdma", role);
    case Role::kUnknown:
      return Yes();
  }
  return Yes();
}

RoleAnswer SmbRoleOf(const Facts& host, const Profile& profile) {
  RoleAnswer client = RoleOf(host, profile, Role::kSmbClient);
  if (IsYes(client)) return client;
  RoleAnswer server = RoleOf(host, profile, Role::kSmbServer);
  return IsYes(server) || server.unknown ? server : client;
}

std::optional<Verdict> RoleGap(const Facts& host, const Profile& profile, Role role, std::string_view expected,
                               std::string_view source) {
  const RoleAnswer answer = RoleOf(host, profile, role);
  if (!answer.not_applicable.empty()) return NotApplicable(answer.not_applicable);
  if (!answer.unknown) return std::nullopt;
  return NoAnswer(*answer.unknown, expected, source);
}

Fact<KernelModule> ModuleOf(const Facts& host, std::string_view name) {
  if (!host.modules) return host.modules.missing();
  const auto found = std::ranges::find(*host.modules, name, &KernelModule::name);
  if (found != host.modules->end()) return *found;
  return Missing{Missing::Kind::kNotCollected, Cat("nothing was said of ", name)};
}

std::optional<Verdict> ForeignCore(const Facts& host, std::string_view name, std::string_view expected) {
  const Fact<KernelModule> module = ModuleOf(host, name);
  if (!module) return std::nullopt;
  const Fact<bool>& foreign = module->foreign_core;
  const bool unread = !foreign && (foreign.missing().kind == Missing::Kind::kDenied ||
                                   foreign.missing().kind == Missing::Kind::kFailed ||
                                   !RecordedGapOf(foreign.missing().detail).empty());
  if (unread) return NoAnswer(foreign.missing(), expected, kModulesSource);
  if (!foreign || !*foreign) return std::nullopt;
  if (DriversAreKernels(host)) {
    return Judged(false,
                  Cat(name,
                      " is not built for the RDMA core that runs, which is the kernel's own: it cannot be "
                      "loaded, or no longer after a boot"),
                  expected, kModulesSource, OldCoreFix(name));
  }
  return Judged(
      false,
      Cat(name, " is the kernel's own and the RDMA core is a vendor's (OFED or DOCA): it cannot be loaded"),
      expected, kModulesSource, OtherTreeFix(name));
}

Fact<ModuleState> StateOf(const Facts& host, std::string_view name) {
  const Fact<KernelModule> module = ModuleOf(host, name);
  if (!module) return module.missing();
  if (module->state && *module->state == ModuleState::kUnknown)
    return Missing{Missing::Kind::kFailed, Cat("the state of ", name, " is not known")};
  return module->state;
}

std::string StateText(std::string_view name, ModuleState state) {
  switch (state) {
    case ModuleState::kUnknown:
      return Cat(name, " in an unknown state");
    case ModuleState::kAbsent:
      return Cat("no ", name);
    case ModuleState::kInstalled:
      return Cat(name, " installed");
    case ModuleState::kBuiltIn:
      return Cat(name, " built in");
    case ModuleState::kLoaded:
      return Cat(name, " loaded");
  }
  return {};
}

Fact<KernelVersion> VersionOf(const Fact<Kernel>& kernel) {
  if (!kernel) return kernel.missing();
  std::string_view text = kernel->release;
  const auto major = TakeNumber<unsigned>(text);
  if (major && text.starts_with('.')) {
    text.remove_prefix(1);
    if (const auto minor = TakeNumber<unsigned>(text)) return KernelVersion{*major, *minor};
  }
  return Missing{Missing::Kind::kFailed, Cat("\"", kernel->release, "\" is no kernel release")};
}

}  // namespace rdmaready
