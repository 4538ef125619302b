// SPDX-License-Identifier: Apache-2.0
#include "agent/access/identity.h"

#include <fmt/format.h>

namespace rdmaready::access {
namespace {

constexpr char kRefused[] = "refused: ";

// The line that such a file needs; empty where the certificate has no name that it can hold.
std::string RoleLine(const Identity& caller, std::string_view role) {
  if (!caller.who.starts_with("DNS:") && !caller.who.starts_with("URI:")) return {};
  return fmt::format(" with the line {}: [\"{}\"]", role, caller.who);
}

std::string WhatToDo(const Identity& caller, Role needed) {
  const std::string_view role = RoleName(needed);
  switch (caller.way) {
    case Way::kLocalSocket:
      if (needed == Role::kStress) return "ask with TLS: no local socket has that role";
      if (needed == Role::kProve || needed == Role::kApply)
        return fmt::format("ask as root, by the socket {}.sock", role);
      return fmt::format("ask by the socket {0}.sock, as a member of the group rdmaready-{0} or as root", role);
    case Way::kTls:
      if (caller.mapped)
        return fmt::format(
            "the administrator of that host gives a name of your certificate the role {} in the agent's role "
            "map (--roles)",
            role);
      return "the agent has no role map: its administrator makes one (--roles)" + RoleLine(caller, role);
    case Way::kPlainTcp:
      if (needed == Role::kStress) return "ask with TLS: plain TCP never has that role";
      return fmt::format(
          "ask on that host by its local sockets, or with TLS; or start that agent with --plain-role {0} "
          "(`plain_role: {0}` in its agent.yaml)",
          role);
    case Way::kInProcess:
    case Way::kSchedule:
    case Way::kUnknown:
      break;
  }
  return "ask by one of the agent's local sockets";
}

}  // namespace

std::string_view WayName(Way way) {
  switch (way) {
    case Way::kUnknown:
      return "an unknown way";
    case Way::kLocalSocket:
      return "local socket";
    case Way::kTls:
      return "TLS";
    case Way::kPlainTcp:
      return "plain TCP";
    case Way::kInProcess:
      return "in process";
    case Way::kSchedule:
      return "schedule";
  }
  return "an unknown way";
}

absl::Status Refusal(const Identity& caller, const AskRow& row) {
  const std::string what =
      row.argument.empty() ? std::string(row.rpc) : fmt::format("{} ({})", row.rpc, row.argument);
  const std::string way =
      caller.way == Way::kLocalSocket ? "the socket " + caller.door : std::string(WayName(caller.way));
  return absl::PermissionDeniedError(fmt::format(
      "{}{} needs the role {}, and {} by {} has {}; {}", kRefused, what, RoleName(row.role),
      caller.who.empty() ? "an unknown caller" : caller.who, way,
      caller.roles.empty() ? "no role" : "the role " + std::string(RoleName(HighestRole(caller.roles))),
      WhatToDo(caller, row.role)));
}

bool IsRefusal(const absl::Status& status) {
  return absl::IsPermissionDenied(status) && status.message().substr(0, sizeof(kRefused) - 1) == kRefused;
}

}  // namespace rdmaready::access
