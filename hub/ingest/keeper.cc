// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/keeper.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "api/base/status.h"
#include "checks/live/own_past.h"
#include "hub/ingest/kept_votes.h"
#include "hub/ingest/past.h"
#include "hub/ingest/unpack.h"
#include "hub/judge/host_judge.h"

namespace rdmaready::hub {
namespace {

// Who reports, when and what: all that judging leaves alone.
JudgedHost HostOf(const Arrival& arrival) {
  JudgedHost kept;
  kept.host.host_id = arrival.host_id;
  kept.host.name = arrival.name;
  kept.host.boot_id = arrival.boot_id;
  kept.host.agent_version = arrival.agent_version;
  kept.host.digest = arrival.digest;
  kept.host.seen_unix_ns = arrival.received_unix_ns;
  kept.host.clock_ahead_ns = arrival.clock_ahead_ns;
  kept.machine_id = arrival.machine_id;
  kept.mark = arrival.mark;
  kept.facts_zlib = arrival.facts_zlib;
  kept.facts_bytes = arrival.facts_bytes;
  return kept;
}

JudgedHost HostOf(StoredFacts stored) {
  JudgedHost kept;
  kept.host = std::move(stored.known.host);
  kept.machine_id = std::move(stored.known.machine_id);
  kept.mark = std::move(stored.known.mark);
  kept.facts_zlib = std::move(stored.facts_zlib);
  kept.facts_bytes = stored.facts_bytes;
  return kept;
}

// It reports that it is as it was.
void HearAgain(const Arrival& arrival, JudgedHost& kept) {
  kept.host.name = arrival.name;
  kept.host.boot_id = arrival.boot_id;
  kept.host.agent_version = arrival.agent_version;
  kept.host.seen_unix_ns = arrival.received_unix_ns;
  kept.host.clock_ahead_ns = arrival.clock_ahead_ns;
  kept.machine_id = arrival.machine_id;
  kept.mark = arrival.mark;
}

std::size_t BytesOf(const Arrival& arrival) { return arrival.facts_zlib.size() + arrival.past_zlib.size(); }

void TakeOver(JudgedHost kept, JudgedHost& judged) {
  FleetHost& host = judged.host;
  host.host_id = std::move(kept.host.host_id);
  host.name = std::move(kept.host.name);
  host.boot_id = std::move(kept.host.boot_id);
  host.agent_version = std::move(kept.host.agent_version);
  host.digest = std::move(kept.host.digest);
  host.seen_unix_ns = kept.host.seen_unix_ns;
  host.clock_ahead_ns = kept.host.clock_ahead_ns;
  judged.machine_id = std::move(kept.machine_id);
  judged.mark = std::move(kept.mark);
  judged.facts_zlib = std::move(kept.facts_zlib);
  judged.facts_bytes = kept.facts_bytes;
}

}  // namespace

// One host on its way through the keeper.
struct Keeper::Work {
  std::optional<Arrival> arrival{};  // none: what is kept of `host_id` is judged again
  std::string host_id{};
  std::shared_ptr<const RuleBook> rules{};
  absl::Status status{};  // why it is not kept
  bool lost = false;      // its facts are not to be read any more
  std::string past_refused{};
  JudgedHost judged{};
  std::vector<ProfileVotes> votes{};
};

Keeper::Keeper(KeeperSeams seams, KeeperLimits limits, Clock& clock)
    : seams_(std::move(seams)), limits_(limits), clock_(clock), thread_([this] { Run(); }) {}

Keeper::~Keeper() {
  std::deque<Arrival> waiting;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting.swap(queue_);
  }
  woken_.notify_all();
  thread_.join();
  for (const Arrival& arrival : waiting) arrival.answer(absl::UnavailableError("the hub is ending"), "");
}

bool Keeper::Add(Arrival arrival) {
  {
    const std::lock_guard lock(mutex_);
    const bool full =
        queue_.size() >= limits_.queue_reports || queued_bytes_ + BytesOf(arrival) > limits_.queue_bytes;
    if (full || stopping_) {
      ++counts_.put_off;
      return false;
    }
    queued_bytes_ += BytesOf(arrival);
    queue_.push_back(std::move(arrival));
  }
  woken_.notify_one();
  return true;
}

KeeperCounts Keeper::Counts() const {
  const std::lock_guard lock(mutex_);
  KeeperCounts counts = counts_;
  counts.waiting = queue_.size();
  counts.waiting_again = again_.size();
  return counts;
}

void Keeper::JudgeAgain(std::vector<std::string> host_ids) {
  {
    const std::lock_guard lock(mutex_);
    for (std::string& id : host_ids) again_.insert(std::move(id));
  }
  woken_.notify_one();
}

std::vector<Keeper::Work> Keeper::TakeBatch() {
  std::unique_lock lock(mutex_);
  const auto wait = [&](std::chrono::milliseconds most, const std::function<bool()>& ready) {
    return clock_.WaitUntil(woken_, lock, std::stop_token(), clock_.Now() + most, ready);
  };
  while (!wait(limits_.beat, [&] { return stopping_ || !queue_.empty() || !again_.empty(); })) pulse_.Beat();
  if (!stopping_ && again_.empty() && queue_.size() < limits_.batch)
    wait(limits_.gather, [&] { return stopping_ || queue_.size() >= limits_.batch; });
  std::vector<Work> batch;
  if (stopping_) return batch;
  // What is kept first: a report of the same host comes after it, and stays.
  while (!again_.empty() && batch.size() < limits_.batch / 2)
    batch.push_back({.host_id = std::move(again_.extract(again_.begin()).value())});
  std::unordered_set<std::string>
      in_batch;  // what a report leaves out is what the one before it left in the store
  while (!queue_.empty() && batch.size() < limits_.batch && in_batch.insert(queue_.front().host_id).second) {
    queued_bytes_ -= BytesOf(queue_.front());
    std::string id = queue_.front().host_id;
    batch.push_back({.arrival = std::move(queue_.front()), .host_id = std::move(id)});
    queue_.pop_front();
  }
  return batch;
}

void Keeper::Run() {
  while (true) {
    std::vector<Work> batch = TakeBatch();
    if (batch.empty()) return;
    KeepBatch(std::move(batch));
    pulse_.Beat();
  }
}

void Keeper::KeepBatch(std::vector<Work> work) {
  const std::shared_ptr<const RuleBook> rules = seams_.rules();
  for (Work& one : work) one.rules = rules;
  Judge(work);
  const absl::Status committed = Commit(work);
  for (Work& one : work) {
    if (one.lost) seams_.book.Lost(one.host_id);  // they are asked for again
    if (absl::IsDataLoss(one.status) && seams_.stored) seams_.stored(one.status);
    if (one.status.ok()) one.status = committed;
  }
  Count(work);  // before the answers: a report that is answered is counted
  for (Work& one : work) {
    if (one.arrival) one.arrival->answer(one.status, one.past_refused);
  }
}

void Keeper::Count(const std::vector<Work>& work) {
  const std::lock_guard lock(mutex_);
  for (const Work& one : work) {
    if (!one.arrival) continue;
    const absl::Status& status = one.status;
    ++(status.ok() ? counts_.kept : absl::IsInvalidArgument(status) ? counts_.refused : counts_.put_off);
  }
}

// By several threads: each takes the next one that nobody has.
void Keeper::Judge(std::vector<Work>& work) const {
  std::atomic<std::size_t> next = 0;
  const auto judge = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++) JudgeOne(work[i]);
  };
  std::vector<std::jthread> others;
  const auto helpers = std::min(static_cast<std::size_t>(limits_.judges), work.size() / 2);
  for (std::size_t i = 1; i < helpers; ++i) others.emplace_back(judge);
  judge();
}

// What is known of the host but for its verdict, and facts.
absl::StatusOr<JudgedHost> Keeper::WhoseFacts(Work& work) const {
  if (work.arrival && !work.arrival->facts_zlib.empty()) return HostOf(*work.arrival);
  absl::StatusOr<StoredFacts> stored = seams_.store.FactsOf(work.host_id);
  work.lost = absl::IsDataLoss(stored.status()) || absl::IsNotFound(stored.status());
  if (work.lost) return absl::UnavailableError(stored.status().message());
  RR_RETURN_IF_ERROR(stored.status());
  JudgedHost kept = HostOf(*std::move(stored));
  if (work.arrival) HearAgain(*work.arrival, kept);
  return kept;
}

// `brought`: by the report; null: what is kept.
absl::StatusOr<KnownPast> Keeper::PastOf(const Work& work, const std::vector<CaseBaseline>* brought,
                                         const Facts& facts) const {
  KnownPast past;
  const bool kept = !seams_.book.PastOf(work.host_id).empty();
  if (brought != nullptr) {
    past.tests = TestsOf(*brought, facts);
  } else if (kept) {
    RR_RETURN_IF_ERROR(
        seams_.store.Tests(work.host_id, [&](KeptTest&& test) { past.tests.push_back(std::move(test)); }));
  }
  if (!kept) return past;
  RR_RETURN_IF_ERROR(seams_.store.Findings(work.host_id, [&](FleetFinding&& finding) {
    if (finding.check == kOwnPastId && finding.over_unix_ns == 0) past.told.insert(std::move(finding.subject));
  }));
  return past;
}

void Keeper::JudgeOne(Work& work) const {
  absl::StatusOr<JudgedHost> kept = WhoseFacts(work);
  work.status = kept.status();
  if (!kept.ok()) return;
  const absl::StatusOr<Facts> facts = ReadFacts(kept->facts_zlib, kept->facts_bytes);
  work.status = facts.status();
  const bool from_store = !work.arrival || work.arrival->facts_zlib.empty();
  if (!facts.ok() && from_store) {
    work.lost = true;
    work.status = absl::UnavailableError(facts.status().message());
  }
  if (!facts.ok()) return;
  absl::StatusOr<std::vector<CaseBaseline>> brought = absl::NotFoundError("none");
  if (work.arrival && !work.arrival->past_zlib.empty()) {
    brought = ReadPast(work.arrival->past_zlib, work.arrival->past_bytes, work.arrival->past_digest);
    if (!brought.ok()) work.past_refused = Message(brought.status());
  }
  absl::StatusOr<KnownPast> past = PastOf(work, brought.ok() ? &*brought : nullptr, *facts);
  work.status = past.status();
  if (!past.ok()) return;
  const std::int64_t now = UnixNs(clock_);
  std::vector<Finding> of_fleet;
  if (seams_.agreement != nullptr) of_fleet = seams_.agreement->OddOf(kept->host.host_id);
  JudgedFacts judged = JudgeInFleet(*facts, work.rules->RulesOf(kept->host.name, now), kept->host.name, now,
                                    std::move(of_fleet), *past);
  work.judged = std::move(judged.host);
  work.votes = std::move(judged.votes);
  work.judged.votes = WriteVotes(work.votes);
  TakeOver(*std::move(kept), work.judged);
  if (from_store) work.judged.facts_zlib.clear();  // they are there
  if (brought.ok()) work.judged.past = {.digest = work.arrival->past_digest, .tests = std::move(past->tests)};
}

absl::Status Keeper::Commit(std::vector<Work>& work) {
  std::vector<JudgedHost> hosts;
  for (Work& one : work) {
    if (one.status.ok()) hosts.push_back(std::move(one.judged));
  }
  if (hosts.empty()) return absl::OkStatus();
  const Clock::TimePoint begun = clock_.Now();
  const absl::StatusOr<std::vector<CommittedChange>> changes = seams_.store.Commit(hosts, UnixNs(clock_));
  if (seams_.took && changes.ok()) seams_.took(clock_.Now() - begun);
  if (seams_.stored) seams_.stored(changes.status());
  if (!changes.ok()) return changes.status();
  for (const JudgedHost& host : hosts) seams_.book.Kept(host);  // whoever is told looks there for its group
  // Before anybody can make the next change of these hosts.
  if (seams_.changed && !changes->empty()) seams_.changed(*changes);
  if (seams_.agreement != nullptr) {
    for (const Work& one : work) {
      if (one.status.ok()) seams_.agreement->Put(one.host_id, one.votes);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    ++counts_.commits;
    counts_.judged += hosts.size();
  }
  return absl::OkStatus();
}

}  // namespace rdmaready::hub
