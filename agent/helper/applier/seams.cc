// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/seams.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "agent/apply/device.h"
#include "agent/apply/real/setting_reader.h"
#include "agent/helper/applier/apply_file.h"
#include "api/base/clock.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/profile/profile_proto.h"
#include "checks/host_parts.h"
#include "checks/plan/plan.h"
#include "checks/setting/table.h"
#include "collectors/collect.h"

namespace rdmaready::helper {

namespace {

absl::StatusOr<std::vector<ProfileRef>> ProfilesOf(const ApplyOrder& order) {
  std::vector<ProfileRef> profiles;
  for (const Profile& profile : order.profiles) {
    RR_ASSIGN_OR_RETURN(std::string digest, ProfileContentDigest(profile));
    profiles.push_back({.name = profile.name, .digest = std::move(digest)});
  }
  return profiles;
}

// A profile that root did not list has no say, not even in a plan that nobody may carry out.
absl::StatusOr<Plan> PermittedPlan(const Facts& facts, const ApplyOrder& order, const Permission& permission) {
  RR_ASSIGN_OR_RETURN(const std::vector<ProfileRef> profiles, ProfilesOf(order));
  RR_RETURN_IF_ERROR(CheckProfiles(permission, profiles));
  return PlanOf(facts, order);
}

}  // namespace

absl::StatusOr<Plan> PlanOf(const Facts& facts, const ApplyOrder& order) {
  RR_ASSIGN_OR_RETURN(const HostParts parts, HostParts::Divide(facts, order.profiles, order.ports));
  Plan plan = MakePlan(parts, {.persist = order.persist});
  RR_ASSIGN_OR_RETURN(plan.profiles, ProfilesOf(order));
  return plan;
}

absl::StatusOr<Permission> PermissionIn(const std::string& path, ::uid_t owner) {
  absl::StatusOr<Permission> permission = LoadApplyFile(path, owner);
  if (permission.ok()) return permission;
  return absl::PermissionDeniedError(
      fmt::format("root says in {} what may be changed: {}", path, Message(permission.status())));
}

ApplierSeams SeamsOf(HostReader& host, const std::string& apply_file) {
  const auto permission = [apply_file, owner = ::geteuid()] { return PermissionIn(apply_file, owner); };
  return {
      .read = [&host] { return CollectFacts(host); },
      .settings = SettingsOf,
      .read_some = [&host](const std::vector<SettingObject>& objects) { return ReadSettings(host, objects); },
      .device = DeviceOf,
      .below = NetdevsBelow,
      .identity = IdentityOf,
      .profiles = ProfilesOf,
      .plan = [permission](const Facts& facts, const ApplyOrder& order) -> absl::StatusOr<Plan> {
        RR_ASSIGN_OR_RETURN(const Permission allowed, permission());
        return PermittedPlan(facts, order, allowed);
      },
      .permission = permission,
      .clock = &BootClock(),
      .unix_now_ns = [] { return UnixNs(BootClock()); },
      .make_id = MakeInstanceId,
      .log = SayLine};
}

void SayLine(std::string_view line) {
  std::string text(line);
  std::ranges::replace_if(
      text, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  std::fprintf(stderr, "rdmaready-applier: %s\n", text.c_str());
}

}  // namespace rdmaready::helper
