// SPDX-License-Identifier: Apache-2.0
#include "api/profile/profile_proto.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace rdmaready {
namespace {

v1::Profile::Transport ToWire(Profile::Transport transport) {
  switch (transport) {
    case Profile::Transport::kAny:
      return v1::Profile::TRANSPORT_ANY;
    case Profile::Transport::kRoceV2:
      return v1::Profile::TRANSPORT_ROCE_V2;
    case Profile::Transport::kIwarp:
      return v1::Profile::TRANSPORT_IWARP;
    case Profile::Transport::kInfiniBand:
      return v1::Profile::TRANSPORT_INFINIBAND;
  }
  return v1::Profile::TRANSPORT_ANY;
}

v1::Profile::Trust ToWire(Profile::Trust trust) {
  switch (trust) {
    case Profile::Trust::kAny:
      return v1::Profile::TRUST_ANY;
    case Profile::Trust::kDscp:
      return v1::Profile::TRUST_DSCP;
    case Profile::Trust::kPcp:
      return v1::Profile::TRUST_PCP;
  }
  return v1::Profile::TRUST_ANY;
}

v1::Profile::Dcbx ToWire(Profile::Dcbx dcbx) {
  switch (dcbx) {
    case Profile::Dcbx::kAny:
      return v1::Profile::DCBX_ANY;
    case Profile::Dcbx::kStatic:
      return v1::Profile::DCBX_STATIC;
  }
  return v1::Profile::DCBX_ANY;
}

// Of a message that FindProblem passed: any other number is not met here.
Profile::Transport FromWire(v1::Profile::Transport transport) {
  if (transport == v1::Profile::TRANSPORT_ROCE_V2) return Profile::Transport::kRoceV2;
  if (transport == v1::Profile::TRANSPORT_IWARP) return Profile::Transport::kIwarp;
  if (transport == v1::Profile::TRANSPORT_INFINIBAND) return Profile::Transport::kInfiniBand;
  return Profile::Transport::kAny;
}

Profile::Trust FromWire(v1::Profile::Trust trust) {
  if (trust == v1::Profile::TRUST_DSCP) return Profile::Trust::kDscp;
  if (trust == v1::Profile::TRUST_PCP) return Profile::Trust::kPcp;
  return Profile::Trust::kAny;
}

v1::Profile::Vlan ToWire(Profile::Vlan vlan) {
  switch (vlan) {
    case Profile::Vlan::kAny:
      return v1::Profile::VLAN_ANY;
    case Profile::Vlan::kTagged:
      return v1::Profile::VLAN_TAGGED;
  }
  return v1::Profile::VLAN_ANY;
}

// The two have the same numbers (held by the round trip test).
v1::Profile::Role ToWire(Profile::Role role) { return static_cast<v1::Profile::Role>(role); }

ProfileProblem OutOfRange(std::string field, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  return {.field = std::move(field),
          .text = std::to_string(value) + " is not in " + std::to_string(low) + ".." + std::to_string(high)};
}

std::optional<ProfileProblem> CheckText(const v1::Profile& message) {
  constexpr std::size_t kLongestName = 64;
  constexpr std::size_t kLongestSummary = 256;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  if (message.name().empty()) return ProfileProblem{"name", "a profile needs a name"};
  if (message.name().size() > kLongestName || !std::ranges::all_of(message.name(), plain)) {
    return ProfileProblem{"name", "a name is at most 64 of a-z 0-9 - . _"};
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (message.summary().size() > kLongestSummary || std::ranges::any_of(message.summary(), control)) {
    return ProfileProblem{"summary", "a summary is one line of at most 256 bytes"};
  }
  return std::nullopt;
}

std::optional<ProfileProblem> CheckEnums(const v1::Profile& message) {
  if (!v1::Profile::Transport_IsValid(message.transport()))
    return ProfileProblem{"transport", "a value from a newer version"};
  if (!v1::Profile::Trust_IsValid(message.trust()))
    return ProfileProblem{"trust", "a value from a newer version"};
  if (!v1::Profile::Dcbx_IsValid(message.dcbx())) return ProfileProblem{"dcbx", "a value from a newer version"};
  if (!v1::Profile::Vlan_IsValid(message.vlan())) return ProfileProblem{"vlan", "a value from a newer version"};
  return std::nullopt;
}

std::optional<ProfileProblem> CheckRanges(const v1::Profile& message) {
  struct Range {
    std::string_view field;
    bool present;
    std::uint64_t value;
    std::uint64_t low;
    std::uint64_t high;
  };
  const v1::Profile::Heartbeat& heartbeat = message.heartbeat();
  const std::array<Range, 13> ranges{{
      {"rdma_priority", message.has_rdma_priority(), message.rdma_priority(), 0, 7},
      {"dscp", message.has_dscp(), message.dscp(), 0, 63},
      {"tos", message.has_tos(), message.tos(), 0, 255},
      {"ets.rdma_percent", message.has_ets(), message.ets().rdma_percent(), 0, 100},
      {"ets.tolerance_percent", message.has_ets() && message.ets().has_tolerance_percent(),
       message.ets().tolerance_percent(), 0, 100},
      {"mtu_bytes", message.has_mtu_bytes(), message.mtu_bytes(), 576, 65535},
      {"min_speed_mbps", message.has_min_speed_mbps(), message.min_speed_mbps(), 1, 10'000'000},
      {"heartbeat.priority", message.has_heartbeat(), heartbeat.priority(), 0, 7},
      {"heartbeat.percent", heartbeat.has_percent(), heartbeat.percent(), 1, 99},
      {"heartbeat.percent_up_to_10g", heartbeat.has_percent_up_to_10g(), heartbeat.percent_up_to_10g(), 1, 99},
      {"cnp.dscp", message.has_cnp(), message.cnp().dscp(), 0, 63},
      {"cnp.priority", message.cnp().has_priority(), message.cnp().priority(), 0, 7},
      {"min_ports", message.has_min_ports(), message.min_ports(), 1, 64},
  }};
  for (const Range& range : ranges) {
    if (range.present && (range.value < range.low || range.value > range.high)) {
      return OutOfRange(std::string(range.field), range.value, range.low, range.high);
    }
  }
  if (message.has_roce_mtu_bytes()) {
    constexpr std::array<std::uint32_t, 5> kRoceMtus{256, 512, 1024, 2048, 4096};
    if (std::ranges::find(kRoceMtus, message.roce_mtu_bytes()) == kRoceMtus.end()) {
      return ProfileProblem{"roce_mtu_bytes",
                            std::to_string(message.roce_mtu_bytes()) + " is not 256, 512, 1024, 2048 or 4096"};
    }
  }
  return std::nullopt;
}

std::optional<ProfileProblem> CheckPfc(const v1::Profile& message) {
  if (!message.has_pfc()) return std::nullopt;
  unsigned seen = 0;
  for (const std::uint32_t priority : message.pfc().priorities()) {
    if (priority > 7) return OutOfRange("pfc", priority, 0, 7);
    if ((seen >> priority & 1U) != 0)
      return ProfileProblem{"pfc", "priority " + std::to_string(priority) + " is there twice"};
    seen |= 1U << priority;
  }
  if (seen == 0) return std::nullopt;
  if (!message.has_rdma_priority()) return ProfileProblem{"pfc", "a lossless priority without rdma_priority"};
  if ((seen >> message.rdma_priority() & 1U) == 0) {
    return ProfileProblem{"pfc",
                          "rdma_priority " + std::to_string(message.rdma_priority()) + " is not among them"};
  }
  return std::nullopt;
}

std::optional<ProfileProblem> CheckTogether(const v1::Profile& message) {
  if (message.has_dscp() && message.has_tos() && message.tos() >> 2 != message.dscp()) {
    return ProfileProblem{"tos", std::to_string(message.tos()) + " carries DSCP " +
                                     std::to_string(message.tos() >> 2) + ", and dscp is " +
                                     std::to_string(message.dscp())};
  }
  if (message.has_dscp() && !message.has_rdma_priority())
    return ProfileProblem{"dscp", "a dscp without rdma_priority"};
  if (message.trust() == v1::Profile::TRUST_DSCP && !message.has_dscp())
    return ProfileProblem{"trust", "trust dscp without a dscp"};
  if (message.has_ets() && !message.has_rdma_priority())
    return ProfileProblem{"ets", "a share for RDMA without rdma_priority"};
  if (message.has_ets() && message.rdma_priority() == 0) {
    return ProfileProblem{"ets", "a share for RDMA, and rdma_priority 0 is everybody's"};
  }
  if (message.has_mtu_bytes() && message.has_roce_mtu_bytes() &&
      message.roce_mtu_bytes() >= message.mtu_bytes()) {
    return ProfileProblem{"roce_mtu_bytes",
                          "does not fit into mtu_bytes " + std::to_string(message.mtu_bytes())};
  }
  return std::nullopt;
}

std::optional<ProfileProblem> CheckHeartbeat(const v1::Profile& message) {
  if (!message.has_heartbeat()) return std::nullopt;
  const v1::Profile::Heartbeat& heartbeat = message.heartbeat();
  const std::string priority = "priority " + std::to_string(heartbeat.priority());
  const auto is_it = [&heartbeat](std::uint32_t lossless) { return lossless == heartbeat.priority(); };
  if (message.has_rdma_priority() && message.rdma_priority() == heartbeat.priority())
    return ProfileProblem{"heartbeat.priority", priority + " is RDMA's"};
  if (std::ranges::any_of(message.pfc().priorities(), is_it))
    return ProfileProblem{"heartbeat.priority", priority + " is paused by pfc"};
  if (!heartbeat.has_percent()) {
    if (!heartbeat.has_percent_up_to_10g()) return std::nullopt;
    return ProfileProblem{"heartbeat.percent_up_to_10g", "without percent"};
  }
  if (!message.has_ets()) return ProfileProblem{"heartbeat.percent", "a share without ets"};
  const std::uint32_t most = std::max(heartbeat.percent(), heartbeat.percent_up_to_10g());
  if (most + message.ets().rdma_percent() >= 100)
    return ProfileProblem{"heartbeat.percent", "with ets.rdma_percent it leaves nothing for other traffic"};
  return std::nullopt;
}

std::optional<ProfileProblem> CheckCnp(const v1::Profile& message) {
  if (!message.has_cnp()) return std::nullopt;
  const v1::Profile::Cnp& cnp = message.cnp();
  if (message.has_dscp() && message.dscp() == cnp.dscp())
    return ProfileProblem{"cnp.dscp", std::to_string(cnp.dscp()) + " is RDMA's"};
  const auto is_it = [&cnp](std::uint32_t lossless) {
    return cnp.has_priority() && lossless == cnp.priority();
  };
  if (std::ranges::any_of(message.pfc().priorities(), is_it))
    return ProfileProblem{"cnp.priority", std::to_string(cnp.priority()) + " is paused by pfc"};
  return std::nullopt;
}

std::optional<ProfileProblem> CheckVlanIds(const v1::Profile& message) {
  if (!message.has_vlan_ids()) return std::nullopt;
  constexpr std::uint32_t kHighest = 4094;
  std::vector<std::uint32_t> seen;
  for (const std::uint32_t id : message.vlan_ids().ids()) {
    if (id < 1 || id > kHighest) return OutOfRange("vlan_ids", id, 1, kHighest);
    if (std::ranges::find(seen, id) != seen.end())
      return ProfileProblem{"vlan_ids", "VLAN " + std::to_string(id) + " is there twice"};
    seen.push_back(id);
  }
  if (seen.empty()) return ProfileProblem{"vlan_ids", "an empty list"};
  if (message.vlan() != v1::Profile::VLAN_TAGGED) return ProfileProblem{"vlan_ids", "without vlan tagged"};
  return std::nullopt;
}

std::optional<ProfileProblem> CheckRoles(const v1::Profile& message) {
  if (!message.has_roles()) return std::nullopt;
  std::vector<int> seen;
  for (const int role : message.roles().roles()) {
    if (role == v1::Profile::ROLE_UNKNOWN || !v1::Profile::Role_IsValid(role))
      return ProfileProblem{"roles", "a value from a newer version"};
    if (std::ranges::find(seen, role) != seen.end()) return ProfileProblem{"roles", "a role is there twice"};
    seen.push_back(role);
  }
  if (seen.empty()) return ProfileProblem{"roles", "an empty list"};
  return std::nullopt;
}

std::uint8_t Byte(std::uint32_t value) { return static_cast<std::uint8_t>(value); }

void AddParts(const Profile& profile, v1::Profile& message) {
  if (profile.heartbeat) {
    v1::Profile::Heartbeat& heartbeat = *message.mutable_heartbeat();
    heartbeat.set_priority(profile.heartbeat->priority);
    if (profile.heartbeat->percent) heartbeat.set_percent(*profile.heartbeat->percent);
    if (profile.heartbeat->percent_up_to_10g)
      heartbeat.set_percent_up_to_10g(*profile.heartbeat->percent_up_to_10g);
  }
  if (profile.cnp) {
    message.mutable_cnp()->set_dscp(profile.cnp->dscp);
    if (profile.cnp->priority) message.mutable_cnp()->set_priority(*profile.cnp->priority);
  }
  if (profile.vlan_ids) {
    message.mutable_vlan_ids();
    for (const std::uint16_t id : *profile.vlan_ids) message.mutable_vlan_ids()->add_ids(id);
  }
  if (profile.min_ports) message.set_min_ports(*profile.min_ports);
  if (profile.roles) {
    message.mutable_roles();
    for (const Profile::Role role : *profile.roles) message.mutable_roles()->add_roles(ToWire(role));
  }
}

void TakeParts(const v1::Profile& message, Profile& profile) {
  if (message.has_heartbeat()) {
    const v1::Profile::Heartbeat& from = message.heartbeat();
    Profile::Heartbeat& heartbeat = profile.heartbeat.emplace();
    heartbeat.priority = Byte(from.priority());
    if (from.has_percent()) heartbeat.percent = Byte(from.percent());
    if (from.has_percent_up_to_10g()) heartbeat.percent_up_to_10g = Byte(from.percent_up_to_10g());
  }
  if (message.has_cnp()) {
    profile.cnp.emplace().dscp = Byte(message.cnp().dscp());
    if (message.cnp().has_priority()) profile.cnp->priority = Byte(message.cnp().priority());
  }
  if (message.has_vlan_ids()) {
    profile.vlan_ids.emplace();
    for (const std::uint32_t id : message.vlan_ids().ids())
      profile.vlan_ids->push_back(static_cast<std::uint16_t>(id));
  }
  if (message.has_min_ports()) profile.min_ports = Byte(message.min_ports());
  if (message.has_roles()) {
    profile.roles.emplace();
    for (const int role : message.roles().roles()) profile.roles->push_back(static_cast<Profile::Role>(role));
  }
}

}  // namespace

std::optional<ProfileProblem> FindProblem(const v1::Profile& message) {
  for (const auto check : {CheckText, CheckEnums, CheckRanges, CheckPfc, CheckTogether, CheckHeartbeat,
                           CheckCnp, CheckVlanIds, CheckRoles}) {
    if (std::optional<ProfileProblem> problem = check(message)) return problem;
  }
  return std::nullopt;
}

v1::Profile ToProto(const Profile& profile) {
  v1::Profile message;
  message.set_name(profile.name);
  message.set_summary(profile.summary);
  message.set_digest(profile.digest);
  message.set_transport(ToWire(profile.transport));
  message.set_trust(ToWire(profile.trust));
  message.set_dcbx(ToWire(profile.dcbx));
  if (profile.rdma_priority) message.set_rdma_priority(*profile.rdma_priority);
  if (profile.dscp) message.set_dscp(*profile.dscp);
  if (profile.tos) message.set_tos(*profile.tos);
  if (profile.pfc) {
    message.mutable_pfc();
    for (const std::uint8_t priority : *profile.pfc) message.mutable_pfc()->add_priorities(priority);
  }
  if (profile.ets_rdma_percent) {
    message.mutable_ets()->set_rdma_percent(*profile.ets_rdma_percent);
    message.mutable_ets()->set_tolerance_percent(profile.ets_tolerance_percent);
  }
  if (profile.mtu_bytes) message.set_mtu_bytes(*profile.mtu_bytes);
  if (profile.roce_mtu_bytes) message.set_roce_mtu_bytes(*profile.roce_mtu_bytes);
  if (profile.min_speed_mbps) message.set_min_speed_mbps(*profile.min_speed_mbps);
  if (profile.min_memlock_bytes) message.set_min_memlock_bytes(*profile.min_memlock_bytes);
  message.set_vlan(ToWire(profile.vlan));
  AddParts(profile, message);
  return message;
}

absl::StatusOr<Profile> FromProto(const v1::Profile& message) {
  if (const std::optional<ProfileProblem> problem = FindProblem(message)) {
    return absl::InvalidArgumentError("profile field " + problem->field + ": " + problem->text);
  }
  Profile profile;
  profile.name = message.name();
  profile.summary = message.summary();
  profile.digest = message.digest();
  profile.transport = FromWire(message.transport());
  profile.trust = FromWire(message.trust());
  profile.dcbx = message.dcbx() == v1::Profile::DCBX_STATIC ? Profile::Dcbx::kStatic : Profile::Dcbx::kAny;
  if (message.has_rdma_priority()) profile.rdma_priority = Byte(message.rdma_priority());
  if (message.has_dscp()) profile.dscp = Byte(message.dscp());
  if (message.has_tos()) profile.tos = Byte(message.tos());
  if (message.has_pfc()) {
    profile.pfc.emplace();
    for (const std::uint32_t priority : message.pfc().priorities()) profile.pfc->push_back(Byte(priority));
  }
  if (message.has_ets()) {
    profile.ets_rdma_percent = Byte(message.ets().rdma_percent());
    if (message.ets().has_tolerance_percent())
      profile.ets_tolerance_percent = Byte(message.ets().tolerance_percent());
  }
  if (message.has_mtu_bytes()) profile.mtu_bytes = message.mtu_bytes();
  if (message.has_roce_mtu_bytes()) profile.roce_mtu_bytes = message.roce_mtu_bytes();
  if (message.has_min_speed_mbps()) profile.min_speed_mbps = message.min_speed_mbps();
  if (message.has_min_memlock_bytes()) profile.min_memlock_bytes = message.min_memlock_bytes();
  profile.vlan = message.vlan() == v1::Profile::VLAN_TAGGED ? Profile::Vlan::kTagged : Profile::Vlan::kAny;
  TakeParts(message, profile);
  return profile;
}

}  // namespace rdmaready
