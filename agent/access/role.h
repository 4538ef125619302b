// SPDX-License-Identifier: Apache-2.0
// Role: what a caller may ask of an agent.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rdmaready::access {

enum class Role : std::uint8_t {
  kNone = 0,  // nobody said which: not even what everybody who may look gets
  kObserve,   // read the host's state and history
  kTest,      // move data: live tests and probes
  kProve,     // make the host attach disks and mount shares
  kApply,     // have settings of the host changed
  kAgent,     // another agent: vouches for offers of transfers, asks nothing
  kStress,    // load switches that others share: nobody has it by another role
};

inline constexpr std::array kRoles = {Role::kObserve, Role::kTest,  Role::kProve,
                                      Role::kApply,   Role::kAgent, Role::kStress};

// As people write it: "observe"; "none".
constexpr std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kNone:
      return "none";
    case Role::kObserve:
      return "observe";
    case Role::kTest:
      return "test";
    case Role::kProve:
      return "prove";
    case Role::kApply:
      return "apply";
    case Role::kAgent:
      return "agent";
    case Role::kStress:
      return "stress";
  }
  return "none";
}

// kNone for a word that is no role.
constexpr Role RoleOfName(std::string_view name) {
  for (const Role role : kRoles) {
    if (RoleName(role) == name) return role;
  }
  return Role::kNone;
}

// The roles that one caller has. Apply includes prove, prove and stress include test, and test includes
// observe. An agent has nothing but its own role.
class RoleSet {
 public:
  constexpr RoleSet() = default;
  constexpr explicit RoleSet(Role role) { Add(role); }

  constexpr void Add(Role role) {
    bits_ |= Bit(role);
    if (role == Role::kApply) Add(Role::kProve);
    if (role == Role::kProve || role == Role::kStress) Add(Role::kTest);
    if (role == Role::kTest) Add(Role::kObserve);
  }
  // Of kNone: false.
  constexpr bool Has(Role role) const { return (bits_ & Bit(role)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const RoleSet&) const = default;

 private:
  static constexpr unsigned Bit(Role role) {
    return role == Role::kNone ? 0 : 1U << static_cast<unsigned>(role);
  }

  unsigned bits_ = 0;
};

// The role that says most of the set: "prove" where test and observe come with it.
constexpr Role HighestRole(RoleSet roles) {
  for (const Role role :
       {Role::kApply, Role::kProve, Role::kStress, Role::kTest, Role::kObserve, Role::kAgent}) {
    if (roles.Has(role)) return role;
  }
  return Role::kNone;
}

}  // namespace rdmaready::access
