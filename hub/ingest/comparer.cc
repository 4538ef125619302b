// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/comparer.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hub/ingest/kept_votes.h"

namespace rdmaready::hub {
namespace {

constexpr auto kAtLeastEvery = std::chrono::seconds(60);
constexpr auto kLongestBusy = std::chrono::seconds(60);

}  // namespace

Comparer::Comparer(ComparerSeams seams, std::chrono::milliseconds every, Clock& clock)
    : seams_(std::move(seams)),
      every_(every),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void Comparer::Run(const std::stop_token& stop) {
  ReadVotes();
  Clock::TimePoint counted = clock_.Now() - kAtLeastEvery;
  while (clock_.SleepUntil(clock_.Now() + every_, stop)) {
    const auto since = clock_.Now() - counted;
    const bool due = seams_.agreement.Changed() || since >= kAtLeastEvery;
    if (!due || (seams_.busy() && since < kLongestBusy)) continue;
    Count();
    counted = clock_.Now();
  }
}

// What is reported meanwhile is newer, and stays. Of whom the votes are not kept, or were judged by other
// rules, is judged again, and votes then.
void Comparer::ReadVotes() {
  const std::shared_ptr<const RuleBook> rules = seams_.rules();
  const std::int64_t now = UnixNs(clock_);
  std::unordered_map<std::string, std::string> judged_by;  // by host, as it would be now
  const absl::Status hosts = seams_.store.Hosts([&](KnownHost&& known) {
    if (!known.mark.run_id.empty())
      judged_by.emplace(known.host.host_id, rules->RulesOf(known.host.name, now).digest);
  });
  const absl::Status votes = seams_.store.Votes([&](StoredVotes&& stored) {
    const auto wanted = judged_by.find(stored.host_id);
    if (wanted == judged_by.end() || wanted->second != stored.judged_by) return;
    if (const std::optional<std::vector<ProfileVotes>> kept = hub::ReadVotes(stored.votes))
      seams_.agreement.Put(stored.host_id, *kept, true);
  });
  std::vector<std::string> others;
  for (const auto& [host_id, digest] : judged_by) {
    if (!seams_.agreement.Has(host_id)) others.push_back(host_id);
  }
  if (!others.empty()) seams_.judge_again(std::move(others));
  complete_ = hosts.ok() && votes.ok();
}

void Comparer::Count() {
  const absl::StatusOr<std::vector<FleetHost>> hosts = seams_.hosts();
  if (!hosts.ok()) return;
  std::vector<std::string> others = seams_.agreement.Count(*hosts, UnixNs(clock_));
  if (!others.empty()) seams_.judge_again(std::move(others));
}

}  // namespace rdmaready::hub
