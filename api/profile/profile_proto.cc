// SPDX-License-Identifier: Apache-2.0
#include "api/profile/profile_proto.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "api/profile/profile_problems.h"

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
v1::Profile::Tlv ToWire(Profile::LldpTlv tlv) { return static_cast<v1::Profile::Tlv>(tlv); }

std::uint8_t Byte(std::uint32_t value) { return static_cast<std::uint8_t>(value); }

// What is asked of the machines themselves.
void AddEquipment(const Profile& profile, v1::Profile& message) {
  for (const Profile::FirmwareFloor& floor : profile.firmware) {
    v1::Profile::Firmware& to = *message.add_firmware();
    to.set_driver(floor.driver);
    to.set_min(floor.min);
  }
  message.set_gpu_direct(profile.gpu_direct);
  message.set_multi_tenant(profile.multi_tenant);
  if (profile.rdma_max_rate_mbps) message.set_rdma_max_rate_mbps(*profile.rdma_max_rate_mbps);
  if (profile.cable_metres) message.set_cable_metres(*profile.cable_metres);
  if (profile.min_throughput_mbps) message.set_min_throughput_mbps(*profile.min_throughput_mbps);
  if (profile.max_latency_us) message.set_max_latency_us(*profile.max_latency_us);
  if (profile.pkeys) {
    message.mutable_pkeys();
    for (const std::uint16_t partition : *profile.pkeys) message.mutable_pkeys()->add_partitions(partition);
  }
  if (profile.lldp_tlvs) {
    message.mutable_lldp_tlvs();
    for (const Profile::LldpTlv tlv : *profile.lldp_tlvs) message.mutable_lldp_tlvs()->add_tlvs(ToWire(tlv));
  }
}

void TakeEquipment(const v1::Profile& message, Profile& profile) {
  for (const v1::Profile::Firmware& from : message.firmware())
    profile.firmware.push_back({.driver = from.driver(), .min = from.min()});
  profile.gpu_direct = message.gpu_direct();
  profile.multi_tenant = message.multi_tenant();
  if (message.has_rdma_max_rate_mbps()) profile.rdma_max_rate_mbps = message.rdma_max_rate_mbps();
  if (message.has_cable_metres()) profile.cable_metres = message.cable_metres();
  if (message.has_min_throughput_mbps()) profile.min_throughput_mbps = message.min_throughput_mbps();
  if (message.has_max_latency_us()) profile.max_latency_us = message.max_latency_us();
  if (message.has_pkeys()) {
    profile.pkeys.emplace();
    for (const std::uint32_t partition : message.pkeys().partitions())
      profile.pkeys->push_back(static_cast<std::uint16_t>(partition));
  }
  if (message.has_lldp_tlvs()) {
    profile.lldp_tlvs.emplace();
    for (const int tlv : message.lldp_tlvs().tlvs())
      profile.lldp_tlvs->push_back(static_cast<Profile::LldpTlv>(tlv));
  }
}

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
  for (const Profile::EtsClass& one : profile.ets_classes) {
    v1::Profile::TrafficClass& to = *message.mutable_ets()->add_classes();
    for (const std::uint8_t priority : one.priorities) to.add_priorities(priority);
    if (one.percent) to.set_percent(*one.percent);
    to.set_strict(!one.percent.has_value());
  }
  if (profile.ecn) {
    v1::Profile::Ecn& ecn = *message.mutable_ecn();
    if (profile.ecn->min_bytes) ecn.set_min_bytes(*profile.ecn->min_bytes);
    if (profile.ecn->max_bytes) ecn.set_max_bytes(*profile.ecn->max_bytes);
    if (profile.ecn->probability_percent) ecn.set_probability_percent(*profile.ecn->probability_percent);
  }
  message.set_share_priority(profile.share_priority);
  AddEquipment(profile, message);
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
  for (const v1::Profile::TrafficClass& from : message.ets().classes()) {
    Profile::EtsClass& one = profile.ets_classes.emplace_back();
    for (const std::uint32_t priority : from.priorities()) one.priorities.push_back(Byte(priority));
    if (from.has_percent()) one.percent = Byte(from.percent());
  }
  if (message.has_ecn()) {
    Profile::Ecn& ecn = profile.ecn.emplace();
    if (message.ecn().has_min_bytes()) ecn.min_bytes = message.ecn().min_bytes();
    if (message.ecn().has_max_bytes()) ecn.max_bytes = message.ecn().max_bytes();
    if (message.ecn().has_probability_percent())
      ecn.probability_percent = Byte(message.ecn().probability_percent());
  }
  profile.share_priority = message.share_priority();
  TakeEquipment(message, profile);
}

}  // namespace

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
    message.mutable_ets()->set_at_least(profile.ets_at_least);
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
    profile.ets_at_least = message.ets().at_least();
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
