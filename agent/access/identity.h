// SPDX-License-Identifier: Apache-2.0
// Identity: who calls, by which way he came in, and which roles that gives him; nothing of it is the caller's
// own word.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "agent/access/role.h"
#include "agent/access/rows.h"

namespace rdmaready::access {

enum class Way {
  kUnknown = 0,  // nobody said: no role
  kLocalSocket,
  kTls,
  kPlainTcp,
  kInProcess,  // the command line's own agent
  kSchedule,   // the agent itself, of its own accord
};

// "local socket", "TLS", "plain TCP", "in process".
std::string_view WayName(Way way);

struct Identity {
  Way way = Way::kUnknown;
  RoleSet roles{};
  std::string who{};     // whose quota it is: "uid 1000", "URI:spiffe://example.org/anna", "address 10.0.0.7"
  std::string door{};    // "/run/rdmaready/test.sock", "ipv4:10.0.0.7:40112"
  std::string origin{};  // for logs, all of it: "uid 1000 pid 77 /run/rdmaready/test.sock"
  bool mapped = false;   // TLS: there is a role map
  // By a local socket: when the connection was made.
  std::chrono::steady_clock::time_point connected{};
};

// kPermissionDenied: what was asked, the role that it needs, the one that the caller has and why, and what to
// do.
absl::Status Refusal(const Identity& caller, const AskRow& row);
// Whether it is one of those.
bool IsRefusal(const absl::Status& status);

}  // namespace rdmaready::access
