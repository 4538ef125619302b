// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/identity_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostRuns = 4;  // of one host: two that take turns, while one of them is restarted
constexpr int kMostNotesInHour = 3;   // of one host
constexpr std::int64_t kNotesHourNs = 3'600'000'000'000;
constexpr std::size_t kMostIdentities = 100'000;  // without TLS anybody may think of new ones
constexpr std::size_t kMostNotes = 10'000;        // that wait

// "ipv4:10.0.0.7:41234" is said as "10.0.0.7": the port is another one each time.
std::string_view WithoutPort(std::string_view peer) {
  for (const std::string_view kind : {"ipv4:", "ipv6:"}) {
    if (!peer.starts_with(kind)) continue;
    peer.remove_prefix(kind.size());
    return peer.substr(0, peer.rfind(':'));
  }
  return peer;
}

}  // namespace

void IdentityWatch::Know(const std::string& host_id, const std::string& name, const std::string& machine_id) {
  const std::lock_guard lock(mutex_);
  Entry& entry = hosts_[host_id];
  entry.name = name;
  entry.machine_id = machine_id;
  named_[name] = host_id;
}

absl::Status IdentityWatch::Hello(const IdentityClaim& claim, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  if (hosts_.size() >= kMostIdentities && !hosts_.contains(claim.host_id)) return absl::OkStatus();
  Entry& entry = hosts_[claim.host_id];
  Remember(claim, entry, now);
  if (const std::string why = WhyContested(entry, now); !why.empty()) {
    if (!std::exchange(entry.contest_noted, true)) Note(claim.host_id, entry, now, why);
    return absl::PermissionDeniedError(why);
  }
  entry.contest_noted = false;
  CompareWithBefore(claim, entry, now);
  return absl::OkStatus();
}

void IdentityWatch::Remember(const IdentityClaim& claim, Entry& entry, std::int64_t now) {
  const auto same = std::ranges::find(entry.runs, claim.run_id, &Run::run_id);
  Run run{.run_id = claim.run_id, .from = fmt::format("{} ({})", claim.name, WithoutPort(claim.peer))};
  if (same != entry.runs.end()) {
    run.came_back = same->came_back || same + 1 != entry.runs.end();
    entry.runs.erase(same);
  }
  run.last_ns = now;
  std::erase_if(entry.runs, [&](const Run& old) { return old.last_ns + kContestedNs < now; });
  if (entry.runs.size() >= kMostRuns) entry.runs.erase(entry.runs.begin());
  entry.runs.push_back(std::move(run));
}

std::pair<const IdentityWatch::Run*, const IdentityWatch::Run*> IdentityWatch::Claimants(const Entry& entry,
                                                                                         std::int64_t now) {
  const Run* first = nullptr;
  for (const Run& run : entry.runs) {
    if (!run.came_back || run.last_ns + kContestedNs < now) continue;
    if (first != nullptr) return {first, &run};
    first = &run;
  }
  return {first, nullptr};
}

std::string IdentityWatch::WhyContested(const Entry& entry, std::int64_t now) {
  const auto [one, other] = Claimants(entry, now);
  if (other == nullptr) return {};
  return fmt::format(
      "two agents report as this host in turns, {} and {}: a disk, a certificate or a state directory was "
      "copied; give one of them an identity of its own",
      std::min(one->from, other->from), std::max(one->from, other->from));
}

void IdentityWatch::CompareWithBefore(const IdentityClaim& claim, Entry& entry, std::int64_t now) {
  if (!entry.machine_id.empty() && !claim.machine_id.empty() && entry.machine_id != claim.machine_id) {
    Note(claim.host_id, entry, now,
         "reports from another machine than before, by its machine-id: its disk or its identity was moved, "
         "copied or installed anew");
  }
  if (!claim.machine_id.empty()) entry.machine_id = claim.machine_id;
  if (entry.name == claim.name) return;
  if (!entry.name.empty()) {
    Note(claim.host_id, entry, now, fmt::format("has another name: it was {}", entry.name));
    if (const auto old = named_.find(entry.name); old != named_.end() && old->second == claim.host_id)
      named_.erase(old);
  }
  entry.name = claim.name;
  const auto [owner, is_new] = named_.try_emplace(claim.name, claim.host_id);
  if (is_new || owner->second == claim.host_id) return;
  Note(claim.host_id, entry, now,
       fmt::format("has the name of another host, {}: a replaced machine, or two of one name", owner->second));
  Note(owner->second, hosts_[owner->second], now,
       fmt::format("another host has its name now: {}", claim.host_id));
  owner->second = claim.host_id;
}

void IdentityWatch::Note(const std::string& host_id, Entry& entry, std::int64_t now, std::string text) {
  if (entry.hour_ns + kNotesHourNs < now) {
    entry.hour_ns = now;
    entry.notes_in_hour = 0;
  }
  if (++entry.notes_in_hour > kMostNotesInHour || notes_.size() >= kMostNotes) return;
  notes_.push_back({host_id, std::move(text)});
}

std::string IdentityWatch::Contested(const std::string& host_id, std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  return found == hosts_.end() ? std::string() : WhyContested(found->second, now);
}

std::size_t IdentityWatch::CountContested(std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      hosts_, [now](const auto& host) { return Claimants(host.second, now).second != nullptr; }));
}

std::vector<IdentityNote> IdentityWatch::TakeNotes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

}  // namespace rdmaready::hub
