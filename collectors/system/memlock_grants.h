// SPDX-License-Identifier: Apache-2.0
// How much memory those may lock who use RDMA in user space: by systemd's units and by PAM's limits. The
// kernel's own users of RDMA (SMB, NVMe, iSER, NFS) have no such limit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// As systemd.exec(5) writes a limit, "SOFT" or "SOFT:HARD": "infinity", "64K", "8M". The soft one, in bytes.
std::optional<std::uint64_t> DecodeUnitLimit(std::string_view text);

// The limit that limits.conf(5) gives to a domain of "memlock", in bytes: to everybody ("*"), or to a group
// ("@rdma"). Nothing where it does not say.
std::optional<std::uint64_t> DecodePamMemlock(std::span<const std::string> lines,
                                              std::string_view domain = "*");

// The limits of units that are there, of logins, and of logins in the group rdma where a file names it. A limit
// that no file names is systemd's own: 8 MiB, as its commented configuration says. Empty: no file says a limit.
Fact<std::vector<MemlockGrant>> ReadMemlockGrants(HostReader& host);

}  // namespace rdmaready
