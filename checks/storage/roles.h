// SPDX-License-Identifier: Apache-2.0
// Roles: what a host does with its RDMA, as the profile says, or, where it is silent, as the host itself shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/words/verdict.h"

namespace rdmaready {

inline constexpr std::string_view kModulesSource = "modules of the running kernel";
inline constexpr std::string_view kListenersSource = "RDMA netlink, identifiers of RDMA-CM";

// Whether a check for a role is about this host. Under a profile that names roles, those and no others. Else:
//  - the server of a protocol is a host whose kernel has the server's modules loaded (SMB: or configured);
//  - a client is a host that has the module of its protocol loaded or built in. A module on disk shows a client
//    only under the built-in profile of that protocol (smb-direct-*, nvme-roce).
struct RoleAnswer {
  std::string not_applicable{};      // why it has not the role; empty: it has, or that is not known
  std::optional<Missing> unknown{};  // why that is not known
};
RoleAnswer RoleOf(const Facts& host, const Profile& profile, Profile::Role role);

// That of an SMB client or of an SMB server, whichever the host has.
RoleAnswer SmbRoleOf(const Facts& host, const Profile& profile);

// Nothing where the host has the role. Else the verdict: not applicable, or unknown when that is not known.
std::optional<Verdict> RoleGap(const Facts& host, const Profile& profile, Profile::Role role,
                               std::string_view expected, std::string_view source);

bool AsksFor(const Profile& profile, Profile::Role role);

// An installed module that the kernel refuses to load, since the RDMA core is a vendor's: the verdict says so.
// Nothing where it can be loaded, or where that was not asked.
std::optional<Verdict> ForeignCore(const Facts& host, std::string_view name, std::string_view expected);

// The module of that name, or why nothing is known of it. `name` is one of kStorageModules.
Fact<KernelModule> ModuleOf(const Facts& host, std::string_view name);

// Its state: kUnknown is a gap too.
Fact<ModuleState> StateOf(const Facts& host, std::string_view name);

// "nvme_rdma loaded", "... installed", "... built in", "no nvme_rdma".
std::string StateText(std::string_view name, ModuleState state);

// The first two numbers of a release: "6.12.117+deb12-amd64" is 6.12.
struct KernelVersion {
  unsigned major = 0;
  unsigned minor = 0;

  auto operator<=>(const KernelVersion&) const = default;
};
Fact<KernelVersion> VersionOf(const Fact<Kernel>& kernel);

}  // namespace rdmaready
