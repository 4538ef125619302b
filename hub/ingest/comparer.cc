// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/comparer.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "api/base/run_id.h"
#include "hub/ingest/unpack.h"
#include "hub/judge/host_judge.h"

namespace rdmaready::hub {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kAtLeastEvery = std::chrono::seconds(60);
constexpr auto kLongestBusy = std::chrono::seconds(60);

// False: it is over.
bool Rest(const std::stop_token& stop, Clock::duration time) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

Comparer::Comparer(ComparerSeams seams, std::chrono::milliseconds every)
    : seams_(std::move(seams)), every_(every), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void Comparer::Run(const std::stop_token& stop) {
  ReadVotes(stop);
  Clock::time_point counted = Clock::now() - kAtLeastEvery;
  while (Rest(stop, every_)) {
    const auto since = Clock::now() - counted;
    const bool due = seams_.agreement.Changed() || since >= kAtLeastEvery;
    if (!due || (seams_.busy() && since < kLongestBusy)) continue;
    Count();
    counted = Clock::now();
  }
}

// What is reported meanwhile is newer, and stays.
void Comparer::ReadVotes(const std::stop_token& stop) {
  const absl::StatusOr<std::vector<FleetHost>> hosts = seams_.hosts();
  if (hosts.ok()) {
    for (const FleetHost& host : *hosts) {
      if (host.host_id.empty() || seams_.agreement.Has(host.host_id)) continue;
      const Clock::time_point begun = Clock::now();
      ReadVotesOf(host);
      if (!Rest(stop, Clock::now() - begun)) return;
    }
  }
  complete_ = true;
}

// Facts that cannot be read are asked for again by who judges: until then the host has no vote.
void Comparer::ReadVotesOf(const FleetHost& host) {
  const absl::StatusOr<StoredFacts> stored = seams_.store.FactsOf(host.host_id);
  if (!stored.ok()) return;
  const absl::StatusOr<Facts> facts = ReadFacts(stored->facts_zlib, stored->facts_bytes);
  if (!facts.ok()) return;
  const std::int64_t now = UnixNowNs();
  const JudgedFacts judged = JudgeInFleet(*facts, seams_.rules()->RulesOf(host.name, now), host.name, now, {});
  seams_.agreement.Put(host.host_id, judged.votes, true);
}

void Comparer::Count() {
  const absl::StatusOr<std::vector<FleetHost>> hosts = seams_.hosts();
  if (!hosts.ok()) return;
  std::vector<std::string> others = seams_.agreement.Count(*hosts, UnixNowNs());
  if (!others.empty()) seams_.judge_again(std::move(others));
}

}  // namespace rdmaready::hub
