// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/host_book.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rdmaready::hub {
namespace {

constexpr std::int64_t kClockJumpNs = 1'000'000'000;  // less than that is two clocks that are read in turn

}  // namespace

Clock::TimePoint HostBook::PointOf(std::int64_t unix_ns) const {
  return clock_.Now() - std::chrono::nanoseconds(std::max<std::int64_t>(UnixNs(clock_) - unix_ns, 0));
}

HostNow HostBook::NowOf(const Entry& entry) const {
  HostNow now = entry.now;
  const std::int64_t heard = UnixNs(clock_) - std::chrono::nanoseconds(clock_.Now() - entry.heard_at).count();
  if (now.seen_unix_ns != 0 && std::abs(heard - now.seen_unix_ns) > kClockJumpNs) now.seen_unix_ns = heard;
  return now;
}

void HostBook::Know(const KnownHost& host) {
  identities_.Know(host.host.host_id, host.host.name, host.machine_id);
  const std::lock_guard lock(mutex_);
  Entry& entry = hosts_[host.host.host_id];
  HostNow& now = entry.now;
  now.name = host.host.name;
  now.group = host.host.group;
  now.digest = host.host.digest;
  now.agent = {host.host.agent_version, host.machine_id, host.host.boot_id, host.mark};
  now.judged_by = host.judged_by;
  // A clock that was ahead has been put right: nobody is heard in the future.
  now.seen_unix_ns = std::min(host.host.seen_unix_ns, UnixNs(clock_));
  entry.heard_at = PointOf(now.seen_unix_ns);
  now.clock_ahead_ns = host.host.clock_ahead_ns;
  // Those of a whole fleet do not come together.
  entry.facts_due = FactsDue(0, 10);
}

void HostBook::KnowPast(const std::string& host_id, const std::string& digest) {
  const std::lock_guard lock(mutex_);
  if (const auto found = hosts_.find(host_id); found != hosts_.end()) found->second.now.past_digest = digest;
}

void HostBook::ForgetPast(const std::string& host_id) {
  const std::lock_guard lock(mutex_);
  without_past_.insert(host_id);
  if (const auto found = hosts_.find(host_id); found != hosts_.end()) found->second.now.past_digest.clear();
}

std::string HostBook::PastOf(const std::string& host_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  return found == hosts_.end() ? std::string() : found->second.now.past_digest;
}

Clock::TimePoint HostBook::FactsDue(std::int64_t least, std::int64_t most) {
  const std::int64_t tenth = facts_every_ns_ / 10;
  return clock_.Now() + std::chrono::nanoseconds(
                            std::uniform_int_distribution<std::int64_t>(least * tenth, most * tenth)(random_));
}

bool HostBook::TakeFactsDue(const std::string& host_id) {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  if (facts_every_ns_ == 0 || found == hosts_.end() || clock_.Now() < found->second.facts_due) return false;
  found->second.facts_due = FactsDue(2, 3);  // when they do not come
  found->second.facts_asked = true;
  return true;
}

bool HostBook::FactsAsked(const std::string& host_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  return found != hosts_.end() && found->second.facts_asked;
}

std::optional<HostNow> HostBook::Attach(const std::string& host_id,
                                        const std::shared_ptr<AgentStream>& stream) {
  std::shared_ptr<AgentStream> before;
  std::optional<HostNow> known;
  {
    const std::lock_guard lock(mutex_);
    const bool there = hosts_.contains(host_id);
    Entry& entry = hosts_[host_id];
    if (there) known = NowOf(entry);
    before = entry.stream.lock();
    entry.stream = stream;
    entry.now.connected = true;
  }
  if (before != nullptr && before != stream)
    before->Replace(absl::AbortedError("another stream of this host has come"));
  return known;
}

void HostBook::End(const std::string& host_id, const absl::Status& why) {
  std::shared_ptr<AgentStream> stream;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = hosts_.find(host_id); found != hosts_.end()) stream = found->second.stream.lock();
  }
  if (stream != nullptr) stream->Replace(why);
}

void HostBook::Detach(const std::string& host_id, const AgentStream* stream) {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  if (found == hosts_.end()) return;
  const std::shared_ptr<AgentStream> now = found->second.stream.lock();
  if (now != nullptr && now.get() != stream) return;
  found->second.now.connected = false;
  found->second.stream.reset();
  // Who said hello and never reported is no host of the fleet.
  if (!HasReported(found->second) && found->second.pending == 0) hosts_.erase(found);
}

bool HostBook::HeardUnchanged(const std::string& host_id, const std::string& digest, const AgentRun& agent,
                              std::int64_t now_unix_ns, std::int64_t clock_ahead_ns) {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  if (found == hosts_.end()) return false;
  Entry& entry = found->second;
  if (!HasReported(entry) || entry.pending > 0 || entry.now.digest != digest) return false;
  entry.now.agent = agent;
  entry.now.seen_unix_ns = now_unix_ns;
  entry.heard_at = clock_.Now();
  entry.now.clock_ahead_ns = clock_ahead_ns;
  entry.seen_untold = true;
  return true;
}

bool HostBook::IsNamed(const std::string& host_id, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  return found != hosts_.end() && found->second.now.name == name;
}

void HostBook::Pending(const std::string& host_id, int more) {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  if (found != hosts_.end()) found->second.pending += more;
}

void HostBook::Lost(const std::string& host_id) {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  if (found != hosts_.end()) found->second.now.digest.clear();
}

void HostBook::Kept(const JudgedHost& judged) {
  const std::lock_guard lock(mutex_);
  Entry& entry = hosts_[judged.host.host_id];
  const bool has_facts = !judged.facts_zlib.empty();
  const bool reported = has_facts || judged.past;  // else what was there was judged again
  const bool known = HasReported(entry);
  entry.now.name = judged.host.name;
  entry.now.group = judged.host.group;
  entry.now.digest = judged.host.digest;
  entry.now.judged_by = judged.judged_by;
  if (judged.past && !without_past_.contains(judged.host.host_id)) entry.now.past_digest = judged.past->digest;
  if (has_facts) {
    entry.facts_asked = false;
    entry.facts_due = FactsDue(9, 11);
  }
  // What was judged again was read from the store, which may not know yet who was heard since.
  if (reported || !known) {
    entry.now.agent = {judged.host.agent_version, judged.machine_id, judged.host.boot_id, judged.mark};
    entry.now.seen_unix_ns = std::min(judged.host.seen_unix_ns, UnixNs(clock_));
    const Clock::TimePoint heard = PointOf(entry.now.seen_unix_ns);
    entry.heard_at = known ? std::max(entry.heard_at, heard) : heard;
  }
  entry.now.clock_ahead_ns = judged.host.clock_ahead_ns;
}

std::vector<std::string> HostBook::WithPast() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, entry] : hosts_) {
    if (!entry.now.past_digest.empty()) ids.push_back(id);
  }
  return ids;
}

std::optional<HostNow> HostBook::Find(const std::string& host_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host_id);
  if (found == hosts_.end()) return std::nullopt;
  return NowOf(found->second);
}

std::vector<std::pair<std::string, std::string>> HostBook::JudgedByOthers(
    const std::function<std::string(const std::string& name)>& wanted) const {
  std::vector<std::pair<std::string, std::string>> named;
  std::vector<std::string> judged_by;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : hosts_) {
      if (!HasReported(entry)) continue;
      named.emplace_back(id, entry.now.name);
      judged_by.push_back(entry.now.judged_by);
    }
  }
  std::vector<std::pair<std::string, std::string>> others;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (wanted(named[i].second) != judged_by[i]) others.push_back(std::move(named[i]));
  }
  return others;
}

std::vector<SeenHost> HostBook::TakeSeen() {
  const std::lock_guard lock(mutex_);
  std::vector<SeenHost> seen;
  for (auto& [id, entry] : hosts_) {
    if (!std::exchange(entry.seen_untold, false)) continue;
    seen.push_back({.host_id = id,
                    .seen_unix_ns = NowOf(entry).seen_unix_ns,
                    .clock_ahead_ns = entry.now.clock_ahead_ns,
                    .agent = entry.now.agent});
  }
  return seen;
}

HostBook::SilenceTurns HostBook::TakeSilence(std::chrono::nanoseconds patience) {
  const std::lock_guard lock(mutex_);
  const Clock::TimePoint now = clock_.Now();
  SilenceTurns turns;
  for (auto& [id, entry] : hosts_) {
    if (!HasReported(entry)) continue;
    const bool silent = now - std::max(entry.heard_at, listening_since_) > patience;
    if (silent == entry.silent) continue;
    entry.silent = silent;
    (silent ? turns.silent : turns.back).push_back(id);
  }
  return turns;
}

std::vector<std::shared_ptr<AgentStream>> HostBook::Streams() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<AgentStream>> streams;
  for (const auto& [id, entry] : hosts_) {
    if (std::shared_ptr<AgentStream> stream = entry.stream.lock()) streams.push_back(std::move(stream));
  }
  return streams;
}

std::size_t HostBook::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(hosts_, [](const auto& entry) { return HasReported(entry.second); }));
}

std::size_t HostBook::connected() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(hosts_, [](const auto& entry) { return entry.second.now.connected; }));
}

}  // namespace rdmaready::hub
