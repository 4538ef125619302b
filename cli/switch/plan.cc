// SPDX-License-Identifier: Apache-2.0
#include "cli/switch/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/status/status.h"
#include "checks/plan/profile_classes.h"
#include "cli/switch/side.h"

namespace rdmaready {
namespace {

Purpose PurposeOf(const Profile& profile, const std::vector<std::uint8_t>& priorities) {
  const auto holds = [&priorities](std::optional<std::uint8_t> priority) {
    return priority && std::ranges::find(priorities, *priority) != priorities.end();
  };
  if (holds(profile.rdma_priority)) return Purpose::kRdma;
  if (holds(0)) return Purpose::kDefault;
  if (profile.heartbeat && holds(profile.heartbeat->priority)) return Purpose::kHeartbeat;
  if (profile.cnp && holds(profile.cnp->priority)) return Purpose::kCnp;
  return Purpose::kOther;
}

SwitchClass MakeClass(const Profile& profile, const Profile::EtsClass& from, bool shares) {
  SwitchClass one{.priorities = from.priorities, .percent = from.percent};
  std::ranges::sort(one.priorities);
  one.purpose = PurposeOf(profile, one.priorities);
  one.queue = one.purpose == Purpose::kRdma ? *profile.rdma_priority : one.priorities.front();
  one.strict = shares && !from.percent;
  return one;
}

void PlanClassification(const Profile& profile, SwitchPlan& plan) {
  plan.dscp_to_priority = DscpPrioritiesOf(profile);
  plan.by_dscp = !plan.dscp_to_priority.empty();
  plan.by_pcp = profile.rdma_priority && profile.trust == Profile::Trust::kPcp;
}

}  // namespace

SwitchPlan MakeSwitchPlan(const Profile& profile) {
  SwitchPlan plan{.profile_name = profile.name};
  if (profile.mtu_bytes) plan.mtu_bytes = std::max(*profile.mtu_bytes, kSwitchMtuBytes);
  PlanClassification(profile, plan);
  plan.lossless = LosslessPriorities(profile);
  plan.no_pfc = profile.pfc && profile.pfc->empty();
  plan.shares = profile.ets_rdma_percent.has_value();
  for (const Profile::EtsClass& one : ClassesOf(profile))
    plan.classes.push_back(MakeClass(profile, one, plan.shares));
  std::ranges::sort(plan.classes, {}, &SwitchClass::queue);
  if (profile.heartbeat) plan.heartbeat_percent_up_to_10g = profile.heartbeat->percent_up_to_10g;
  if (profile.ecn && profile.rdma_priority) {
    plan.ecn_queue = ClassOf(plan, *profile.rdma_priority).queue;
    plan.ecn = *profile.ecn;
  }
  return plan;
}

const SwitchClass& ClassOf(const SwitchPlan& plan, std::uint8_t priority) {
  const auto found = std::ranges::find_if(plan.classes, [priority](const SwitchClass& one) {
    return std::ranges::find(one.priorities, priority) != one.priorities.end();
  });
  return found == plan.classes.end() ? plan.classes.front() : *found;
}

std::string ClassName(const SwitchClass& one) {
  switch (one.purpose) {
    case Purpose::kRdma:
      return "RDMA";
    case Purpose::kHeartbeat:
      return "HEARTBEAT";
    case Purpose::kCnp:
      return "CNP";
    case Purpose::kDefault:
      return "DEFAULT";
    case Purpose::kOther:
      break;
  }
  return fmt::format("Q{}", one.queue);
}

std::string SwitchText::Ask(const std::string& name, const std::string& meaning) {
  if (std::ranges::find(placeholders_, name, &Placeholder::name) == placeholders_.end())
    placeholders_.push_back({.name = name, .meaning = meaning});
  return name;
}

SwitchSide SwitchText::Finish(const SwitchPlan& plan, const std::string& system) && {
  std::string head = comment_ + " The switch side of profile " + plan.profile_name + ", for " + system + ".\n" +
                     comment_ + " Made from the profile alone: look at every line before you enter it.\n";
  if (!placeholders_.empty()) {
    std::size_t widest = 0;
    for (const Placeholder& one : placeholders_) widest = std::max(widest, one.name.size());
    head += comment_ + "\n" + comment_ + " Put in what only you know:\n";
    for (const Placeholder& one : placeholders_)
      head += comment_ + "   " + one.name + std::string(widest - one.name.size() + 2, ' ') + one.meaning + "\n";
  }
  head += comment_ + "\n";
  if (!plan.by_pcp && !plan.by_dscp)
    Remark("The profile marks nothing that a switch could tell apart: there are no classes to configure.");
  return {.placeholders = std::move(placeholders_), .text = head + body_};
}

absl::StatusOr<SwitchSide> MakeSwitchSide(const Profile& profile, std::string_view kind) {
  if (profile.transport == Profile::Transport::kInfiniBand) {
    return absl::InvalidArgumentError(
        "profile " + profile.name +
        " has no Ethernet switch side: InfiniBand links are lossless by their credits, "
        "and the subnet manager sets the switches");
  }
  const SwitchPlan plan = MakeSwitchPlan(profile);
  if (kind == "cumulus") return CumulusSide(plan);
  if (kind == "nxos") return NxosSide(plan);
  if (kind == "sonic") return SonicSide(plan);
  return absl::InvalidArgumentError("no such kind of switch: " + std::string(kind));
}

}  // namespace rdmaready
