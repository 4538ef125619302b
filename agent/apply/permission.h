// SPDX-License-Identifier: Apache-2.0
// Permission: what root's file /etc/rdmaready/apply.yaml allows, and how an order is held against it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "agent/apply/configurer.h"
#include "api/model/plan.h"
#include "api/model/setting.h"

namespace rdmaready {

// A default one allows nothing.
struct Permission {
  struct ListedProfile {
    std::string sha256{};  // of the profile's content, 64 lower-case hexadecimal digits
    std::string name{};    // a comment

    bool operator==(const ListedProfile&) const = default;
  };

  // Patterns (api/base/name_pattern.h) of netdevs ("ens1*") or RDMA ports ("mlx5_0/1"). What belongs to no
  // port, as net.ipv4.conf.all.arp_ignore does, is named "host".
  std::vector<std::string> ports{};
  std::vector<SettingKind> settings{};  // `all` is every one of kSettingKinds
  std::vector<ListedProfile> profiles{};
  std::uint32_t least_confirm_within_ms = 10'000;
  std::uint32_t most_confirm_within_ms = 600'000;
  bool one_way = false;
  bool files = false;                                     // files for the next boot, too
  std::optional<std::uint32_t> put_back_most_per_hour{};  // of one setting; absent: nothing is put back
  // Changes that may be begun: who took the agent over cannot keep a link flapping.
  std::uint32_t changes_most_per_hour = 30;
  std::string peer{};  // the host of the peer transfer; empty: none

  bool operator==(const Permission&) const = default;
};

// The netdevs at the bottom of a netdev: the members of a bond, the port under a VLAN, the name itself where
// nothing is below it. NetdevsBelow in device.h.
using BelowNetdev = std::function<std::vector<std::string>(const std::string& netdev)>;

// By what patterns a setting may be allowed: the place that it is at, and the words of `subject` ("rxe0/1
// dcb0") unless it is of the whole host; then "host". The words count only where the place uses no netdev
// beside those of the subject: a listed port opens its VLANs and not its bond, which has other members. An
// empty `below`: the words always count.
std::vector<std::string> PlacesOf(const SettingObject& object, std::string_view subject,
                                  const BelowNetdev& below = {});

bool AllowsSetting(const Permission& permission, const SettingObject& object, std::string_view subject,
                   const BelowNetdev& below = {});

// kInvalidArgument: the time for confirming is not within the limits, which are named; kPermissionDenied:
// without a proof, although a peer must prove each change, or with files for the next boot, which are not
// allowed.
absl::Status CheckLimits(const Permission& permission, const ApplyOrder& order);

// kPermissionDenied: files for the next boot are not allowed.
absl::Status CheckFiles(const Permission& permission);

// kPermissionDenied: one is not listed, by the digest of its content.
absl::Status CheckProfiles(const Permission& permission, const std::vector<ProfileRef>& profiles);

// kFailedPrecondition, with the time of the next one: of those that were begun, as many are within the hour
// before `now_ns` as may be.
absl::Status CheckPace(const Permission& permission, const std::deque<std::int64_t>& begun_unix_ns,
                       std::int64_t now_ns);

// kPermissionDenied, naming each line that apply.yaml would have to have and each leave that the order lacks.
// Every profile of the plan must be listed, also when it has no steps.
absl::Status CheckPlan(const Permission& permission, const ApplyOrder& order, const Plan& plan,
                       const BelowNetdev& below = {});

// For people, a line each: "ports: ens1*", "settings: pfc, ets".
std::vector<std::string> TextOf(const Permission& permission);

}  // namespace rdmaready
