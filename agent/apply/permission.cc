// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/permission.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_split.h"
#include "api/base/name_pattern.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/setting/table.h"

namespace rdmaready {
namespace {

constexpr std::string_view kWholeHost = "host";

bool AllowsPlace(const Permission& permission, const std::vector<std::string>& places) {
  return std::ranges::any_of(places, [&](const std::string& place) {
    return std::ranges::any_of(permission.ports,
                               [&](const std::string& pattern) { return MatchesPattern(pattern, place); });
  });
}

bool AllowsKind(const Permission& permission, SettingKind kind) {
  return kind != SettingKind::kUnknown &&
         std::ranges::find(permission.settings, kind) != permission.settings.end();
}

bool ListsProfile(const Permission& permission, const ProfileRef& profile) {
  return !profile.digest.empty() &&
         std::ranges::find(permission.profiles, profile.digest, &Permission::ListedProfile::sha256) !=
             permission.profiles.end();
}

void AddOnce(std::vector<std::string>& list, std::string line) {
  if (std::ranges::find(list, line) == list.end()) list.push_back(std::move(line));
}

std::string Seconds(std::uint32_t milliseconds) {
  return milliseconds % 1000 == 0 ? fmt::format("{} s", milliseconds / 1000)
                                  : fmt::format("{} ms", milliseconds);
}

void AddUnlisted(const Permission& permission, const std::vector<ProfileRef>& profiles,
                 std::vector<std::string>& lacks) {
  for (const ProfileRef& profile : profiles) {
    if (!ListsProfile(permission, profile))
      AddOnce(lacks, fmt::format("under `profiles:` - sha256: {}  # {}", profile.digest, profile.name));
  }
}

// Whether a netdev at the bottom of the place is not one of the words: another member of a bond.
bool HasOtherNetdevs(const std::string& place, const std::vector<std::string>& words,
                     const BelowNetdev& below) {
  if (!below || std::ranges::find(words, place) != words.end()) return false;
  std::vector<std::string> own = words;
  for (const std::string& word : words) std::ranges::copy(below(word), std::back_inserter(own));
  const std::vector<std::string> bottom = below(place);
  if (bottom == std::vector{place}) return false;  // no netdev, or one that stands on nothing
  return std::ranges::any_of(
      bottom, [&own](const std::string& netdev) { return std::ranges::find(own, netdev) == own.end(); });
}

absl::Status Lacking(const std::vector<std::string>& lines) {
  return absl::PermissionDeniedError(
      fmt::format("apply.yaml does not allow it; it would need: {}", fmt::join(lines, "; ")));
}

}  // namespace

std::vector<std::string> PlacesOf(const SettingObject& object, std::string_view subject,
                                  const BelowNetdev& below) {
  const std::string place = WhereOf(object);
  // What is of the whole host is allowed by no port's name, whatever port it is planned for.
  if (place.empty()) return {std::string(kWholeHost)};
  std::vector<std::string> places{place};
  const std::vector<std::string> words = absl::StrSplit(std::string(subject), ' ', absl::SkipEmpty());
  if (HasOtherNetdevs(place, words, below)) return places;
  for (const std::string& word : words)
    if (word != kWholeHost) AddOnce(places, word);
  return places;
}

bool AllowsSetting(const Permission& permission, const SettingObject& object, std::string_view subject,
                   const BelowNetdev& below) {
  return AllowsKind(permission, object.kind) && AllowsPlace(permission, PlacesOf(object, subject, below));
}

absl::Status CheckFiles(const Permission& permission) {
  if (permission.files) return absl::OkStatus();
  return Lacking({"`files: true` for files that keep settings over a boot"});
}

absl::Status CheckLimits(const Permission& permission, const ApplyOrder& order) {
  if (!permission.peer.empty() && !order.proof) {
    return absl::PermissionDeniedError(fmt::format(
        "apply.yaml demands a transfer with {} of each change: none goes without a proof", permission.peer));
  }
  if (order.persist) RR_RETURN_IF_ERROR(CheckFiles(permission));
  if (order.confirm_within_ms >= permission.least_confirm_within_ms &&
      order.confirm_within_ms <= permission.most_confirm_within_ms) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format(
      "a change cannot be confirmed within {}: apply.yaml allows {} to {}", Seconds(order.confirm_within_ms),
      Seconds(permission.least_confirm_within_ms), Seconds(permission.most_confirm_within_ms)));
}

absl::Status CheckProfiles(const Permission& permission, const std::vector<ProfileRef>& profiles) {
  std::vector<std::string> lacks;
  AddUnlisted(permission, profiles, lacks);
  return lacks.empty() ? absl::OkStatus() : Lacking(lacks);
}

absl::Status CheckPace(const Permission& permission, const std::deque<std::int64_t>& begun_unix_ns,
                       std::int64_t now_ns) {
  constexpr std::int64_t kHourNs = 3'600'000'000'000;
  const std::size_t most = permission.changes_most_per_hour;
  if (begun_unix_ns.size() < most) return absl::OkStatus();
  // Of the last `most` ones the first. A clock that was set back counts them, too.
  const std::int64_t first = begun_unix_ns[begun_unix_ns.size() - most];
  if (std::abs(now_ns - first) >= kHourNs) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "{} changes were begun within an hour, as many as apply.yaml allows (`changes: {{most_per_hour: "
      "{}}}`): the next one may begin at {}",
      most, most, UtcText(first + kHourNs)));
}

absl::Status CheckPlan(const Permission& permission, const ApplyOrder& order, const Plan& plan,
                       const BelowNetdev& below) {
  std::vector<std::string> lacks;
  AddUnlisted(permission, plan.profiles, lacks);
  if (plan.profiles.empty() && !plan.steps.empty()) lacks.emplace_back("a profile: the plan was made by none");
  for (const PlanStep& step : plan.steps) {
    if (!AllowsKind(permission, step.object.kind))
      AddOnce(lacks, fmt::format("under `settings:` {}", NameOf(step.object.kind)));
    const std::vector<std::string> places = PlacesOf(step.object, step.subject, below);
    if (!AllowsPlace(permission, places)) AddOnce(lacks, fmt::format("under `ports:` {}", places.front()));
    if (step.one_way.empty()) continue;
    const std::string what =
        fmt::format("for {}, which cannot be taken back ({})", TextOf(step.object), step.one_way);
    if (!permission.one_way) AddOnce(lacks, "`one_way: true` " + what);
    if (!order.allow_one_way) AddOnce(lacks, "and the order --allow-one-way " + what);
  }
  return lacks.empty() ? absl::OkStatus() : Lacking(lacks);
}

std::vector<std::string> TextOf(const Permission& permission) {
  if (permission.ports.empty() || permission.settings.empty() || permission.profiles.empty()) return {};
  std::vector<std::string_view> kinds;
  for (const SettingKind kind : permission.settings) kinds.push_back(NameOf(kind));
  std::vector<std::string> lines{fmt::format("ports: {}", fmt::join(permission.ports, ", ")),
                                 fmt::format("settings: {}", fmt::join(kinds, ", "))};
  for (const Permission::ListedProfile& profile : permission.profiles)
    lines.push_back(
        fmt::format("profile: {}{}", profile.sha256, profile.name.empty() ? "" : " " + profile.name));
  lines.push_back(fmt::format("confirm within: {} to {}", Seconds(permission.least_confirm_within_ms),
                              Seconds(permission.most_confirm_within_ms)));
  lines.push_back(fmt::format("changes: at most {} an hour", permission.changes_most_per_hour));
  if (permission.one_way) lines.emplace_back("one-way steps");
  if (permission.files) lines.emplace_back("files for the next boot");
  if (permission.put_back_most_per_hour)
    lines.push_back(fmt::format("put back: at most {} times an hour", *permission.put_back_most_per_hour));
  if (!permission.peer.empty()) lines.push_back("peer: " + permission.peer);
  return lines;
}

}  // namespace rdmaready
