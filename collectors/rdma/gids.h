// SPDX-License-Identifier: Apache-2.0
// GIDs and MTUs of a port, as libibverbs tells them.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/netdev.h"

namespace rdmaready {

// OK when ib_uverbs is there. To be asked before any Verbs function of the reader.
absl::Status VerbsThere(HostReader& host);

// The kernel gives type 0 to InfiniBand and to iWARP, and old ones give it to RoCE v1 too; so the type
// follows from the number together with the port's transport. kUnknown when they make no sense together.
GidType GidTypeOf(std::uint32_t verbs_type, const Fact<Transport>& transport);

// The filled slots of one port, by index. `table` is the whole device's. A slot's netdev is named only when the
// interface with its ifindex here and sysfs agree: the ifindex may belong to another network namespace.
Fact<std::vector<Gid>> ReadGids(HostReader& host, const Network& network, const std::string& device,
                                std::uint32_t port, const Fact<Transport>& transport,
                                const absl::StatusOr<std::vector<VerbsGid>>& table);

}  // namespace rdmaready
