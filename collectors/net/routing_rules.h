// SPDX-License-Identifier: Apache-2.0
// Rules of policy routing: rtnetlink GETRULE (linux/fib_rules.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// nullopt for one that every host has (the tables local, main and default, for all packets), and for one of
// another family than IP.
absl::StatusOr<std::optional<RoutingRule>> DecodeRule(std::span<const std::byte> payload);

// In the kernel's order: IPv4 and IPv6 each by priority.
Fact<std::vector<RoutingRule>> ReadRoutingRules(HostReader& host);

}  // namespace rdmaready
